# SPDX-License-Identifier: Apache-2.0
"""Which Slurm the tests run on: that of the system, or that whose prefix MAUI_SLURM is,
with the adapter that was built against it (scripts/build slurm)."""
import os
import pathlib
import re
import shutil
import subprocess

PREFIX = os.environ.get("MAUI_SLURM")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
if PREFIX:
    PATH = f"{PREFIX}/bin:{PREFIX}/sbin:{PATH}"

# Where its plugins are, Lua's among them; None where that is not installed.
PLUGINS = next((folder for folder in (pathlib.Path(PREFIX).glob("lib*/slurm") if PREFIX
                                      else pathlib.Path("/usr/lib").glob("*/slurm*"))
                if (folder / "job_submit_lua.so").exists()), None)
MANUALS = ([f"{PREFIX}/share/man/man1"] if PREFIX
           else ["/usr/share/man/man1", "/usr/local/share/man/man1"])
LIBRARY = ([f"-I{PREFIX}/include", f"-L{PREFIX}/lib", f"-Wl,-rpath,{PREFIX}/lib"]
           if PREFIX else [])


def release():
    """(22, 5): of the slurmctld that PATH finds first; (0, 0): there is none. That of
    26.05 scontrol tells only where it finds a slurm.conf."""
    found = shutil.which("slurmctld", path=PATH)
    if not found:
        return 0, 0
    done = subprocess.run([found, "-V"], capture_output=True, text=True, check=True)
    found = re.search(r"(\d+)\.(\d+)", done.stdout)
    return int(found[1]), int(found[2])


def missing(tool):
    """What has to be installed, or None."""
    where = f"in {PREFIX}, which MAUI_SLURM names" if PREFIX else "(scripts/deps test)"
    for name in ("slurmctld", "slurmd", "slurmstepd"):
        found = tool(name + "-wlm", name)
        if not found or (PREFIX and not found.startswith(f"{PREFIX}/")):
            return f"slurm-wlm {where}"
    if not tool("munged"):
        return "munge (scripts/deps test)"
    return None if PLUGINS else f"slurm-wlm-basic-plugins {where}"


def is_against(program):
    """Was that adapter built against it?"""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    return not PREFIX or f"=> {PREFIX}/lib" in done.stdout
