# SPDX-License-Identifier: Apache-2.0
"""The live twin: random sessions of several people at a live daemon under a driven clock
obey a model of rights and what must hold, and are the simulation's, step by step.

MAUI_TWIN_SEED: another seed. scripts/twin goes on for as long as wanted."""
import os

import pytest

import hunt
from driven import Live, Person

BEGIN = 1893456000  # 2030-01-01
CHARGED = """ADMIN1 root
RMPOLLINTERVAL 10
NODECFG[n1] CFGPROCS=1
NODECFG[n2] CFGPROCS=4
NODEACCESSPOLICY SINGLEJOB
FSPOLICY DEDICATEDPS
FSINTERVAL 1:00:00
RESCTLPOLICY ANY
"""
FIRST = int(os.environ.get("MAUI_TWIN_SEED", 1))


@pytest.mark.parametrize("seed", [FIRST, *(pytest.param(FIRST + n, marks=pytest.mark.long(
    "test_a_session_is_the_simulations")) for n in (1, 2, 3))])
def test_a_session_is_the_simulations(build, seed):
    program = build / "src" / "client" / "maui"
    found, session, compared = hunt.attempt(program, seed, instants=20)
    assert not found, hunt.report(found, session)
    print(session.commands, "commands,", session.restarts, "restarts, compared", compared)


# What once found something: parameters changed before a restart ended a deferral (another
# limit was in its job's way by then); a list in the order in which users were first seen.
@pytest.mark.skipif(os.geteuid() != 0, reason="as root several people play, another session")
@pytest.mark.parametrize("seed", [800175, 800050])
def test_a_session_that_found_something_is_the_simulations(build, seed):
    found, session, _ = hunt.attempt(build / "src" / "client" / "maui", seed)
    assert not found, hunt.report(found, session)


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_what_lies_idle_in_a_reservation_is_paid_for_across_a_restart(build):
    """Fairshare is the same whether the daemon was restarted or not, during the reservation
    or when it is over."""
    def usage(restart_at):
        live = Live(build / "src" / "client" / "maui", CHARGED, BEGIN)
        try:
            live.begin()
            live.move(BEGIN + 30)
            told = live.command(Person("daemon", 0),
                ["msub", "-d", "/tmp", "-o", "/dev/null", "-e", "/dev/null", "-l",
                 "procs=1,walltime=280"], live.script("job", False))
            assert told[0] == 0, told
            live.iterate()
            live.settle()
            live.move(BEGIN + 50)
            told = live.command(Person("games", 0), ["setres", "-u", "daemon", "-s", "+0",
                                                     "-d", "160", "ALL"])
            assert told[0] == 0, told
            for at in range(60, 250, 10):
                live.move(BEGIN + at)
                live.iterate()
                if at == restart_at:
                    live.kill()
                    live.begin()
                    live.settle()
            return sorted(live.ok("diagnose", "-f").splitlines())
        finally:
            live.clean()

    assert usage(70) == usage(230) == usage(None)
