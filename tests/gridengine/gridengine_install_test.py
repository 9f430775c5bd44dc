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
    change(ge, jsv_url="none", jsv_allowed_mod="ac,h,i,e,o,j,M,N,p,w",
           reporting_params="accounting=true reporting=false flush_time=00:00:15 joblog=false")
    yield ge
    ge.maui.stop()
    change(ge, **before)


def test_it_is_installed_checked_and_taken_away_again(plain):
    ge, before = plain, settings(plain)
    tool = lambda *words: ge.maui.run("gridengine", *words)  # noqa: E731
    done = tool("check")
    assert done.returncode == 1 and "jsv_url is none" in done.stdout, done.stdout + done.stderr
    done = tool("install", "--dry-run")
    assert done.returncode == 0 and "jsv_url" in done.stdout and "Nothing was changed" in done.stdout
    assert settings(ge) == before
    done = tool("install")
    assert done.returncode == 0, done.stderr
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
    ge.wait(lambda: ge.state(late) == "hqw", "the gate's hold")
    done = tool("install", "--undo")
    assert done.returncode == 0, done.stderr
    assert settings(ge) == before
    done = tool("letgo")
    assert done.returncode == 0 and "3 jobs" in done.stdout, done.stdout + done.stderr
    ge.wait(lambda: not ge.state(jobs[0]) and not ge.state(late), "their ends")
    assert ge.state(jobs[1]) == "hqw"  # its user's own hold
    ge.run("qrls", jobs[1], user="bob")
    ge.wait(lambda: not ge.state(jobs[1]), "its end")
    assert tool("install", "--undo").returncode == 1


def test_a_verifier_of_the_site_is_not_replaced(plain):
    change(plain, jsv_url=f"script:{plain.dir}/gate")
    done = plain.maui.run("gridengine", "install")
    assert done.returncode == 1 and "a verifier of this site" in done.stderr
    assert settings(plain)["jsv_url"] == f"script:{plain.dir}/gate"
    done = plain.maui.run("gridengine", "instal")
    assert done.returncode == 1 and "not one of install" in done.stderr
