# SPDX-License-Identifier: Apache-2.0
"""The log file: where, how much, how long."""
import os
import signal


def lines(path):
    with open(path) as f:
        return f.read().splitlines()


def test_the_level_changes_by_changeparam_and_by_signals(daemon):
    daemon.configure("LOGLEVEL 0\n")
    daemon.run("serve", "--nodes", "1")

    def requests():
        return sum("showq GET" in line for line in daemon.log().splitlines())

    daemon.ok("showq")
    assert requests() == 0
    daemon.ok("changeparam", "LOGLEVEL", "3")
    daemon.ok("showq")
    assert requests() > 0
    daemon.ok("changeparam", "LOGLEVEL", "2")
    before = requests()
    daemon.ok("showq")
    assert requests() == before
    os.kill(daemon.pid(), signal.SIGUSR1)
    daemon.wait(lambda: "the log level is 3 now" in daemon.log(), "the signal")
    daemon.ok("showq")
    assert requests() > before
    os.kill(daemon.pid(), signal.SIGUSR2)
    daemon.wait(lambda: "the log level is 2 now" in daemon.log(), "the signal")
    before = requests()
    daemon.ok("showq")
    assert requests() == before


def test_changeparam_outweighs_the_command_line(live):
    """-L is for the start; who changes the level later means it."""
    live.ok("changeparam", "LOGLEVEL", "1")
    before = len(live.log().splitlines())
    for _ in range(5):
        live.ok("showq")
    assert len(live.log().splitlines()) == before


def test_the_log_is_where_and_as_long_as_the_parameters_say(daemon):
    daemon.configure("LOGDIR logs\nLOGFILE scheduler.log\nLOGFILEMAXSIZE 1500\n"
                     "LOGFILEROLLDEPTH 3\nLOGLEVEL 5\n")
    assert daemon.run("serve", "--nodes", "1").returncode == 0
    folder = f"{daemon.home}/logs"
    for _ in range(200):
        daemon.api("/v1/identity")
        if os.path.exists(f"{folder}/scheduler.log.3"):
            break
    files = sorted(f for f in os.listdir(folder) if f.startswith("scheduler"))
    assert files == ["scheduler.log"] + [f"scheduler.log.{i}" for i in (1, 2, 3)]
    assert all(os.path.getsize(f"{folder}/{f}") < 2500 for f in files)
    elsewhere = f"{daemon.home}/elsewhere.log"
    daemon.ok("changeparam", "LOGFILE", elsewhere)
    assert any("configuration read again" in line for line in lines(elsewhere))
    done = daemon.run("changeparam", "USESYSLOG", "TRUE:nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr


def test_facilities_leave_out_what_is_no_warning(daemon):
    daemon.configure("LOGFACILITY fRM:fSCHED\n")
    daemon.start()
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "the end")
    log = daemon.log()
    assert f"job '{job}': start" in log
    assert "GET /v1" not in log and "is running as process" not in log
