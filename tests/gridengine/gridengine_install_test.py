# SPDX-License-Identifier: Apache-2.0
"""`maui gridengine`: the way there and back, on a real one."""
import pathlib

import pytest

KEPT = ("jsv_url", "jsv_allowed_mod", "reporting_params")


def configuration(ge):
    """The global one, name and value."""
    text = ge.run("sh", "-c", "SGE_SINGLE_LINE=1 qconf -sconf")
    return dict(line.split(None, 1) for line in text.splitlines()
                if len(line.split()) > 1 and not line.startswith("#"))


def settings(ge):
    return {name: value for name, value in configuration(ge).items() if name in KEPT}


def change(ge, **values):
    path = pathlib.Path(ge.dir) / "change"
    path.mkdir(exist_ok=True)
    lines = [f"{name} {value}" for name, value in {**configuration(ge), **values}.items()]
    (path / "global").write_text("\n".join(lines) + "\n")
    ge.run("qconf", "-Mconf", path / "global")


@pytest.fixture
def plain(ge):
    """As Debian's packages leave it: no verifier."""
    before = settings(ge)
    runlog = pathlib.Path(ge.dir) / "root/default/common/schedd_runlog"
    runlog.unlink()
    change(ge, jsv_url="none", jsv_allowed_mod="ac,h,i,e,o,j,M,N,p,w",
           reporting_params="accounting=true reporting=false flush_time=00:00:15 joblog=false")
    yield ge
    ge.maui.stop()
    change(ge, **before)
    runlog.unlink(missing_ok=True)
    runlog.symlink_to("/dev/null")


def test_it_is_installed_checked_and_taken_away_again(plain):
    ge, before = plain, settings(plain)
    tool = lambda *words: ge.maui.run("gridengine", *words)  # noqa: E731
    done = tool("check")
    assert done.returncode == 1 and "jsv_url is none" in done.stdout, done.stdout + done.stderr
    done = tool("install", "--dry-run")
    assert done.returncode == 0 and "jsv_url" in done.stdout and "Nothing was changed" in done.stdout
    assert settings(ge) == before
    runlog = pathlib.Path(ge.dir) / "root/default/common/schedd_runlog"
    runlog.write_text("of an administrator\n")
    done = tool("install")
    assert done.returncode == 0, done.stderr
    assert str(runlog.readlink()) == "/dev/null"
    done = tool("check")
    assert done.returncode == 0 and "is ready" in done.stdout, done.stdout
    assert "nothing to change" in tool("install").stdout
    # it works: what is submitted waits for the scheduler, and is started by it
    ge.maui.start()
    ran = ge.submit("alice", "true")
    ge.maui.until(ran, "Completed")
    ge.maui.ok("schedctl", "-s")
    jobs = [ge.submit("alice", "true", "-q", "batch,debug"), ge.submit("bob", "true", "-h")]
    ge.wait(lambda: all(j in ge.run("qstat", "-u", "*", "-s", "hs") for j in jobs), "our holds")
    assert tool("letgo").returncode == 1  # while it runs
    ge.maui.stop()
    late = ge.submit("bob", "true")  # the gate keeps it, and nobody is there
    ge.wait(lambda: late in ge.run("qstat", "-u", "*", "-s", "ha"), "the gate's start time")
    done = tool("install", "--undo")
    assert done.returncode == 0, done.stderr
    assert settings(ge) == before
    assert runlog.read_text() == "of an administrator\n"
    done = tool("letgo")
    assert done.returncode == 0 and "3 jobs" in done.stdout, done.stdout + done.stderr
    ge.wait(lambda: not ge.state(jobs[0]) and not ge.state(late), "their ends")
    assert ge.state(jobs[1]) == "hqw"  # its user's own hold
    assert "maui_" not in ge.run("qstat", "-j", jobs[1])
    ge.run("qrls", jobs[1], user="bob")
    ge.wait(lambda: not ge.state(jobs[1]), "its end")
    assert tool("install", "--undo").returncode == 1


def hard_queues(ge, job):
    """What it may use, as qstat -j shows it."""
    for line in ge.run("qstat", "-j", job).splitlines():
        if line.startswith("hard_queue_list:"):
            return line.split(":", 1)[1].strip()
    return "*"


def test_what_runs_when_it_is_let_go_is_as_its_user_asked_and_its_queue_goes_later(plain):
    ge = plain
    tool = lambda *words: ge.maui.run("gridengine", *words)  # noqa: E731
    assert tool("install").returncode == 0
    # installed again from elsewhere: our own gate is not what was there before
    done = tool("install", "--home", f"{ge.dir}/elsewhere")
    assert done.returncode == 0 and "nothing to change" in done.stdout, done.stdout + done.stderr
    saved = pathlib.Path(ge.maui.home) / "gridengine.saved"
    saved.unlink()
    change(ge, reporting_params="accounting=true")
    assert tool("install").returncode == 0
    assert "jsv_url none" in saved.read_text()
    ge.maui.start()
    wide = ge.submit("bob", f"while [ ! -e {ge.dir}/home/bob/go ]; do sleep 0.2; done", "-pe", "mpi", 7,
                     "-q", "batch,debug")
    thin = ge.submit("alice", "sleep 100", "-q", "debug")
    free = ge.submit("alice", "sleep 100")
    for job in (wide, thin, free):
        ge.maui.until(job, "Running")
    assert "@" in hard_queues(ge, thin) and "@" in hard_queues(ge, free)
    assert hard_queues(ge, wide) == f"maui_{wide}"
    ge.maui.stop()
    done = tool("letgo")  # the gate goes with it
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"queue maui_{wide} is closed" in done.stdout and "that they asked for: 3" in done.stdout, done.stdout
    assert settings(ge)["jsv_url"] == "none"
    assert [hard_queues(ge, j) for j in (wide, thin)] == ["batch,debug", "debug"]
    assert hard_queues(ge, free) == "*"
    assert "maui_" not in "".join(l for l in ge.run("qstat", "-j", free).splitlines() if l.startswith("context"))
    ge.run("sh", "-c", f"touch {ge.dir}/home/bob/go")
    ge.wait(lambda: not ge.state(wide), "its end")
    ge.wait(lambda: f"maui_{wide}" not in ge.run("qconf", "-sql"), "the end of its queue")


def test_a_verifier_of_the_site_is_not_replaced(plain):
    change(plain, jsv_url=f"script:{plain.dir}/gate")
    done = plain.maui.run("gridengine", "install")
    assert done.returncode == 1 and "a verifier of this site" in done.stderr
    assert settings(plain)["jsv_url"] == f"script:{plain.dir}/gate"
    done = plain.maui.run("gridengine", "instal")
    assert done.returncode == 1 and "not one of install" in done.stderr
