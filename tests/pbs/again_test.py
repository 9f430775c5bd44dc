# SPDX-License-Identifier: Apache-2.0
"""A server that has lost its queue gives numbers again: who has one then is a new job, and
nothing of the former sticks to it, be it the same user's."""
import pathlib
import sys
import time

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "live")]
from recorded import SERVER, Recorded, qsub  # noqa: E402
from recorded_test import Site  # noqa: E402


@pytest.fixture(params=[False, True], ids=["openpbs", "torque"])
def site(request, build, tmp_path):
    made = Site(build, Recorded(tmp_path / "pbs", torque=request.param))
    try:
        yield made
    finally:
        made.end()


def give_again(site, first, user):
    """Its jobs are gone, and `user` has submitted as many."""
    def lose(o):
        numbers = len(o["jobs"])
        o["jobs"].clear()
        o["next"] = first
        for _ in range(numbers):
            qsub(o, ["-l", "select=1:ncpus=1" if not o["torque"] else "nodes=1:ppn=1"])
        for job in o["jobs"].values():
            job.update(Job_Owner=f"{user}@{SERVER}", euser=user)
    site.server.change(lose)


@pytest.mark.parametrize("restart", [False, True], ids=["at-once", "after-a-restart"])
@pytest.mark.parametrize("user", ["alice", "bob"])
def test_a_number_that_is_given_again_is_a_new_job(site, user, restart):
    site.serve()
    daemon = site.daemon
    runs = site.qsub()
    daemon.wait(lambda: daemon.state(runs.split(".")[0]) == "Running", "the run")
    waits = site.qsub("-h")
    number, held = (id.split(".")[0] for id in (runs, waits))
    daemon.wait(lambda: daemon.state(held) == "Hold", "the one that is held")
    daemon.ok("sethold", "-b", held)
    daemon.ok("setspri", "77", held)
    time.sleep(2.1)  # instants of submission are told in seconds
    if restart:
        daemon.kill()
    give_again(site, int(number), user)
    if restart:
        site.serve()
    site.wait(lambda: len(site.server.starts(runs)) == 2, "the start of the new one")
    site.wait(lambda: len(site.server.starts(waits)) == 1, "the other, which nobody holds")
    daemon.wait(lambda: daemon.state(held) == "Running", "its run")
    assert daemon.job(held)["user"] == user and not daemon.job(held).get("system_priority")
    for id in (runs, waits):
        site.server.end(id)

    def ends():
        return sorted((j["user"], j["state"], j["start_at"] > 0) for j in daemon.lines("showq", "-c")
                      if j["id"] == number)

    wanted = sorted([("alice", "Vacated", True), (user, "Completed", True)])
    daemon.wait(lambda: ends() == wanted or len(ends()) > 2, "their ends", 20)
    assert ends() == wanted
