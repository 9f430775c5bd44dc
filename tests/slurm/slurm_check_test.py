# SPDX-License-Identifier: Apache-2.0
"""`maui slurm check` names what is wrong with a site. What slurmctld runs with, jobs past
the gate and what an ordinary user does not see: slurm_gate_test.py; here all else that makes
a site go wrong, each on a real Slurm that is so."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest
import slurm_accounting
import slurm_release

CLUSTER = {"nodes": 2, "open_after": 3600}


def check(slurm, *program, home=None):
    """Its lines, by slurm's own program or another."""
    done = slurm.run(*(program or slurm.gate_program), "check", "--home",
                     home or slurm.maui.home)
    return done.stdout.splitlines() + done.stderr.splitlines()


def one(lines, *words):
    """The only line that has them all."""
    found = [l for l in lines if all(w in l for w in words)]
    assert len(found) == 1, (words, lines)
    return found[0]


def as_host(name, hosts):
    """Before a command: on a machine of that name, whose /etc/hosts says that."""
    return ("unshare", "--uts", "--mount", "sh", "-c",
            'hostname "$1" && echo "$2" >"$3" && mount --bind "$3" /etc/hosts && '
            'shift 3 && exec "$@"', "sh", name, hosts, "/tmp/.maui-hosts")


def may_be_elsewhere():
    return os.geteuid() == 0 and subprocess.run(
        [*as_host("elsewhere", ""), "true"], check=False, capture_output=True).returncode == 0


elsewhere = pytest.mark.skipif(not may_be_elsewhere(),
                               reason="needs a host's name of its own, as root")


@pytest.fixture
def conf(slurm):
    """slurm.conf, which is as it was afterwards."""
    path = pathlib.Path(slurm.dir, "etc/slurm.conf")
    right = path.read_text()
    yield path
    path.write_text(right)


def test_what_slurmctld_has_not_read_yet_is_told(slurm, conf):
    right = conf.read_text()
    assert not any("slurm.conf here" in l for l in check(slurm))
    wrong = right.replace("JobSubmitPlugins=lua\n", "").replace("Epilog=/bin/true", "")
    conf.write_text(wrong)
    line = one(check(slurm), "slurm.conf here", "wrong")
    assert line.startswith("warning: ") and "JobSubmitPlugins, Epilog" in line
    assert "`maui slurm install` mends it" in line
    conf.write_text(wrong.replace("SchedulerParameters=",
                                  "SchedulerParameters=sched_interval=-1,"))
    line = one(check(slurm), "slurm.conf here", "wrong")
    assert "sched_interval=-1 turns off" in line and "install" not in line
    conf.write_text(wrong)
    slurm.restart("slurmctld", signal.SIGTERM)
    slurm.wait(lambda: "UP" in slurm.run("scontrol", "ping").stdout, "slurmctld")
    try:
        assert one(check(slurm), "JobSubmitPlugins=: ").startswith("error: ")
        conf.write_text(right)
        lines = check(slurm)
        assert lines[0].startswith("error: slurm.conf here has JobSubmitPlugins, Epilog right"), lines
        assert "restart slurmctld; until then: without the gate" in lines[0]
        assert not any("JobSubmitPlugins=" in l for l in lines), lines
    finally:
        conf.write_text(right)
        slurm.restart("slurmctld", signal.SIGTERM)
        slurm.wait(slurm.all_up, "all nodes")
    assert not any("slurm.conf here" in l for l in check(slurm))


@elsewhere
def test_a_login_nodes_slurm_conf_is_none_that_slurmctld_reads(slurm, conf):
    """And which machine is slurmctld's: by its name, short or with its domain, in whatever
    letters, or by another name of its address."""
    conf.write_text(conf.read_text().replace("JobSubmitPlugins=lua\n", ""))
    name = socket.gethostname().split(".")[0]

    def looks(own, hosts):
        lines = check(slurm, *as_host(own, hosts), *slurm.gate_program)
        skipped = any("is not compared" in l for l in lines)
        assert skipped != any("JobSubmitPlugins wrong" in l for l in lines), lines
        return not skipped
    away, other = f"192.0.2.1 {name}", f"192.0.2.1 {name} head.example.org"
    assert not looks("login1", away)
    assert not looks(f"{name}2", away)
    assert looks(name.upper(), away)
    assert looks(f"{name}.example.org", other)
    assert looks("node17", f"127.0.0.1 {name}")


def test_why_slurmctld_has_not_started_is_told(slurm, conf):
    """As with a plugin that is not there, or of another release."""
    conf.write_text(conf.read_text().replace("JobSubmitPlugins=lua",
                                             "JobSubmitPlugins=lua,of_another_release"))
    slurm.kill("slurmctld", signal.SIGTERM)
    try:
        subprocess.run([f"{slurm.dir}/bin/slurmctld", "-D"], env=slurm.env, timeout=60,
                       check=False, capture_output=True)
        done = slurm.run(*slurm.gate_program, "check", "--home", slurm.maui.home)
        assert done.returncode == 1 and "does not answer" in done.stderr, done
        assert "slurmctld.log:\n" in done.stderr and " fatal: " in done.stderr, done
        assert "of_another_release" in done.stderr, done
    finally:
        conf.write_text(conf.read_text().replace(",of_another_release", ""))
        slurm.start_slurmctld()
        slurm.wait(slurm.all_up, "all nodes")


def test_a_slurmctld_that_was_stopped_is_told_as_such_and_old_errors_are_not(slurm):
    log = pathlib.Path(slurm.dir, "log/slurmctld.log")
    with log.open("a") as f:
        f.write("[2026-01-01T00:00:00.000] error: of another day\n")
    slurm.kill("slurmctld", signal.SIGTERM)
    try:
        slurm.wait(lambda: "Terminate signal" in log.read_text(), "its last words")
        done = slurm.run(*slurm.gate_program, "check", "--home", slurm.maui.home)
        assert done.returncode == 1 and "was told to end" in done.stderr, done
        assert "of another day" not in done.stderr, done
        with log.open("a", encoding="utf-8") as f:  # no order to a terminal
            f.write("[2026-01-01T00:00:00.000] error: \u202exyz\x1b[31m\n")
        done = slurm.run(*slurm.gate_program, "check", "--home", slurm.maui.home)
        assert "error: ???xyz?[31m\n" in done.stderr, done
    finally:
        slurm.start_slurmctld()
        slurm.wait(slurm.all_up, "all nodes")


def test_a_gate_for_a_user_whose_orders_slurm_refuses_is_an_error(slurm):
    gate = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    right = gate.read_text()
    try:
        gate.write_text(re.sub(r"local SCHEDULER = \d+", "local SCHEDULER = 54321", right))
        assert one(check(slurm), "user 54321").startswith("error: ")
    finally:
        time.sleep(1.1)  # so that slurmctld reads it again
        gate.write_text(right)
    assert not any(l.startswith("error") for l in check(slurm))


def test_that_nobody_watches_the_scheduler_is_told(slurm):
    note = "no `maui slurm watch`"
    assert one(check(slurm), note).startswith("note: ")
    watch = slurm.popen(*slurm.gate_program, "watch", "--home", slurm.maui.home)
    try:
        slurm.wait(lambda: not any(note in l for l in check(slurm)), "the watch")
        assert not any(note in l for l in check(slurm, home=f"{slurm.maui.home}/"))
        assert one(check(slurm, home="/nowhere"), note, "/nowhere")
    finally:
        watch.terminate()
        watch.communicate(timeout=30)
    assert one(check(slurm), note)


PROGRAMS = {"LIBSLURM": "maui-slurm", "SCONTROL": "maui-scontrol"}
transports = pytest.mark.parametrize("transport", PROGRAMS)


def by(slurm, transport):
    """The program that looks at Slurm so."""
    return pathlib.Path(slurm.program).parent / PROGRAMS[transport]


@transports
def test_a_slurmdbd_that_is_away_is_told(fresh_cluster, transport):
    """Of a site without one nothing is said."""
    lack = slurm_accounting.missing()
    if lack:
        pytest.skip(f"not installed: {lack}; see scripts/deps test")
    slurm = fresh_cluster(scheduler=False, nodes=2, gpus=0, accounting=True)
    program, away = by(slurm, transport), "slurmdbd at "
    assert not any(away in l for l in check(slurm, program))
    slurm.kill("slurmdbd", signal.SIGKILL)
    line = one(check(slurm, program), away, "127.0.0.1 port")
    assert line.startswith("warning: ") and "Connection refused" in line


@transports
@pytest.mark.parametrize("seconds", [-100, 100])
def test_a_clock_that_is_not_slurmctlds_is_told(slurm, shift, transport, seconds):
    """Of the machine where it is asked; a heartbeat is judged by slurmctld's."""
    program, apart = by(slurm, transport), "slurmctld's clock is"
    assert not any(apart in l for l in check(slurm, program))
    # through scontrol it is this program alone that the clock is wrong for
    lines = check(slurm, "env", f"LD_PRELOAD={shift}", f"MAUI_TEST_SHIFT={seconds}", program)
    line = one(lines, apart, "behind" if seconds > 0 else "ahead of")
    assert line.startswith("warning: ") and 97 <= int(line.split(" is ")[1].split()[0]) <= 103
    assert not any("sign of the scheduler" in l for l in lines), lines


def test_a_heartbeat_of_a_later_time_is_told(slurm, tmp_path):
    """As one is that was written before a clock was set back."""
    gate = pathlib.Path(slurm.dir, "etc/job_submit.lua")
    right, beat = gate.read_text(), tmp_path / "heartbeat"
    beat.write_text(f"{int(time.time()) + 1000} 1\n")
    try:
        gate.write_text(re.sub(r'(local HEARTBEAT = )".*"', rf'\1"{beat}"', right))
        assert one(check(slurm), str(beat), "from now").startswith("warning: ")
    finally:
        time.sleep(1.1)
        gate.write_text(right)


@transports
def test_that_commands_of_users_find_no_scheduler_is_told(slurm, tmp_path, transport):
    """A site file ends that; the home that they come to anyway needs none."""
    program, note = by(slurm, transport), "users' commands on this machine"
    line = one(check(slurm, program), note)
    assert line.startswith("note: ") and slurm.maui.home in line
    site = tmp_path / "client.cfg"
    site.write_text("SERVERHOST sched.example.org\n")
    lines = check(slurm, "env", f"MAUICLIENTCFG={site}", program)
    assert not any(note in l for l in lines), lines


@transports
def test_a_site_that_goes_wrong_in_other_ways(fresh_cluster, tmp_path, transport):
    """Before anything is installed: the plugins of Slurm but Lua's; settings that are the
    site's own and mean something here."""
    tmp_path.chmod(0o755)
    for plugin in slurm_release.PLUGINS.glob("*.so"):
        if plugin.name != "job_submit_lua.so":
            os.symlink(plugin, tmp_path / plugin.name)
    slurm = fresh_cluster(
        scheduler=False, nodes=2, gpus=0, gate=False,
        conf=f"PluginDir={tmp_path}\nSlurmctldHost=spare(127.0.0.9)\nOverTimeLimit=UNLIMITED\n"
             "JobRequeue=0\nMCSPlugin=mcs/user\nMCSParameters=ondemand,select\n"
             "SchedulerParameters=assoc_limit_stop,bf_interval=30\nCompleteWait=0\n")
    lines = check(slurm, by(slurm, transport))
    assert "slurm-wlm-basic-plugins" in one(lines, "error: job_submit_lua.so is not in")
    assert one(lines, "note: ", "SlurmctldHost=spare")
    assert one(lines, "note: slurm.conf: OverTimeLimit=UNLIMITED")
    assert one(lines, "note: slurm.conf: JobRequeue=0")
    assert one(lines, "note: slurm.conf: MCSPlugin=mcs/user")
    line = one(lines, "warning: slurm.conf: SchedulerParameters=")
    assert "without assoc_limit_stop" in line and "bf_interval=1" in line
    assert "assoc_limit_stop" not in line.split("; write ")[1]
