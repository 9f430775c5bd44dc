# SPDX-License-Identifier: Apache-2.0
"""mschedctl: the scheduler in the words of Moab; who may."""
import json

import pytest

from live_daemon import ME


ORDERS = [("-p",), ("-r",), ("-R",), ("-s",), ("-S",), ("-k",), ("-A", "x"),
          ("-c", "message", "x"), ("-d", "message:1"), ("-f", "usage"), ("-L", "3"),
          ("-m", "config", "FSDEPTH 4")]


@pytest.mark.parametrize("words", ORDERS, ids=" ".join)
def test_orders_are_for_administrators_of_level_1(matrix, words):
    daemon, users = matrix
    for user in ("bin", "daemon", "nobody"):
        assert "not authorized to run command" in users.refused(user, "mschedctl", *words)
    if words != ("-k",):
        daemon.ok("mschedctl", "-A", "x")  # something to take away
        daemon.ok("mschedctl", *words)


def test_lists_are_for_administrators_of_every_level(matrix):
    _, users = matrix
    for what in ("config", "message"):
        users.ok("daemon", "mschedctl", "-l", what)
        assert "not authorized" in users.refused("nobody", "mschedctl", "-l", what)


def test_messages_stay_until_they_are_taken_away(live):
    assert live.ok("mschedctl", "-A", "disks at noon") == "message 1 created\n"
    assert live.ok("mschedctl", "-c", "message", "ä & \"b\"") == "message 2 created\n"
    live.kill()
    live.start()
    assert live.ok("mschedctl", "-l", "message").splitlines() == [
        f"[1] disks at noon ({ME})", f"[2] ä & \"b\" ({ME})"]
    assert f"Message:  [1] disks at noon ({ME})\n" in live.ok("diagnose", "-S")
    assert live.ok("mschedctl", "-d", "message:1") == "message 1 removed\n"
    assert json.loads(live.ok("mschedctl", "-l", "message", "--format", "json")) == [
        f"[2] ä & \"b\" ({ME})"]
    done = live.run("mschedctl", "-d", "message:1")
    assert done.returncode == 1 and done.stderr == "ERROR:    there is no message 1\n"
    assert live.ok("mschedctl", "-A", "third") == "message 3 created\n"


def test_too_many_and_too_long_messages_are_refused(live):
    assert "1 to 500 bytes" in live.run("mschedctl", "-A", "x" * 501).stderr
    assert "1 to 500 bytes" in live.run("mschedctl", "-A", "").stderr
    for _ in range(100):
        assert live.api("/v1/scheduler", {"action": "annotate", "text": "x"})[0] == 200
    assert "100 messages already" in live.run("mschedctl", "-A", "x").stderr


def test_pausing_and_changing_parameters(live):
    assert "scheduling will stop immediately" in live.ok("mschedctl", "-p")
    assert live.api("/v1/scheduler")[1]["state"] == "paused"
    live.ok("mschedctl", "-m", "config", "FSDEPTH 5")
    assert "FSDEPTH" in live.ok("mschedctl", "-l", "config", "FSDEPTH")
    assert live.ok("mschedctl", "-L", "4", "other.log") == "parameters modified\n" * 2
    live.wait(lambda: live.run("showconfig", "LOGFILE").stdout.strip().endswith("other.log"),
              "the other file")


def test_flushing_begins_to_count_anew_for_good(daemon):
    daemon.configure("FSPOLICY DEDICATEDPS\nRMPOLLINTERVAL 1\n")
    daemon.start()
    daemon.submit("sleep 1.5")
    daemon.wait(lambda: len(daemon.lines("showq")) == 1
                and daemon.api("/v1/statistics")[1]["completed_jobs"] == 1, "the end")
    assert ME in daemon.ok("diagnose", "-f")
    assert daemon.ok("mschedctl", "-f", "fairshare") == "fairshare flushed\n"
    daemon.kill()
    daemon.start()
    assert ME not in daemon.ok("diagnose", "-f")
    assert daemon.api("/v1/statistics")[1]["completed_jobs"] == 1
    assert daemon.ok("mschedctl", "-f", "all") == "usage and fairshare flushed\n"
    assert daemon.api("/v1/statistics")[1]["completed_jobs"] == 0
    daemon.stop()
    daemon.ok("replay", "--verify")


@pytest.mark.parametrize("words,complaint", [
    ((), "one of -A -c -d -f"),
    (("-p", "-r"), "-p and -r do not go together"),
    (("-f", "estimates"), "none are kept"),
    (("-f", "moon"), "what: expected usage, fairshare or all"),
    (("-c", "trigger", "x"), "setres -T"),
    (("-d", "trigger:1"), "mrsvctl -m trigger="),
    (("-d", "message:x"), "expected message:N"),
    (("-l", "message", "x"), "'x' is too much"),
    (("-L", "99"), "LOGLEVEL"),
])
def test_mschedctl_says_what_is_wrong(matrix, words, complaint):
    done = matrix[0].run("mschedctl", *words)
    assert done.returncode == 1 and done.stdout == ""
    assert complaint in done.stderr
