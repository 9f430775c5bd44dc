# SPDX-License-Identifier: Apache-2.0
"""The table of options in docs/slurm.md is whole: each option of sbatch, srun and salloc
that their manuals have stands in it, and what it says tests an option is there."""
import gzip
import os
import pathlib
import re
import subprocess

import pytest

import slurm_cluster
import slurm_release
import twin_accounts
import twin_probes

ROOT = pathlib.Path(__file__).resolve().parents[2]
# of srun alone: how steps run and how they speak to their terminal, which begins when the
# job has its nodes
STEPS = set("""--bcast --bcast-exclude --compress --cpu-bind --debugger-test --disable-status --epilog --exact
    --het-group --input --interactive --jobid --kill-on-bad-exit --label --mpi --msg-timeout
    --multi-prog --no-allocate --overlap --preserve-env --prolog --pty --quit-on-interrupt
    --relative --resv-ports --send-libs --slurmd-debug --task-epilog --task-prolog
    --tres-per-task --unbuffered --whole --accel-bind -E -I -K -l -r -T -u -X -Z -P""".split())


def page(command):
    for folder in slurm_release.MANUALS:
        for path in pathlib.Path(folder).glob(f"{command}.1*"):
            data = path.read_bytes()
            return (gzip.decompress(data) if path.suffix == ".gz" else data).decode(
                errors="replace")
    pytest.skip(f"the manual page of {command} is not installed")


def manual(command):
    """Names of each option of its manual page: lines that begin with them in bold."""
    found = set()
    for line in page(command).splitlines():
        line = re.sub(r"^\.(B|BR|IP) |\\f[BIR]", "", line.replace("\\-", "-"))
        if re.match(r"-{1,2}[A-Za-z]", line):
            names = [re.match(r"(--[a-z][a-z-]*[a-z]|-[A-Za-z])(?![A-Za-z-])", part)
                     for part in line.split(", ")]
            if names[0]:
                found.add(tuple(n[1] for n in names if n))
    return found


def table():
    """Rows of the table: (cells)."""
    text = (ROOT / "docs/slurm.md").read_text()
    part = text[text.index("## Options of sbatch"):text.index("## Through scontrol")]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", l)[1:-1]]
            for l in part.splitlines() if l.startswith("| ") and "---" not in l][1:]


def said():
    names = set()
    for row in table():
        names |= set(re.findall(r"(?<![\w-])--?[A-Za-z][A-Za-z-]*", row[0]))
    return names


def stands(option, names):
    return option in STEPS or any(
        n == option or (n.endswith("-") and option.startswith(n)) for n in names)


@pytest.mark.parametrize("command", ["sbatch", "salloc", "srun"])
def test_every_option_of_the_manual_is_in_the_table(command):
    options, names = manual(command), said()
    assert len(options) > 80, sorted(options)
    for option in options:  # in the text they stand alone
        names |= set(option) if any(stands(name, names) for name in option) else set()
    missing = [o for o in options if not any(stands(name, names) for name in o)]
    assert not missing, sorted(missing)


@pytest.mark.parametrize("command", ["sbatch", "salloc", "srun"])
def test_every_option_that_the_command_itself_names_is_in_the_table(command, tmp_path):
    """Of the release that is installed, which may be another than that of the manuals."""
    program = slurm_cluster.tool(command)
    if program is None:
        pytest.skip(f"{command} is not installed")
    conf = tmp_path / "slurm.conf"
    conf.write_text("ClusterName=c\nSlurmctldHost=localhost\nNodeName=n\nPartitionName=p Nodes=n\n")
    text = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60,
                          check=True, env=dict(os.environ, SLURM_CONF=str(conf))).stdout
    options = re.findall(r"^ +(?:(-\w), +)?(--[a-z][a-z-]+)", text, re.M)
    names = said()
    assert len(options) > 50, sorted(options)
    assert not [o for o in options if not any(stands(name, names) for name in o)]


def test_what_the_table_says_tests_an_option_is_there():
    known = {p.name for p in (*twin_probes.PROBES, *twin_accounts.PROBES)}
    for path in pathlib.Path(__file__).parent.glob("*_test.py"):
        known |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.M))
    rows = table()
    assert len(rows) > 40
    for row in rows:
        if row[-1] == "no":
            continue
        for name in re.findall(r"`(\w+)`", row[-1]):
            assert name in known, row
