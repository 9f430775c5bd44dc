# SPDX-License-Identifier: Apache-2.0
"""schedctl and changeparam."""
import os
import signal
import subprocess
import time


def blocked(live, job):
    return live.job(job)["section"] == "blocked"


def test_scheduling_is_stopped_stepped_and_resumed(live):
    assert "scheduling will stop immediately" in live.ok("schedctl", "-s")
    job = live.submit()
    time.sleep(0.3)
    assert live.state(job) == "Idle"
    assert "will stop at iteration" in live.ok("schedctl", "-S", "1")
    live.wait(lambda: live.state(job) == "Running", "the start")
    assert live.ok("schedctl", "-r") == "scheduling will resume immediately\n"
    assert "resume in 600 seconds" in live.ok("mschedctl", "-r", "10:00")


def test_statistics_begin_anew(live):
    assert "statistics reset" in live.ok("resetstats")


def test_shutdown_by_command(live):
    pid = live.pid()
    assert live.ok("schedctl", "-k") == "scheduler will be shutdown immediately\n"
    live.gone(pid)


def test_a_change_holds_until_the_file_is_read_again(live):
    first = live.submit()
    live.wait(lambda: live.state(first) == "Running", "the start")
    assert live.ok("changeparam", "USERCFG[DEFAULT]", "MAXJOB=1") == "parameters modified\n"
    second = live.submit()
    live.wait(lambda: blocked(live, second), "the limit")
    live.ok("schedctl", "-R")
    live.wait(lambda: live.state(second) == "Running", "the end of the limit")


def test_a_persistent_change_survives_reading_and_kill_9(live):
    live.ok("changeparam", "--flags", "persistent", "USERCFG[DEFAULT]", "MAXJOB=1")
    live.ok("schedctl", "-m", "BACKFILLPOLICY NONE")
    assert "NONE" in live.ok("schedctl", "-l", "BACKFILLPOLICY")
    os.kill(live.pid(), signal.SIGHUP)
    live.wait(lambda: "NONE" not in live.ok("schedctl", "-l", "BACKFILLPOLICY"), "the file")
    live.kill()
    live.start()
    jobs = [live.submit(), live.submit()]
    live.wait(lambda: live.state(jobs[0]) == "Running" and blocked(live, jobs[1]), "the limit")


def test_a_bad_change_is_refused_and_changes_nothing(live):
    for words, text in ((("BACKFILLPOLICY", "SOMETIMES"), "SOMETIMES"),
                        (("BACKFILPOLICY", "NONE"), "BACKFILLPOLICY"),
                        (("RMPOLLINTERVAL", "soon\nFSDEPTH 3"), "one parameter"),
                        (("FSDEPTH",), "are needed")):
        done = live.run("changeparam", *words)
        assert done.returncode == 1 and text in done.stderr, done
    for words, text in (((), "is needed"), (("-s", "-k"), "do not go together"),
                        (("-s", "5I"), "clients are served"), (("-r", "soon"), "-r:")):
        done = live.run("schedctl", *words)
        assert done.returncode == 1 and text in done.stderr, done
    assert live.ok("showq")


def test_others_may_not(live):
    os.chmod(live.home, 0o755)
    for words in (("schedctl", "-k"), ("changeparam", "FSDEPTH", "3")):
        done = subprocess.run(["setpriv", "--reuid", "nobody", "--regid", "nogroup",
                               "--clear-groups", live.program, *words], env=live.env,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "not authorized" in done.stderr, done
    assert live.ok("showq")
