# SPDX-License-Identifier: Apache-2.0
"""Exit statuses are the same of all commands: 0 all was done, 1 refused, not found, not
done, or called wrongly. Why stands on standard error, and nothing on standard output."""
import os
import pathlib
import re

import pytest

from live_daemon import Daemon
from live_users import Users, need_users

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFINED = re.findall(r"^COMMAND\(([\w-]+), \w+, (\w+)",
                     (ROOT / "src/client/commands.def").read_text(), re.M)
ALL = [name for name, _ in DEFINED]
ASKING = [name for name, where in DEFINED if where == "CLIENT"]

# How each asks for something that there is not.
MISSING = {
    "checkjob": ["999"], "showstart": ["999"], "canceljob": ["999"], "mjobctl": ["-c", "999"],
    "runjob": ["999"], "sethold": ["999"], "releasehold": ["999"], "setspri": ["5", "999"],
    "setupri": ["5", "999"], "setqos": ["high", "999"], "setdeadline": ["+1:00:00", "999"],
    "releasedeadline": ["999"], "releaseres": ["none.0"], "mrsvctl": ["-r", "none.0"],
    "mresctl": ["-r", "none.0"], "checknode": ["nowhere"], "setres": ["nowhere"],
    "showres": ["none.0"], "changeparam": ["NOSUCHPARAMETER", "1"], "whatif": ["canceljob", "999"],
    "showq": ["-p", "nowhere"], "showbf": ["-p", "nowhere"], "msub": ["/no/such/script"],
}

# What ordinary users may not, with a job of somebody else.
FORBIDDEN = {
    "canceljob": ["1"], "mjobctl": ["-c", "1"], "runjob": ["1"], "sethold": ["1"],
    "releasehold": ["1"], "setspri": ["5", "1"], "setupri": ["5", "1"], "setqos": ["high", "1"],
    "setres": ["node01"], "mrsvctl": ["-c", "-h", "node01"], "releaseres": ["kept.0"],
    "changeparam": ["RESERVATIONDEPTH", "4"], "schedctl": ["-k"], "mschedctl": ["-k"],
    "resetstats": [], "mam-deposit": ["-a", "chem", "-z", "5"],
}


@pytest.fixture(scope="module")
def site(build):
    d = Daemon(build / "src" / "client" / "maui")
    d.configure("RMCFG[local] TYPE=LOCAL NODES=2x2\nAMCFG[bank] TYPE=BUILTIN\n"
                "QOSCFG[high] PRIORITY=1\nADMIN1 root\n")
    d.start("--paused")
    os.chmod(d.home, 0o755)
    d.ok("msub", "-l", "procs=1", stdin="true\n")
    d.ok("setres", "-n", "kept", "node02")
    yield d
    d.clean()


@pytest.fixture
def away(build):
    d = Daemon(build / "src" / "client" / "maui")
    yield d
    d.clean()


def assert_refused(done, words):
    assert done.returncode == 1, (words, done.returncode, done.stdout, done.stderr)
    assert done.stderr.strip() and not done.stdout, (words, done.stdout, done.stderr)


@pytest.mark.parametrize("command", ALL)
def test_a_wrong_call_of_any_command_is_1(away, command):
    for words in ((command, "--no-such-option"), (command, "-~")):
        assert_refused(away.run(*words), words)


def test_no_command_and_an_unknown_one_are_1(away):
    assert_refused(away.run("checkjbo"), "checkjbo")
    assert_refused(away.run(), "")


@pytest.mark.parametrize("command", ALL)
def test_help_is_0(away, command):
    done = away.run(command, "--help")
    assert done.returncode == 0 and done.stdout and not done.stderr


@pytest.mark.parametrize("command", ASKING)
def test_a_daemon_that_is_away_is_1(away, command):
    """Words that would do for a daemon, where a command needs some."""
    words = [command, *MISSING.get(command, FORBIDDEN.get(command, []))]
    done = away.run(*words, stdin="true\n")
    assert done.returncode == 1 and done.stderr.strip(), (done.stdout, done.stderr)


@pytest.mark.parametrize("command", MISSING)
def test_what_is_not_there_is_1(site, command):
    words = [command, *MISSING[command]]
    assert_refused(site.run(*words, stdin="true\n"), words)


@pytest.mark.parametrize("command", FORBIDDEN)
def test_what_is_not_allowed_is_1(site, command):
    need_users()
    words = [command, *FORBIDDEN[command]]
    done = Users(site).run("nobody", *words)
    assert_refused(done, words)
