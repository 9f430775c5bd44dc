# SPDX-License-Identifier: Apache-2.0
"""PAM sessions of jobs: limits and variables of the user, opened as root before the job,
closed after it, by a process that nobody waits for when it hangs."""
import os
import shutil
import subprocess

import pytest

from live_users import Users

LIMITS = "* soft nofile 700\n* hard nofile 777\n* - core 5\n"
TELLER = """#!/bin/sh
echo "$PAM_TYPE $PAM_USER $(id -u)" >>{home}/told
{more}
"""


class Pam:
    """A daemon with a service of its own: nothing of this machine's is used."""

    def __init__(self, daemon):
        users = Users(daemon)
        if not os.path.exists(os.path.join(os.path.dirname(daemon.program), "maui-keeper-pam")):
            pytest.skip("NOT TESTED, PAM sessions: built without libpam0g-dev")
        self.daemon, self.users = daemon, users
        self.service = f"{daemon.home}/pam.d/batch"
        self.out = f"{daemon.home}/out"
        os.mkdir(self.out)
        os.chmod(self.out, 0o777)
        os.mkdir(os.path.dirname(self.service))

    def write(self, name, text):
        path = f"{self.daemon.home}/{name}"
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)
        return path

    def start(self, *lines, more=""):
        """With a service of these lines and one that tells what is opened and closed."""
        teller = self.write("teller", TELLER.format(home=self.daemon.home, more=more))
        with open(self.service, "w") as f:
            for line in (f"optional pam_exec.so {teller}", *lines):
                f.write(f"session {line}\n")
        self.daemon.configure(
            f"RMPOLLINTERVAL 1\nRMCFG[local] TYPE=LOCAL STARTLIMIT=3 KILLGRACE=1 "
            f"PAM={self.service}\nDEFERTIME 5:00\n")
        self.daemon.start()

    def told(self):
        try:
            with open(f"{self.daemon.home}/told") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def row(self, job):
        status, rows = self.daemon.api("/v1/accounting")
        assert status == 200
        found = [r for r in (rows if isinstance(rows, list) else [rows]) if r.get("id") == job]
        return found[0] if found else None


OPENED = ["open_session nobody 0"]
CLOSED = [*OPENED, "close_session nobody 0"]


def running(command):
    return subprocess.run(["pgrep", "-f", f"^{command}$"], capture_output=True,
                          text=True, check=False).stdout


@pytest.fixture
def pam(daemon):
    return Pam(daemon)


def test_a_job_has_the_limits_and_variables_of_its_session(pam):
    limits = pam.write("limits.conf", LIMITS)
    variables = pam.write("variables", "FROM_PAM=yes\nMAUI_JOBID=lie\n")
    pam.start(f"required pam_limits.so conf={limits}",
              f"required pam_env.so conffile=/dev/null readenv=1 envfile={variables}")
    job = pam.users.submit(
        "nobody", output=f"{pam.out}/o", script="#!/bin/sh\nulimit -Sn; ulimit -Hn\n"
        "awk '/core/ {print $5}' /proc/self/limits; echo $FROM_PAM $MAUI_JOBID; id -u; ps -o comm= -p $PPID; exit 3\n")
    pam.daemon.wait(lambda: pam.row(job), "its end")
    with open(f"{pam.out}/o") as f:
        assert f.read().split("\n") == ["700", "777", "5120", f"yes {job}", "65534",
                                        "maui-keeper", ""]
    assert pam.row(job)["exit_status"] == 3
    assert pam.told() == CLOSED


def test_a_session_lasts_as_long_as_any_process_of_the_job(pam):
    """Which gets TERM and, with what it left behind, KILL; the session's process neither."""
    pam.start()
    script = ("#!/bin/sh\ntrap '' TERM\n(trap '' TERM; while :; do sleep 0.1; done) &\n"
              f"echo >{pam.out}/runs\nwhile :; do sleep 0.1; done\n")
    job = pam.users.submit("nobody", script=script)
    pam.daemon.wait(lambda: os.path.exists(f"{pam.out}/runs"), "the start")
    assert pam.told() == OPENED
    pam.daemon.ok("mjobctl", "-s", job)
    pam.daemon.wait(lambda: pam.daemon.state(job) == "Suspended", "the suspension")
    pam.daemon.ok("mjobctl", "-r", job)
    pam.daemon.wait(lambda: pam.daemon.state(job) == "Running", "the resumption")
    assert pam.told() == OPENED
    pam.daemon.ok("canceljob", job)
    pam.daemon.wait(lambda: len(pam.told()) == 2, "its end")
    assert pam.told() == CLOSED


def test_a_refused_session_is_a_failed_start(pam):
    pam.start("required pam_deny.so")
    job = pam.users.submit("nobody")
    pam.daemon.wait(lambda: pam.daemon.job(job).get("defer_until"), "the deferral")
    record = pam.daemon.job(job)
    assert f"PAM service '{pam.service}' refuses user nobody: " in record["hold_text"], record
    assert not record.get("start_at")


def test_a_start_that_fails_in_its_session_closes_it(pam):
    pam.start()
    job = pam.users.submit("nobody", output="/nowhere/at/all")
    pam.daemon.wait(lambda: len(pam.told()) == 2, "the close")
    assert pam.told() == CLOSED
    assert "/nowhere/at/all" in str(pam.daemon.job(job))


def test_a_session_that_hangs_in_opening_is_a_failed_start(pam):
    pam.start(more="exec sleep 4713")
    job = pam.users.submit("nobody")
    pam.daemon.wait(lambda: pam.daemon.job(job).get("defer_until"), "the failed start", 30)
    text = pam.daemon.job(job)["hold_text"]
    assert "hangs at: open a session of the PAM service" in text and pam.service in text
    pam.daemon.wait(lambda: not running("sleep 4713"), "the end of what hangs")


def test_a_session_that_hangs_in_closing_ends(pam):
    pam.start(more="[ $PAM_TYPE = open_session ] || exec sleep 4714")
    job = pam.users.submit("nobody", script="#!/bin/sh\nexit 0\n")
    pam.daemon.wait(lambda: pam.row(job), "its end", 30)
    assert pam.row(job)["state"] == "Completed" and pam.row(job)["exit_status"] == 0
    assert pam.told() == CLOSED and not running("sleep 4714")


@pytest.mark.parametrize("service,says", [
    ("/nowhere/batch", "there is no service '/nowhere/batch'"),
    ("maui-no-such", "there is no service 'maui-no-such' in /etc/pam.d"),
    ("Batch", "lower-case names only, not 'Batch'"),
])
def test_a_service_that_is_not_there_is_told_at_the_start(pam, service, says):
    pam.daemon.configure(f"RMCFG[local] TYPE=LOCAL PAM={service}\n")
    done = pam.daemon.run("serve")
    assert done.returncode != 0 and says in done.stderr, done


def test_only_root_opens_sessions(pam):
    pam.write("pam.d/batch", "session required pam_limits.so\n")
    home = f"{pam.out}/home"
    shutil.copy(os.path.join(os.path.dirname(pam.daemon.program), "maui-serve"), pam.users.bin)
    os.mkdir(home)
    os.chown(home, 65534, 65534)
    with open(f"{home}/maui.cfg", "w") as f:
        f.write(f"RMCFG[local] TYPE=LOCAL SPOOLDIR={home}/spool PAM={pam.service}\n")
    os.chmod(os.path.dirname(pam.service), 0o755)
    done = pam.users.run("nobody", "serve", "--foreground", "--home", home)
    assert done.returncode != 0 and "opened by root alone" in done.stderr, done
