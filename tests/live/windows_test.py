# SPDX-License-Identifier: Apache-2.0
"""showbf and showstart of a clock that stands still, beside a model that looks at every
node and every instant at which something begins or ends."""
import random
import re

import pytest

from simulation_test import Simulation, job

NODES, PROCS = 6, 4
ENDLESS = 10 ** 12
NAMES = [f"n{i + 1}" for i in range(NODES)]


@pytest.fixture(scope="module")
def simulations(build):
    begun = []

    def begin(*args):
        s = Simulation(build / "src" / "client" / "maui")
        s.nodes = f"{NODES}x{PROCS}"
        begun.append(s)
        return s
    yield begin
    for s in begun:
        s.clean()


class Model:
    """What is taken of each node: (node, procs, from, until, who may use it)."""

    def __init__(self, now):
        self.now, self.taken = now, []

    def take(self, node, procs, begin, end, users=()):
        self.taken.append((node, procs, begin, end, users))

    def instants(self):
        return sorted({self.now} | {t for _, _, b, e, _ in self.taken for t in (b, e)
                                    if self.now < t < ENDLESS})

    def free(self, user, begin, end):
        """Processors that a job of the user could have from begin to end."""
        total = 0
        for node in NAMES:
            there = [(p, b, e) for n, p, b, e, users in self.taken
                     if n == node and user not in users and b < end and begin < e]
            busiest = max((sum(p for p, b, e in there if b <= t < e)
                           for t in [begin] + [b for _, b, _ in there if b > begin]),
                          default=0)
            total += max(PROCS - busiest, 0)
        return total

    def windows(self, user):
        """{procs: for how long}, as far as nothing else is wider and longer."""
        found = {}
        for end in self.instants()[1:] + [ENDLESS]:
            procs = self.free(user, self.now, end)
            if procs:
                found[procs] = None if end == ENDLESS else end - self.now
        return found

    def first(self, user, procs, seconds):
        return next((t for t in self.instants()
                     if self.free(user, t, t + seconds) >= procs), None)


def make_scene(s, rng):
    """Jobs that run, and reservations of whole nodes and of parts of them, for people who
    have had no job; the model of it."""
    s.trace(*(job(i + 1, 0, 5000, rng.choice((600, 900, 3600)), rng.randint(1, 5),
                  rng.randint(1, 3)) for i in range(rng.randint(1, 6))))
    s.begin("RESERVATIONPOLICY NEVER\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n")
    s.ok("schedctl", "-S", "1S")
    model = Model(s.scheduler()["at"] + 60)
    for user in rng.sample(("games", "bin", "daemon"), rng.randint(1, 3)):
        node, at, long = rng.choice(NAMES), rng.randint(1, 40) * 100, rng.randint(1, 40) * 100
        end = f"-d {long}" if rng.random() < 0.8 else "-d INFINITY"
        part = rng.random() < 0.4
        done = s.run("setres", "-u", user, "-s", f"+{at}", *end.split(),
                     *(("-r", "PROCS=1", "TASKS==2") if part else (node,)))
        if done.returncode:
            continue
        name = done.stdout.split("'")[1]
        told = s.api(f"/v1/reservations/{name}")[1]
        for place in told["places"]:
            model.take(place["node"], place["tasks"] if part else PROCS, told["start_at"],
                       told.get("end_at") or ENDLESS, (user,))
    s.ok("schedctl", "-S", "1S")  # the plan is of the last iteration
    assert s.scheduler()["at"] == model.now
    for row in s.lines("showq"):
        if row.get("state") != "Running":
            continue
        told = s.job(row["id"])
        for part in told["allocation"]:
            model.take(part["node"], part["tasks"], told["start_at"],
                       told["start_at"] + told["wclimit_s"])
    return model


@pytest.mark.parametrize("seed", range(8))
def test_windows_and_starts_are_those_of_a_model(simulations, seed):
    rng = random.Random(seed)
    s = simulations()
    model = make_scene(s, rng)
    for user in ("games", "daemon", "root", "nobody"):
        status, answer = s.api(f"/v1/windows?user={user}")
        assert status == 200, answer
        found = {w["procs"]: w.get("duration_s")
                 for p in answer["partitions"] for w in p["windows"]}
        assert found == model.windows(user), (seed, user, model.taken)
        for _ in range(6):
            procs, seconds = rng.randint(1, NODES * PROCS), rng.randint(1, 50) * 100
            status, answer = s.api(f"/v1/start?user={user}&procs={procs}&duration_s={seconds}")
            assert (answer["start_at"] if status == 200 and "start_at" in answer else None
                    ) == model.first(user, procs, seconds), (seed, user, procs, seconds,
                                                             answer, model.taken)


def windows(daemon, *words):
    """Processors and for how long, as printed."""
    return [line.strip() for line in daemon.ok("showbf", *words).splitlines()
            if "procs available" in line]


def test_nodes_in_part_use_count_and_whoever_a_list_names_is_known(daemon):
    daemon.nodes = "4x4"
    daemon.configure("NODEALLOCATIONPOLICY FIRSTAVAILABLE\n"
                     "SRCFG[int] PERIOD=INFINITY HOSTLIST=node04 CLASSLIST=interactive\n")
    daemon.start()
    daemon.ok("setres", "-u", "ann", "-s", "+2:00:00", "-d", "1:00:00", "node01")
    daemon.ok("msub", "-l", "nodes=1:ppn=3,walltime=600", "--", "sleep", "60")
    daemon.wait(lambda: "9 procs" in daemon.ok("showbf", "-u", "games"), "the start")
    wide, long = windows(daemon, "-u", "games")
    assert re.match(r"9 procs available for +(0?1:5|2:00:00)", wide)
    assert long == "8 procs available with no timelimit"
    # Neither ann nor the class has had a job.
    assert windows(daemon, "-u", "ann") == ["9 procs available with no timelimit"]
    assert windows(daemon, "-u", "games", "-c", "interactive")[-1] == (
        "12 procs available with no timelimit")


def test_processors_of_free_nodes_count_where_a_node_takes_one_task(daemon):
    daemon.nodes = "4x4"
    daemon.configure("NODEACCESSPOLICY SINGLETASK\n")
    daemon.start()
    daemon.submit("sleep 60", wclimit_s=600)
    daemon.wait(lambda: windows(daemon) == ["12 procs available with no timelimit"],
                "the start")
