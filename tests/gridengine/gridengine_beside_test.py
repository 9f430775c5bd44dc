# SPDX-License-Identifier: Apache-2.0
"""A real Grid Engine beside a LOCAL resource manager, which is the first."""


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
    ge.maui.kill()
    ge.maui.start()
    ge.maui.until(here, "Running")
    ge.maui.until(mine, "Running")
    ge.kill_master()
    try:
        short = local(ge, "true")
        ge.maui.until(short, "Completed")
        assert ge.maui.job(here)["state"] == "Running"
        assert ge.maui.job(after)["state"] == "Idle"
    finally:
        ge.start_master()
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
