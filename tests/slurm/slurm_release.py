# SPDX-License-Identifier: Apache-2.0
"""Which Slurm the tests run on: that of the system, or that whose prefix MAUI_SLURM is,
with the adapter that was built against it (scripts/build slurm)."""
import os
import pathlib
import re
import subprocess

PREFIX = os.environ.get("MAUI_SLURM")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
if PREFIX:
    PATH = f"{PREFIX}/bin:{PREFIX}/sbin:{PATH}"

PLUGINS = (pathlib.Path(PREFIX).glob("lib*/slurm") if PREFIX
           else pathlib.Path("/usr/lib").glob("*/slurm*"))
HAS_LUA = any((folder / "job_submit_lua.so").exists() for folder in PLUGINS)
MANUALS = ([f"{PREFIX}/share/man/man1"] if PREFIX
           else ["/usr/share/man/man1", "/usr/local/share/man/man1"])
LIBRARY = ([f"-I{PREFIX}/include", f"-L{PREFIX}/lib", f"-Wl,-rpath,{PREFIX}/lib"]
           if PREFIX else [])


def release():
    """(22, 5): of the commands that PATH finds first."""
    done = subprocess.run(["scontrol", "--version"], env={**os.environ, "PATH": PATH},
                          capture_output=True, text=True, check=False)
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def missing(tool):
    """What has to be installed, or None."""
    where = f"in {PREFIX}, which MAUI_SLURM names" if PREFIX else "(scripts/deps test)"
    for name in ("slurmctld", "slurmd", "slurmstepd"):
        found = tool(name + "-wlm", name)
        if not found or (PREFIX and not found.startswith(f"{PREFIX}/")):
            return f"slurm-wlm {where}"
    if not tool("munged"):
        return "munge (scripts/deps test)"
    return None if HAS_LUA else f"slurm-wlm-basic-plugins {where}"


def is_against(program):
    """Was that adapter built against it?"""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    return not PREFIX or f"=> {PREFIX}/lib" in done.stdout
