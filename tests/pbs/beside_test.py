# SPDX-License-Identifier: Apache-2.0
"""PBS, a recorded server, beside a LOCAL resource manager, which is the first: jobs of
both in one plan, arrays of PBS by their names here, kills. And OpenPBS beside TORQUE, each
by its own commands."""
import os
import pwd
import signal
import time

import pytest

from again_test import give_again
from recorded import Recorded
from recorded_test import Site, chunk

ME = pwd.getpwuid(os.geteuid()).pw_name


class Beside(Site):
    def configure(self, wait="STARTWAIT=60"):
        self.daemon.configure(
            "RMCFG[here] TYPE=LOCAL NODES=2x2\nRMCFG[pbs] TYPE=PBS POLLINTERVAL=1 STARTWAIT=60\n"
            f"RMPOLLINTERVAL 1\nADMIN1 root {ME}\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n", plain=True)

    def here(self, id):
        return f"pbs.{id.split('.')[0]}"


@pytest.fixture(params=[False, True], ids=["openpbs", "torque"])
def site(request, build, tmp_path):
    site = Beside(build, Recorded(tmp_path, torque=request.param))
    yield site
    site.daemon.clean()


def test_jobs_of_both_run_and_are_told_apart(site):
    site.serve()
    id = site.qsub("-l", chunk(site, 3, 2))
    site.wait_state(id, "R")
    mine = site.daemon.submit("sleep 120")
    site.wait(lambda: site.daemon.state(mine) == "Running", "the local one")
    theirs = site.daemon.job(site.here(id))
    assert theirs["rm"] == "pbs" and site.daemon.job(mine)["rm"] == "here"
    assert {n["node"] for n in theirs["allocation"]} == {"cn01", "cn02"}
    after = site.daemon.submit("true", dependencies=[f"afterany:{site.here(id)}"])
    assert site.daemon.state(after) != "Running"
    for _ in range(2):
        site.daemon.kill()
        site.serve()
    site.wait(lambda: site.daemon.state(site.here(id)) == site.daemon.state(mine) == "Running", "both")
    assert len(site.server.starts(id)) == 1
    site.server.end(id, 0)
    site.wait(lambda: site.daemon.job(after) is None, "the end of what waited for it")


def test_an_array_is_ordered_about_by_its_name_here(site):
    site.serve()
    option = "-t" if site.server.torque else "-J"
    number = site.qsub(option, "1-3", "-h", "-l", chunk(site)).split("[")[0]
    def jobs():
        return [j for j in site.daemon.lines("showq") if j.get("id", "").startswith(f"pbs.{number}[")]
    site.wait(jobs, "its jobs")
    told = site.daemon.run("canceljob", f"here.{number}[]")
    assert told.returncode != 0 and "cannot locate" in told.stderr + told.stdout
    assert jobs()
    site.daemon.ok("canceljob", f"pbs.{number}[]")
    site.wait(lambda: not jobs(), "the end of all of them")


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
def test_who_depends_on_a_job_is_not_bound_to_who_has_its_number_later(site, restart):
    """The former's end frees or fails them."""
    site.serve()
    former = site.qsub("-l", chunk(site))
    site.wait_state(former, "R")
    ok, failed, ended = [
        site.daemon.submit("true", dependencies=[f"{kind}:{site.here(former)}"])
        for kind in ("afterok", "afternotok", "afterany")]
    time.sleep(2.1)  # instants of submission are told in seconds
    if restart:
        site.daemon.kill()
    give_again(site, int(former.split(".")[0]), "bob")
    if restart:
        site.serve()
    site.wait(lambda: site.daemon.job(failed) is site.daemon.job(ended) is None, "their ends")
    site.wait_state(former, "R")  # the stranger
    site.server.end(former)
    site.wait(lambda: site.daemon.job(site.here(former)) is None, "its end")
    site.wait(lambda: "can no longer be satisfied" in site.daemon.ok("checkjob", ok), "that it waits")


def test_of_one_that_is_away_nothing_is_said_not_to_be_there(site):
    """What runs there is not known after a restart; the other part goes on."""
    site.serve()
    theirs = site.here(site.qsub("-l", chunk(site)))
    site.wait(lambda: site.daemon.state(theirs) == "Running", "its run")
    site.daemon.kill()
    site.server.change(lambda o: o.update(away=True))
    site.serve()
    site.wait(lambda: "cannot connect" in site.daemon.run("diagnose", "-R").stdout, "told as away")
    for command in ("checkjob", "canceljob", "showstart"):
        refused = site.daemon.run(command, theirs)
        assert refused.returncode == 1
        assert f"cannot locate job '{theirs}': pbs does not answer" in refused.stderr + refused.stdout
    mine = site.daemon.submit("true")
    site.wait(lambda: site.daemon.job(mine) is None, "the end of the local one")
    site.server.change(lambda o: o.update(away=False))
    site.wait(lambda: site.daemon.state(theirs) == "Running", "what runs there")


class Two:
    """OpenPBS and TORQUE behind one daemon."""

    def __init__(self, build, folder):
        self.new = Site(build, Recorded(folder / "new"))
        self.old = Site(build, Recorded(folder / "old", torque=True))
        self.old.daemon.clean()
        self.daemon = self.old.daemon = self.new.daemon
        self.sites = {"new": self.new, "old": self.old}
        for name, site in self.sites.items():
            site.pbs = self.at(site)

    def at(self, site):
        plain = type(site).pbs

        def pbs(*words, **options):
            self.daemon.env["PBS_RECORDED"] = str(site.server.folder)
            return plain(site, *words, **options)
        return pbs

    def configure(self, **more):
        lines = [f"RMCFG[{name}] TYPE=PBS POLLINTERVAL=1 STARTWAIT=60 {more.get(name, '')}"
                 for name in self.sites]
        self.daemon.configure("\n".join([*lines, f"ADMIN1 root {ME}", "RMPOLLINTERVAL 1",
                                         "NODEALLOCATIONPOLICY FIRSTAVAILABLE", ""]), plain=True)

    def place(self, name):
        server = self.sites[name].server
        return f"BINDIR={server.bin} ENV=PBS_RECORDED={server.folder};PBS_EXEC={server.exec}"


@pytest.fixture
def two(build, tmp_path):
    two = Two(build, tmp_path)
    yield two
    two.daemon.clean()


def test_two_servers_that_nothing_tells_apart_are_refused(two):
    for places in ({}, {name: two.place("new") for name in two.sites}):
        two.configure(**places)
        for word in ("check", "serve"):
            refused = two.daemon.run(word)
            assert refused.returncode == 1
            assert "PBS and RMCFG[new] would be asked by the same" in refused.stdout + refused.stderr
    same = two.place("new")
    two.configure(new=same, old=same.replace("PBS_RECORDED=", "PBS_DEFAULT=other;PBS_RECORDED="))
    assert two.daemon.run("check").returncode == 0


def test_openpbs_and_torque_are_told_apart(two):
    two.configure(new=two.place("new"), old=two.place("old"))
    two.new.serve()
    jobs = {name: site.qsub("-l", chunk(site, 3, 2)) for name, site in two.sites.items()}
    for name, site in two.sites.items():
        site.wait_state(jobs[name], "R")
    here = {"new": jobs["new"].split(".")[0], "old": f"old.{jobs['old'].split('.')[0]}"}
    assert here["old"] == f"old.{here['new']}"  # the same number
    assert {n["node"] for n in two.daemon.job(here["new"])["allocation"]} == {"cn01", "cn02"}
    assert {n["node"] for n in two.daemon.job(here["old"])["allocation"]} == {"old.cn01", "old.cn02"}
    assert {name for name in os.listdir(two.daemon.home) if name.endswith((".wake", ".heartbeat"))} \
        == {"new.wake", "new.heartbeat", "old.wake", "old.heartbeat"}
    for _ in range(2):
        os.kill(two.new.wait(two.new.adapter, "an adapter"), signal.SIGKILL)
        two.daemon.kill()
        two.new.serve()
    both = lambda: [two.daemon.state(id) for id in here.values()]  # noqa: E731
    two.new.wait(lambda: both() == ["Running", "Running"], "both")
    assert [len(site.server.starts(jobs[name])) for name, site in two.sites.items()] == [1, 1]
    two.daemon.ok("canceljob", here["old"])
    two.old.wait_state(jobs["old"], "C", "E")
    assert two.new.server.job(jobs["new"])["job_state"] == "R"
