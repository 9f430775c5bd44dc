# SPDX-License-Identifier: Apache-2.0
"""The PBS driver in front of a recorded server (recorded.py), as OpenPBS and as TORQUE: no
real one is needed. What a real one does beyond that is in docs/pbs.md."""
import contextlib
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import Daemon, wait_for  # noqa: E402
from recorded import Recorded, State  # noqa: E402

FIXTURES = pathlib.Path(__file__).parent / "fixtures"
CONFIG = """\
RMCFG[pbs] TYPE=PBS {wait}
RMPOLLINTERVAL {cycle}
ADMIN1 root {user}
NODEALLOCATIONPOLICY FIRSTAVAILABLE
"""
SECONDS = 60


class Site:
    """A recorded server and a daemon in front of it."""

    def __init__(self, build, server):
        self.server = server
        self.daemon = Daemon(build / "src" / "client" / "maui")
        self.configure()
        self.daemon.env.update(server.environment())

    def configure(self, wait="STARTWAIT=60", cycle="1"):
        wait = wait if "POLLINTERVAL" in wait else f"POLLINTERVAL=1 {wait}"
        import pwd
        text = CONFIG.format(user=pwd.getpwuid(os.geteuid()).pw_name, wait=wait, cycle=cycle)
        self.daemon.configure(text, plain=True)

    def serve(self):
        self.daemon.ok("serve", "-L", "5")
        return self

    def end(self):
        self.daemon.stop()
        import shutil
        shutil.rmtree(self.daemon.home, ignore_errors=True)

    def pbs(self, name, *args, check=True):
        import subprocess
        done = subprocess.run([str(self.server.bin / name), *args], env=self.daemon.env,
                              capture_output=True, text=True, timeout=60)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip() if check else done

    def qsub(self, *args):
        """The id as PBS has it."""
        return self.pbs("qsub", *args)

    def wait(self, condition, what):
        return wait_for(condition, what, SECONDS, self.story)

    def wait_state(self, id, *letters):
        self.wait(lambda: self.server.job(id)["job_state"] in letters, f"{id} {letters}")

    def story(self):
        return (f"{self.daemon.run('showq').stdout}\n{self.daemon.run('diagnose', '-R').stdout}\n"
                f"{ {id: job['job_state'] for id, job in self.server.look()['jobs'].items()} }\n"
                f"{self.server.starts()}\n")

    def cycles(self, n=2):
        """So many looks of the adapter and cycles of the scheduler pass: a job is submitted
        and seen, n times."""
        for _ in range(n):
            id = self.qsub("-h")
            self.wait(lambda: self.daemon.run("checkjob", id.split(".")[0]).returncode == 0, id)
            self.pbs("qdel", id)

    def adapter(self):
        """The process of the adapter, by its parent."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                parent = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
            except (OSError, IndexError):
                continue
            if b"maui-pbs" in line and int(parent) == self.daemon.pid():
                return int(pid)
        return None


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """PBS's client library, of ours."""
    path = tmp_path_factory.mktemp("library") / "libpbs.so.0"
    here = pathlib.Path(__file__).parent
    words = subprocess.run(["pkg-config", "--cflags", "--libs", "jansson"], check=True,
                           capture_output=True, text=True).stdout.split()
    subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", f"-I{here.parents[1] / 'src'}",
                    here / "library.c", "-o", path, *words], check=True)
    return path


@pytest.fixture(params=["openpbs", "library", "torque"])
def site(request, build, tmp_path, library):
    site = Site(build, Recorded(tmp_path, torque=request.param == "torque",
                                library=library if request.param == "library" else None))
    yield site
    site.end()


def chunk(site, cpus=1, n=1, walltime="01:00:00"):
    shape = f"nodes={n}:ppn={cpus}" if site.server.torque else f"select={n}:ncpus={cpus}"
    return f"{shape},walltime={walltime}"


def where(job):
    return job.get("exec_vnode") or job.get("exec_host")


def test_a_job_starts_where_it_was_put_and_ends(site):
    site.serve()
    id = site.qsub("-l", chunk(site, 3, 2))
    site.wait_state(id, "R")
    text = where(site.server.job(id))
    assert "cn01" in text and "cn02" in text
    told = site.daemon.ok("checkjob", id.split(".")[0])
    assert "alice" in told and "workq" in told, told
    second = site.qsub("-l", chunk(site, 2))
    site.cycles()
    assert site.server.job(second)["job_state"] == "Q"  # 1 processor is left on each
    site.server.end(id, 7)
    site.wait_state(second, "R")
    assert len(site.server.starts(id)) == len(site.server.starts(second)) == 1
    record = site.wait(lambda: [j for j in site.daemon.lines("showq", "-c")
                                if j.get("id") == id.split(".")[0]], "its end")
    assert record


def test_holds_are_kept_and_released(site):
    site.serve()
    held = site.qsub("-h", "-l", chunk(site))
    free = site.qsub("-l", chunk(site))
    site.wait_state(free, "R")
    site.cycles()
    assert site.server.job(held)["job_state"] == "H"
    site.pbs("qrls", held)
    site.wait_state(held, "R")


@pytest.mark.parametrize("site", ["openpbs", "library"], indirect=True)
def test_an_array_runs_as_many_at_once_as_it_says(site):
    """TORQUE itself holds members beyond the limit."""
    site.serve()
    id = site.qsub("-J", "1-5%2", "-l", chunk(site))
    members = [id.replace("[]", f"[{i}]") for i in range(1, 6)]

    def running():
        return [m for m in members if site.server.job(m)["job_state"] == "R"]
    for left in range(5, 0, -1):
        want = min(left, 2)
        site.wait(lambda: len(running()) == want, f"{want} members")
        site.cycles(1)
        assert len(running()) == want
        site.server.end(running()[0])
    assert all(len(site.server.starts(m)) == 1 for m in members)


def test_a_dependency_is_waited_for(site):
    site.serve()
    first = site.qsub("-l", chunk(site))
    second = site.qsub("-W", f"depend=afterok:{first}", "-l", chunk(site))
    site.wait_state(first, "R")
    site.cycles()
    assert site.server.job(second)["job_state"] == "H"
    site.server.end(first)
    site.wait_state(second, "R")


@pytest.mark.parametrize("asked, slots", [("walltime=60", 1), ("procs=6,walltime=60", 6),
                                          ("ncpus=3,walltime=60", 3)])
def test_torque_is_told_slots_also_where_no_nodes_were_asked_for(site, asked, slots):
    if not site.server.torque:
        pytest.skip("TORQUE alone")
    site.serve()
    id = site.qsub("-l", asked)
    site.wait_state(id, "R")
    where = site.server.starts(id)[0][1]
    assert sum(int(part.split(":ppn=")[1]) for part in where.split("+")) == slots


def test_a_job_waits_for_one_that_came_after_it(site):
    """`qsub -W depend=beforeok:`: in one look the other job is new, and this one waits for it."""
    site.serve()
    model, later = (site.qsub("-h", "-l", chunk(site)) for _ in range(2))
    site.wait(lambda: site.daemon.state(later.split(".")[0]) == "Hold", "what is held")
    first = f"{int(later.split('.')[0]) + 1}.{later.split('.')[1]}"

    def both(o):
        o["next"] += 1
        o["jobs"][first] = dict(o["jobs"][model], job_state="Q", Hold_Types="n", substate=10)
        o["jobs"][later].update(job_state="H", Hold_Types="s", substate=22,
                                depend=f"afterok:{first}@{first.split('.')[1]}")
    site.server.change(both)
    site.wait_state(first, "R")
    site.cycles()
    assert site.server.job(later)["job_state"] == "H" and not site.server.starts(later)
    site.server.end(first)
    site.wait_state(later, "R")


def test_orders_of_administrators_are_carried_out(site):
    site.serve()
    id = site.qsub("-l", chunk(site))
    short = id.split(".")[0]

    def seen_as(state):
        site.wait(lambda: f"State: {state}" in site.daemon.run("checkjob", short).stdout, state)
    seen_as("Running")
    site.daemon.ok("mjobctl", "-s", short)
    site.wait_state(id, "S")
    seen_as("Suspended")
    site.daemon.ok("mjobctl", "-r", short)
    site.wait_state(id, "R")
    seen_as("Running")
    site.daemon.ok("mjobctl", "-R", short)
    site.wait(lambda: len(site.server.starts(id)) == 2, "started again")
    seen_as("Running")
    site.daemon.ok("canceljob", short)
    site.wait_state(id, "F", "C")


def test_the_limit_of_a_waiting_job_is_that_of_pbs(site):
    site.serve()
    id = site.qsub("-h", "-l", chunk(site))
    short = id.split(".")[0]

    def limit_s():
        return (site.daemon.job(short) or {}).get("wclimit_s")
    site.wait(lambda: limit_s() == 3600, "the job")
    site.daemon.ok("setdeadline", short, "+9:00:00")
    deadline = site.daemon.job(short)["deadline_at"]
    site.daemon.ok("mjobctl", "-m", "wclimit=2:00:00", short)
    assert site.server.job(id)["Resource_List"]["walltime"] == "02:00:00"
    site.cycles()  # what PBS tells then is no change of somebody else
    assert site.daemon.job(short)["deadline_at"] == deadline and limit_s() == 7200
    events = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text()
    assert f'"JOBCANCEL","object":"{short}"' not in events
    site.pbs("qalter", "-l", "walltime=00:30:00", id)
    site.wait(lambda: limit_s() == 1800, "PBS's own change")
    for change, says in (("wclimit=INFINITY", "takes no limit away"), ("proccount=2", "qalter"),
                         ("class=other", "change it there"), ("gres=x", "change it there")):
        refused = site.daemon.run("mjobctl", "-m", change, short)
        assert refused.returncode != 0 and says in refused.stdout + refused.stderr, refused
    assert limit_s() == 1800
    site.daemon.ok("mjobctl", "-m", "wclimit=600", short)
    site.pbs("qrls", id)
    site.wait_state(id, "R")
    assert site.server.job(id)["Resource_List"]["walltime"] == "00:10:00"


@pytest.mark.parametrize("site", ["openpbs"], indirect=True)
def test_a_limit_that_an_older_release_raised_is_pbs_to_raise(site):
    """That release told PBS nothing, and did not ask who may."""
    site.serve()
    id = site.qsub("-h", "-l", chunk(site))
    short = id.split(".")[0]
    site.wait(lambda: site.daemon.job(short), "the job")
    site.daemon.stop()
    with sqlite3.connect(f"{site.daemon.home}/state.db") as state:
        state.execute("INSERT INTO record(kind, key, value) VALUES('change', ?, ?)",
                      (short, '{"reqawduration":"10800"}'))
    state.close()
    site.serve()
    site.wait(lambda: "PBS looks whether you may" in site.daemon.run("checkjob", short).stdout,
              "why it is not raised")
    assert site.daemon.job(short)["wclimit_s"] == 3600
    site.cycles(1)
    assert site.server.job(id)["Resource_List"]["walltime"] == "01:00:00"


def test_nodes_that_are_down_or_offline_get_nothing(site):
    site.server.mark("cn01", "offline")
    site.serve()
    first, second = site.qsub("-l", chunk(site, 4)), site.qsub("-l", chunk(site, 4))
    site.wait(lambda: "R" in [site.server.job(i)["job_state"] for i in (first, second)], "one")
    site.cycles()
    assert [start for start in site.server.starts() if "cn01" in start[1]] == []
    site.server.mark("cn01")
    site.wait_state(first, "R")
    site.wait_state(second, "R")


@pytest.mark.parametrize("site", ["openpbs", "torque"], indirect=True)
def test_looks_are_a_second_apart_however_many_starts_are_awaited(site):
    """Each command of OpenPBS has one of 512 ports for a minute."""
    counts, stamps = site.server.bin / "qstat", site.server.folder / "stamps"
    real = site.server.bin / "real" / "qstat"
    real.parent.mkdir()
    counts.rename(real)
    counts.write_text(f'#!/bin/sh\n[ "$1" = -t ] && date +%s >>{stamps}\nexec {real} "$@"\n')
    counts.chmod(0o755)
    site.serve()
    ids = [site.qsub("-l", chunk(site, 1)) for _ in range(8)]
    for id in ids:
        site.wait_state(id, "R")
    site.cycles(2)
    seen = [int(line) for line in stamps.read_text().split()]
    assert len(seen) - 1 <= seen[-1] - seen[0] + 3, seen


def test_a_start_is_not_asked_for_again_while_qrun_is_under_way(site):
    """Else both would run, the first on nodes that others may have by then."""
    site.configure("STARTWAIT=1")
    slow, stamps = site.server.bin / "qrun", site.server.folder / "stamps"
    real = site.server.bin / "real" / "qrun"
    real.parent.mkdir()
    slow.rename(real)
    slow.write_text(f'#!/bin/sh\necho >>{stamps}\nsleep 4\nexec {real} "$@"\n')
    slow.chmod(0o755)
    site.serve()
    id = site.qsub("-l", chunk(site))
    site.wait_state(id, "R")
    site.wait(lambda: "State: Running" in site.daemon.run("checkjob", id.split(".")[0]).stdout,
              "seen to run")
    assert len(stamps.read_text().split("\n")) - 1 == len(site.server.starts(id)) == 1


@contextlib.contextmanager
def stuck(site, command, word):
    """The command comes to no end where it is about this job; and to nothing."""
    name, file = site.server.bin / command, site.server.folder / "stuck"
    real = site.server.bin / "real" / command
    real.parent.mkdir(exist_ok=True)
    name.rename(real)
    file.touch()
    name.write_text(f'#!/bin/sh\nfor last; do :; done\ncase $last in {word}|{word}.*)\n'
                    f'[ -e {file} ] && echo >>{file}.tried\n'
                    f'[ -e {file} ] && {{ while [ -e {file} ]; do sleep 0.1; done; exit 1; }};;\n'
                    f'esac\nexec {real} "$@"\n')
    name.chmod(0o755)
    try:
        yield pathlib.Path(f"{file}.tried")
    finally:
        file.unlink()


def test_a_stop_that_was_lost_while_looks_go_well_is_ordered_again(site):
    """Nobody knows what became of it; a look shows that the job goes on."""
    site.configure("TIMEOUT=3")
    site.serve()
    id, other = site.qsub("-l", chunk(site)), site.qsub("-l", chunk(site))
    site.wait_state(id, "R")
    site.wait_state(other, "R")
    site.cycles(1)
    with stuck(site, "qdel", id.split(".")[0]) as tried:
        site.daemon.ok("canceljob", id.split(".")[0])
        site.wait(lambda: tried.exists() and tried.stat().st_size >= 2, "a second try")
        assert site.server.job(id)["job_state"] == "R"
    site.wait_state(id, "F", "C")
    assert site.server.job(other)["job_state"] == "R"
    assert "State: Running" in site.daemon.ok("checkjob", other.split(".")[0])


def test_a_stop_that_hangs_holds_up_no_other(site):
    site.configure("TIMEOUT=40")
    site.serve()
    ids = [site.qsub("-l", chunk(site)) for _ in range(3)]
    for id in ids:
        site.wait_state(id, "R")
    site.cycles(1)
    began = time.monotonic()
    with stuck(site, "qdel", ids[0].split(".")[0]) as tried:
        for id in ids:
            site.daemon.ok("canceljob", id.split(".")[0])
        site.wait_state(ids[1], "F", "C")
        site.wait_state(ids[2], "F", "C")
        assert tried.exists() and site.server.job(ids[0])["job_state"] == "R"
        assert time.monotonic() - began < 35
    site.wait_state(ids[0], "F", "C")


def test_what_was_acknowledged_is_carried_out_though_the_daemon_is_killed(site):
    """More than are carried out at a time, which take their time."""
    qdel, real = site.server.bin / "qdel", site.server.bin / "real" / "qdel"
    real.parent.mkdir()
    qdel.rename(real)
    qdel.write_text(f'#!/bin/sh\nsleep 1\nexec {real} "$@"\n')
    qdel.chmod(0o755)
    site.serve()
    ids = [site.qsub("-h") for _ in range(12)]
    site.cycles(1)
    site.daemon.ok("canceljob", *[id.split(".")[0] for id in ids])
    site.daemon.kill()
    for id in ids:
        site.wait(lambda: site.server.job(id)["job_state"] in ("F", "C"), id)


def test_an_order_that_takes_longer_than_a_command_may_ends_no_adapter(site):
    site.configure("STARTWAIT=60 TIMEOUT=5")
    qrun, stamps = site.server.bin / "qrun", site.server.folder / "stamps"
    qrun.unlink()
    qrun.write_text(f"#!/bin/sh\necho >>{stamps}\n")  # says that it has, and has not
    qrun.chmod(0o755)
    site.serve()
    site.qsub("-l", chunk(site))
    site.wait(stamps.exists, "a start")
    pid = site.wait(site.adapter, "the adapter")
    time.sleep(9)
    assert site.adapter() == pid


def test_jobs_of_a_stopped_queue_wait(site):
    site.server.change(lambda o: o["queues"]["workq"].update(started="False"))
    site.serve()
    id = site.qsub("-l", chunk(site))
    site.wait(lambda: "its queue is stopped" in site.daemon.run(
        "checkjob", id.split(".")[0]).stdout, "why it waits")
    assert site.server.starts() == []
    site.server.change(lambda o: o["queues"]["workq"].update(started="True"))
    site.wait_state(id, "R")


def test_a_server_that_is_away_costs_nothing(site):
    site.serve()
    running = site.qsub("-l", chunk(site))
    site.wait_state(running, "R")
    waiting = site.qsub("-h", "-l", chunk(site))
    site.wait(lambda: site.daemon.run("checkjob", waiting.split(".")[0]).returncode == 0, "seen")
    site.server.change(lambda o: o.update(away=True))
    site.wait(lambda: "cannot connect" in site.daemon.run("diagnose", "-R").stdout, "told as away")
    site.server.change(lambda o: o.update(away=False))
    site.pbs("qrls", waiting)
    site.wait_state(waiting, "R")
    assert len(site.server.starts(running)) == 1
    events = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text()
    assert "JOBCANCEL" not in events  # all was told anew, and nothing was new


@pytest.mark.parametrize("victim", ["daemon", "adapter"])
def test_an_end_that_nobody_saw_is_known_with_its_status(site, victim):
    """While neither looked; not that the job has vanished."""
    site.serve()
    id = site.qsub("-l", chunk(site))
    site.wait_state(id, "R")
    site.wait(lambda: "State: Running" in site.daemon.run("checkjob", id.split(".")[0]).stdout,
              "seen to run")
    if victim == "daemon":
        site.daemon.kill()
        site.server.end(id, 7)
        site.serve()
    else:
        os.kill(site.wait(site.adapter, "the adapter"), signal.SIGKILL)
        site.server.end(id, 7)  # the next one begins a second later

    def its_end():
        return [j for j in site.daemon.lines("showq", "-c") if j.get("id") == id.split(".")[0]]
    ended = site.wait(its_end, "its end")
    assert "Completed" in str(ended) and "Removed" not in str(ended), ended
    events = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text()
    assert "vanished" not in events


@pytest.mark.parametrize("victim", [None, "daemon"])
def test_a_job_that_vanishes_is_closed_once_and_frees_its_nodes(site, victim):
    """Neither listed nor in a history any more; what comes meanwhile, unseen, is not lost."""
    site.serve()
    id = site.qsub("-l", chunk(site, 4, 2))  # all there is
    site.wait_state(id, "R")
    site.wait(lambda: "State: Running" in site.daemon.run("checkjob", id.split(".")[0]).stdout,
              "seen to run")
    if victim:
        site.daemon.kill()
    else:
        pid = site.wait(site.adapter, "the adapter")
        os.kill(pid, signal.SIGSTOP)
    site.server.change(lambda o: o["jobs"].pop(id))
    next_one = site.qsub("-l", chunk(site, 4, 2))
    if victim:
        site.serve()
    else:
        os.kill(pid, signal.SIGKILL)
    site.wait_state(next_one, "R")
    assert len(site.server.starts(next_one)) == 1
    ended = [j for j in site.daemon.lines("showq", "-c") if j.get("id") == id.split(".")[0]]
    assert len(ended) == 1, ended
    if not victim:
        events = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text()
        assert events.count("vanished") == 1, events


def test_a_run_that_no_look_has_shown_counts_as_one(site):
    """As when an answer was lost: it has run, and was not cancelled."""
    site.serve()
    id = site.qsub("-h", "-l", chunk(site))
    job = id.split(".")[0]
    site.wait(lambda: site.daemon.run("checkjob", job).returncode == 0, "seen")
    where_to = "cn01:ppn=1" if site.server.look()["torque"] else "(cn01:ncpus=1)"
    site.server.run_through(id, where_to)
    ended = site.wait(lambda: [j for j in site.daemon.lines("showq", "-c") if j["id"] == job],
                      "its end")
    assert ended[0]["state"] == "Completed", ended
    lines = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text().splitlines()
    assert [kind for line in lines for kind in ("JOBSTART", "JOBEND", "JOBCANCEL")
            if f'"{kind}"' in line] == ["JOBSTART", "JOBEND"]
    # and one of which nobody tells where it was
    other = site.qsub("-h", "-l", chunk(site))
    site.wait(lambda: site.daemon.run("checkjob", other.split(".")[0]).returncode == 0, "seen")
    site.server.run_through(other, where_to, told=False)
    ended = site.wait(lambda: [j for j in site.daemon.lines("showq", "-c")
                               if j["id"] == other.split(".")[0]], "its end")
    lines = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text().splitlines()
    assert ended[0]["state"] == "Completed" and not any('"JOBCANCEL"' in line for line in lines)


@pytest.mark.parametrize("command", ["qselect", "qstat", "history"])
def test_a_history_that_cannot_be_read_just_now_is_asked_for_again(site, command):
    """A server that fails is not one without a history; and one of which the history alone
    is not to be had is within reach."""
    if command == "history" and site.server.torque:
        pytest.skip("TORQUE has no history")
    site.serve()
    id = site.qsub("-l", chunk(site))
    site.wait_state(id, "R")
    site.wait(lambda: "State: Running" in site.daemon.run("checkjob", id.split(".")[0]).stdout,
              "seen to run")
    site.daemon.kill()
    site.server.end(id, 7)
    site.server.change(lambda o: o.update(fails={command: 2}))
    site.serve()
    ended = site.wait(lambda: [j for j in site.daemon.lines("showq", "-c")
                               if j.get("id") == id.split(".")[0]], "its end")
    assert "Completed" in str(ended) and "Removed" not in str(ended), ended
    events = (pathlib.Path(site.daemon.home) / "log" / "events.log").read_text()
    assert "vanished" not in events
    if command == "history":
        failed = site.daemon.ok("diagnose", "-R")
        assert "workloadquery" in failed and " connection " not in failed, failed


@pytest.mark.parametrize("victim", ["daemon", "adapter"])
def test_nothing_is_lost_or_started_twice_when_one_is_killed(site, victim):
    """Blows while jobs come, start and end."""
    site.serve()
    ids = []
    for _ in range(4):
        ids += [site.qsub("-l", chunk(site, 2)) for _ in range(3)]
        site.wait(lambda: any(site.server.job(i)["job_state"] == "R" for i in ids), "one runs")
        if victim == "daemon":
            site.daemon.kill()
            site.serve()
        else:
            pid = site.wait(site.adapter, "the adapter")
            os.kill(pid, signal.SIGKILL)
        for id in [i for i in ids if site.server.job(i)["job_state"] == "R"][:2]:
            site.server.end(id)

    def drained():
        with State(site.server.folder) as o:
            states = {id: o["jobs"][id]["job_state"] for id in ids}
        for id, letter in states.items():
            if letter == "R":
                site.server.end(id)
        return all(letter in ("F", "C") for letter in states.values())
    site.wait(drained, "all have run")
    assert all(len(site.server.starts(id)) == 1 for id in ids), site.server.starts()


@pytest.mark.parametrize("torque", [False, True])
def test_captured_answers_are_taken_over(build, tmp_path, torque):
    """The mixed queue that a real server had: what can be planned starts, what is held or
    not understood stays."""
    site = Site(build, Recorded.of_fixtures(tmp_path, FIXTURES, torque))
    held = ["117.head1", "118.head1", "119.head1", "120.head1", "116.head1"] if torque else \
        ["16.head1", "17.head1", "18.head1", "19.head1", "20.head1", "9.head1", "21[1].head1"]
    starts = ["100.head1", "101.head1"] if torque else ["0.head1", "1.head1", "2.head1"]
    try:
        site.serve()
        for id in starts:
            site.wait_state(id, "R")
        assert [id for id in held if site.server.starts(id)] == []
        if not torque:  # scatter is by host, of which cn01 and cn02 have four vnodes
            spec = where(site.server.job("1.head1"))
            assert all(spec.count(host) == 1 for host in ("cn01", "cn02", "cn03", "cn04")), spec
    finally:
        site.end()


@pytest.fixture
def lined(site):
    """With the library in use: a start has come by it."""
    site.serve()
    id = site.qsub("-l", chunk(site))
    site.wait_state(id, "R")
    site.wait(lambda: line_of(site), "the library's program")
    site.cycles(1)
    return site


def line_of(site):
    """The program that keeps the connection for looks: the adapter's first child."""
    adapter = site.adapter()
    children = f"/proc/{adapter}/task/{adapter}/children"
    with contextlib.suppress(OSError):
        for pid in pathlib.Path(children).read_text().split():
            if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("maui-pbs-line"):
                return int(pid)
    return None


@pytest.mark.parametrize("site", ["library"], indirect=True)
def test_the_programs_of_the_library_are_lost_and_come_again(lined):
    """Killed amid looks: what was asked is of unknown outcome, and all is told anew."""
    for _ in range(3):
        first = lined.wait(lambda: line_of(lined), "the library's program")
        id = lined.qsub("-l", chunk(lined))
        os.kill(first, signal.SIGKILL)
        lined.wait_state(id, "R")
        lined.wait(lambda: line_of(lined) not in (None, first), "another one")
        lined.server.end(id)
        assert len(lined.server.starts(id)) == 1


@pytest.mark.parametrize("site", ["library"], indirect=True)
def test_an_end_is_told_with_what_has_changed(lined):
    """With its status, and not asked for afterwards; but where it is a look at all of all that
    shows it, which there is each 10 s."""
    before = lined.server.look().get("histories", 0)
    for status in range(4):
        id = lined.qsub("-l", chunk(lined))
        lined.wait_state(id, "R")
        lined.wait(lambda: "State: Running" in lined.daemon.run("checkjob", id.split(".")[0]).stdout,
                   "seen to run")
        lined.server.end(id, status)
        ended = lined.wait(lambda: [j for j in lined.daemon.lines("showq", "-c")
                                    if j.get("id") == id.split(".")[0]], "its end")[0]
        assert (ended["state"], ended.get("exit_status", 0)) == ("Completed", status), ended
    assert lined.server.look().get("histories", 0) - before <= 2


@pytest.mark.parametrize("site", ["library"], indirect=True)
def test_a_sign_of_the_hook_makes_it_look_at_once(site):
    """The next look is in an hour: without the sign nothing would be seen."""
    site.configure("POLLINTERVAL=3600", cycle="1:00:00")
    site.serve()
    sign = pathlib.Path(site.daemon.home) / "pbs.wake"
    site.wait(sign.exists, "the socket")
    assert sign.stat().st_mode & 0o777 == 0o600  # users cannot
    site.wait(lambda: "cn01" in site.daemon.run("checknode", "cn01").stdout, "a look")
    id = site.qsub("-l", chunk(site))

    def started():
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.sendto(b"1", str(sign))
        return site.server.job(id)["job_state"] == "R"
    site.wait(started, "its start")


@pytest.mark.parametrize("when", ["before", "later", "anew"])
def test_what_the_server_writes_down_makes_it_look_at_once(site, when):
    """TORQUE has no hooks. The next look is in an hour here too. Its folder may come later than we
    do, or be another one."""
    home = site.server.folder / "home"
    book = home / "server_priv" / "accounting" / "20261128"
    if when != "later":
        book.parent.mkdir(parents=True)
    site.configure(f"POLLINTERVAL=3600 ENV=PBS_HOME={home}", cycle="1:00:00")
    site.serve()
    site.wait(lambda: "cn01" in site.daemon.run("checknode", "cn01").stdout, "a look")
    if when == "anew":
        book.parent.rmdir()
    if when != "before":
        book.parent.mkdir(parents=True)
    id = site.qsub("-l", chunk(site))

    def started():
        book.write_text("Q\n")
        return site.server.job(id)["job_state"] == "R"
    site.wait(started, "its start")


def test_the_reason_is_shown_where_users_of_pbs_look(site):
    site.serve()
    first = site.qsub("-l", chunk(site, 4, 2))
    site.wait_state(first, "R")
    second = site.qsub("-l", chunk(site, 2))
    site.wait(lambda: "waits" in site.server.job(second).get("comment", ""), "its comment")
    assert "=" not in site.server.job(second)["comment"]


def test_check_says_what_serve_would_do(maui, tmp_path):
    (tmp_path / "maui.cfg").write_text("RMCFG[pbs] TYPE=PBS\n")
    assert "error" not in maui("check", "-c", tmp_path / "maui.cfg").stdout
    (tmp_path / "maui.cfg").write_text("RMCFG[pbs] TYPE=PBS TRANSPORT=pigeon\n")
    done = maui("check", "-c", tmp_path / "maui.cfg", check=False)
    assert done.returncode == 1 and "expected AUTO or COMMANDS" in done.stdout + done.stderr
    serve = maui("serve", "--home", tmp_path, check=False)
    assert serve.returncode != 0 and "expected AUTO or COMMANDS" in serve.stderr
