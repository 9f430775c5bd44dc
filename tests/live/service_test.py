# SPDX-License-Identifier: Apache-2.0
"""The daemon as a service: what it tells who started it, and the units of systemd."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import pytest

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"


class Supervisor:
    def __init__(self, daemon):
        self.path = f"{daemon.home}/notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(30)

    def next(self, *wanted):
        """The next message that says one of these, as a dictionary."""
        while True:
            text = self.socket.recv(4000).decode()
            message = dict(line.split("=", 1) for line in text.splitlines())
            if any(word in message for word in wanted):
                return message


def test_a_supervisor_is_told_of_each_turn_of_life(daemon):
    supervisor = Supervisor(daemon)
    env = dict(daemon.env, NOTIFY_SOCKET=supervisor.path, WATCHDOG_USEC="400000")
    process = subprocess.Popen(
        [daemon.program, "serve", "--nodes", "2x2", "--foreground"], env=env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ready = supervisor.next("READY")
        assert ready["READY"] == "1" and "api.sock" in ready["STATUS"]
        assert daemon.api("/v1/identity")[0] == 200  # it answers by then
        assert supervisor.next("WATCHDOG")["WATCHDOG"] == "1"
        assert supervisor.next("WATCHDOG")["WATCHDOG"] == "1"
        process.send_signal(signal.SIGHUP)
        reloading = supervisor.next("RELOADING", "READY")
        assert reloading["RELOADING"] == "1" and int(reloading["MONOTONIC_USEC"]) > 0
        assert supervisor.next("READY")["READY"] == "1"
        daemon.configure("RESERVATIONDEPTH nonsense\n")  # also when it cannot be read
        process.send_signal(signal.SIGHUP)
        assert "RELOADING" in supervisor.next("RELOADING", "READY")
        assert supervisor.next("READY")["READY"] == "1"
        process.send_signal(signal.SIGTERM)
        assert supervisor.next("STOPPING")["STOPPING"] == "1"
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def unit(tmp_path, name, daemon):
    text = (PACKAGING / f"{name}.in").read_text().replace(
        "@bindir@/maui", daemon.program)
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["maui.service", "maui-rm.service", "maui-user.service",
                                  "maui-letgo.service", "maui-watch.service"])
def test_units_are_sound(tmp_path, daemon, name):
    text = unit(tmp_path, name, daemon).read_text()
    if name in ("maui.service", "maui-user.service"):
        assert "Type=notify" in text and "KillMode=process" in text
    assert "NoNewPrivileges=yes" in text
    assert not re.findall(r"@\w+@/", text)
    if shutil.which("systemd-analyze"):
        words = ["systemd-analyze", "verify", "--man=no"]
        if "user" in name:
            words.append("--user")
        done = subprocess.run([*words, tmp_path / name], capture_output=True, text=True,
                              env=dict(os.environ, SYSTEMD_LOG_LEVEL="warning"))
        told = [l for l in done.stderr.splitlines() if name in l]
        assert told == [], done.stderr


@pytest.mark.parametrize("name, most", [("maui.service", 7.0), ("maui-rm.service", 2.0)])
def test_the_units_of_the_machine_are_confined(tmp_path, daemon, name, most):
    if not shutil.which("systemd-analyze"):
        pytest.skip("there is no systemd-analyze")
    path = unit(tmp_path, name, daemon)
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager",
                           path], capture_output=True, text=True)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    if not found:
        pytest.skip(f"it cannot look: {done.stderr[:200]}")
    assert float(found[1]) <= most, done.stdout[-300:]


def filtered(text):
    """What the unit's SystemCallFilter= allows: its lines in turn, groups taken apart."""
    groups, name = {}, None
    listed = subprocess.run(["systemd-analyze", "syscall-filter"], capture_output=True,
                            text=True, check=True).stdout
    for line in listed.splitlines():
        if line.startswith("@"):
            groups[name := line.strip()] = set()
        elif name and line.startswith("    ") and not line.strip().startswith("#"):
            groups[name].add(line.strip())

    def calls(word):
        return set().union(*map(calls, groups[word])) if word.startswith("@") else {word}

    allowed = calls("@default")
    for words in re.findall(r"^SystemCallFilter=(.*)$", text, re.M):
        named = set().union(*map(calls, words.lstrip("~").split()))
        allowed = allowed - named if words.startswith("~") else allowed | named
    return allowed


def test_no_filter_ends_the_copy_that_a_question_is_asked_of():
    text = (PACKAGING / "maui-rm.service.in").read_text()
    assert "\nSystemCallErrorNumber=EPERM\n" in text
    if not shutil.which("systemd-analyze"):
        pytest.skip("there is no systemd-analyze")
    allowed = filtered(text)
    assert "ioprio_set" not in allowed and "mount" not in allowed  # it does filter
    source = (PACKAGING.parent / "src/server/process/lowly.c").read_text()
    known = {"prctl": "prctl", "getppid": "getppid", "signal": "rt_sigaction",
             "sigprocmask": "rt_sigprocmask", "setpriority": "setpriority",
             "setrlimit": "prlimit64", "open": "openat", "read": "read", "write": "write",
             "close": "close", "close_range": "close_range", "_exit": "exit_group"}
    used = {known[name] for name in re.findall(r"\b(\w+)\(", source) if name in known}
    assert {"setpriority", "prlimit64", "close_range"} <= used
    assert used <= allowed, used - allowed


@pytest.mark.parametrize("name", ["maui.service", "maui-rm.service", "maui-user.service"])
def test_one_child_without_memory_does_not_end_the_service(name):
    assert "\nOOMPolicy=continue\n" in (PACKAGING / f"{name}.in").read_text()
