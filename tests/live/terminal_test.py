# SPDX-License-Identifier: Apache-2.0
"""On a terminal lines fit its width and states are coloured; a pipe has the classic
layouts as they are."""
import fcntl
import os
import re
import struct
import subprocess
import termios

import pytest

from live_daemon import Daemon

# An idle job's reason, a held one, a running one, and whatever makes lines long.
CONFIG = """QOSCFG[a_quality_of_service_with_a_name] PRIORITY=1
CLASSCFG[short] PRIORITY=5
USERCFG[DEFAULT] MAXIJOB=9 QLIST=a_quality_of_service_with_a_name
"""
COMMANDS = (["showq"], ["showq", "-b"], ["showq", "-i"], ["showq", "-r"], ["checkjob", "1"], ["checkjob", "2"],
            ["checknode", "node01"], ["diagnose", "-j"], ["diagnose", "-n"], ["diagnose", "-u"],
            ["diagnose", "-r"], ["diagnose", "-c"], ["diagnose", "-Q"], ["showres"],
            ["showres", "-n"], ["showbf"], ["showstats"], ["showstats", "-u"], ["mshow", "-q"], ["mshow", "-a"])


@pytest.fixture(scope="module")
def site(build):
    d = Daemon(build / "src" / "client" / "maui")
    d.configure(CONFIG)
    d.start()
    running = d.submit("sleep 6000", name="first", wclimit_s=86400)  # it outlives all looks
    d.wait(lambda: d.state(running) == "Running", "the start")
    d.submit(hold=True)
    d.ok("setres", "-n", "patch", "-s", "+10:00:00", "-d", "1:00:00", "ALL")
    yield d
    d.clean()


def on_terminal(daemon, words, columns, **env):
    """What stands on a terminal of so many columns. TERM is that of a real one."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # newlines as they are
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    env = {**daemon.env, "TERM": "xterm", "COLUMNS": None, "NO_COLOR": None, **env}
    env = {k: v for k, v in env.items() if v is not None}
    with subprocess.Popen([daemon.program, *words], env=env, stdin=subprocess.DEVNULL,
                          stdout=slave, stderr=subprocess.PIPE) as child:
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            text += part
        errors = child.stderr.read()
    os.close(master)
    assert child.returncode == 0, errors
    return text.decode()


def said(text):
    """Its words; times pass between two looks."""
    return re.sub(r"-?[\d:.]+", "0", re.sub(r"\033\[\d*m", "", text)).split()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_lines_fit_terminals_of_any_width_and_say_the_same(site, words):
    piped = site.ok(*words)
    assert "\033" not in piped
    for columns in (40, 80, 132, 200):
        text = on_terminal(site, words, columns)
        for line in re.sub(r"\033\[\d*m", "", text).splitlines():
            assert len(line) <= columns or " " not in line.strip(), (columns, line)
        assert said(text) == said(piped), columns


def test_states_headings_and_reasons_are_coloured_where_that_is_wanted(site):
    assert "\033[1mACTIVE JOBS" in on_terminal(site, ["showq"], 80)
    assert "\033[32mRunning\033[m" in on_terminal(site, ["showq"], 80)
    assert "State: \033[33mUserHold\033[m\n" in on_terminal(site, ["checkjob", "2"], 132)
    assert "\033[33mcannot select job 2" in on_terminal(site, ["checkjob", "2"], 132)
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
        assert "\033" not in on_terminal(site, ["showq"], 80, **env), env
    assert "\033[32m" in on_terminal(site, ["showq"], 80, NO_COLOR="")


def test_columns_of_the_environment_wins_and_json_stays_as_it_is(site):
    narrow = on_terminal(site, ["diagnose", "-u"], 200, COLUMNS="40", NO_COLOR="1")
    assert max(map(len, narrow.splitlines())) <= 40
    assert any(line.startswith("    ") for line in narrow.splitlines())
    words = ["showq", "--format", "json"]
    assert said(on_terminal(site, words, 40)) == said(site.ok(*words))


def test_who_stops_reading_is_no_fault_and_a_full_disk_is_told(site):
    site.submit(array="1-1500", hold=True, name="many")
    assert len(site.ok("showq", "-b")) > 64 * 1024  # more than a pipe holds
    done = subprocess.run(f"{site.program} showq -b | head -n 1", shell=True, env=site.env,
                          capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.stdout.count("\n") == 1
    status, errors = stops_reading(site, "showq", "-b")  # there is nothing that would end it
    assert status == 1 and "could not be written" in errors
    with open("/dev/full", "w") as full:
        done = subprocess.run([site.program, "showq"], env=site.env, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and "could not be written" in done.stderr


def stops_reading(daemon, *words):
    """A terminal that goes away in the middle: status and errors."""
    master, slave = os.openpty()
    with subprocess.Popen([daemon.program, *words], env={**daemon.env, "TERM": "xterm", "COLUMNS": "80"},
                          stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE) as child:
        os.close(slave)
        os.read(master, 1024)
        os.close(master)
        errors = child.stderr.read()
        return child.wait(60), errors.decode()
