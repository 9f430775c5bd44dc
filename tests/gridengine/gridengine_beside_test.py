# SPDX-License-Identifier: Apache-2.0
"""A real Grid Engine beside a LOCAL resource manager, which is the first; and beside PBS,
whose commands have the same names."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pbs"))
from recorded import Recorded  # noqa: E402


def begin(ge):
    ge.maui.configure("RMCFG[here] TYPE=LOCAL NODES=2x2\nRMCFG[ge] TYPE=SGE POLLINTERVAL=1\n"
                      "RMPOLLINTERVAL 1\nADMIN1 root\n")
    ge.maui.start()


def local(ge, script, *options):
    return ge.maui.ok("msub", *options, stdin=f"#!/bin/sh\n{script}\n").split()[-1]


def test_jobs_of_both_run_when_one_is_killed_and_when_one_is_away(ge):
    begin(ge)
    theirs, mine = ge.submit("alice", "sleep 600"), local(ge, "sleep 600")
    here = f"ge.{theirs}"
    ge.maui.until(here, "Running")
    ge.maui.until(mine, "Running")
    assert ge.maui.job(here)["rm"] == "ge" and ge.maui.job(mine)["rm"] == "here"
    after = local(ge, "true", "-l", f"depend=afterany:{here}")
    began = ge.maui.job(here)["start_at"]
    waits = ge.submit("bob", "true", "-h", "-pe", "mpi", 5)
    ge.maui.until(f"ge.{waits}", "Hold")
    ge.maui.kill()
    ge.maui.start()
    ge.maui.until(here, "Running")
    ge.maui.until(mine, "Running")
    ge.kill_master()
    try:
        ge.maui.wait(lambda: "Down" in ge.maui.ok("diagnose", "-R"), "it is missed", 30)
        short = local(ge, "true")
        ge.maui.until(short, "Completed")
        assert ge.maui.job(here)["state"] == "Running"
        assert ge.maui.job(after)["state"] == "Idle"
        assert ge.maui.state(f"ge.{waits}") == "Hold"
    finally:
        ge.start_master()
    ge.maui.wait(lambda: "Down" not in ge.maui.ok("diagnose", "-R"), "it is back", 60)
    ge.run("qrls", waits, user="bob")
    ge.maui.until(f"ge.{waits}", "Completed")
    assert ge.maui.job(here)["start_at"] == began and not ge.accounted(theirs)
    ge.maui.ok("canceljob", here)
    ge.maui.until(after, "Completed")
    ge.wait(lambda: theirs not in ge.run("qstat", "-u", "*").split(), "its end there")


def test_its_line_comes_and_goes_while_jobs_run(ge):
    begin(ge)
    theirs, mine = ge.submit("bob", "sleep 600"), local(ge, "sleep 600")
    ge.maui.until(f"ge.{theirs}", "Running")
    ge.maui.until(mine, "Running")
    ge.maui.configure("RMCFG[here] TYPE=LOCAL NODES=2x2\nRMPOLLINTERVAL 1\nADMIN1 root\n")
    ge.maui.ok("schedctl", "-R")
    ge.wait(lambda: "RM[ge]" not in ge.maui.ok("diagnose", "-R"), "that it is gone")
    ge.maui.until(mine, "Running")
    assert ge.state(theirs) == "r"
    ge.maui.configure("RMCFG[here] TYPE=LOCAL NODES=2x2\nRMCFG[ge] TYPE=SGE POLLINTERVAL=1\n"
                      "RMPOLLINTERVAL 1\nADMIN1 root\n")
    ge.maui.ok("schedctl", "-R")
    ge.maui.until(f"ge.{theirs}", "Running")
    assert ge.maui.state(mine) == "Running" and ge.state(theirs) == "r"


def test_two_whose_commands_have_the_same_names_are_asked_by_their_own(ge):
    """None is in PATH before the other: without BINDIR check and serve refuse both."""
    pbs = Recorded(pathlib.Path(ge.maui.home) / "recorded")
    plain = "RMCFG[pbs] TYPE=PBS POLLINTERVAL=1\nRMCFG[ge] TYPE=SGE POLLINTERVAL=1\nADMIN1 root\n"
    ge.maui.configure(plain)
    for word in ("check", "serve"):
        refused = ge.maui.run(word)
        assert refused.returncode == 1
        assert "SGE and RMCFG[pbs] would be asked by the same commands" in refused.stdout + refused.stderr
    ge.maui.configure(plain + f"RMCFG[pbs] BINDIR={pbs.bin} "
                      f"ENV=PBS_RECORDED={pbs.folder};PBS_EXEC={pbs.exec}\nRMPOLLINTERVAL 1\n")
    ge.maui.start()
    theirs = ge.submit("alice", "sleep 600")
    ge.maui.until(f"ge.{theirs}", "Running")

    def qsub(*options):
        return ge.run("env", f"PBS_RECORDED={pbs.folder}", pbs.bin / "qsub", *options).split(".")[0]

    mine = "pbs." + qsub("-l", "select=1:ncpus=1")
    ge.maui.until(mine, "Running")
    assert ge.maui.job(mine)["rm"] == "pbs" and ge.maui.job(f"ge.{theirs}")["rm"] == "ge"
    ge.run("kill", "-9", ge.maui.adapter())
    ge.maui.kill()
    ge.maui.start()
    ge.maui.until(f"ge.{theirs}", "Running")
    ge.maui.until(mine, "Running")
    assert len(pbs.starts()) == 1
    ge.maui.ok("canceljob", mine)
    ge.maui.ok("canceljob", f"ge.{theirs}")
    ge.wait(lambda: theirs not in ge.run("qstat", "-u", "*").split(), "its end there")
    ge.maui.wait(lambda: ge.maui.state(mine) != "Running", "its end in PBS")
