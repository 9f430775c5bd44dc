# SPDX-License-Identifier: Apache-2.0
"""What would be if, by living on: told while it goes on, and so it comes in a simulation."""
import contextlib
import glob
import json
import os
import random
import signal
import socket

import pytest

from live_daemon import Connection
from simulation_test import EPOCH, Simulation, job

MONTH = 2592000


@pytest.fixture
def simulation(build):
    s = Simulation(build / "src" / "client" / "maui")
    yield s
    s.clean()


def arrive(simulation):
    """The jobs of the trace have come, and the clock stands."""
    simulation.begin()
    simulation.ok("schedctl", "-S", "1S")


class Lines:
    """A question whose answer comes line by line."""

    def __init__(self, daemon, *changes, **more):
        self.daemon = daemon
        self.c = Connection(f"{daemon.home}/api.sock", 120)
        self.c.request("POST", "/v1/whatif", json.dumps(dict(more, changes=changes, method="run")), {
            "Content-Type": "application/json", "Accept": "application/x-ndjson"})
        self.reply = self.c.getresponse()
        assert self.reply.status == 200, self.reply.read()
        assert self.reply.getheader("Content-Type") == "application/x-ndjson"

    def progress(self):
        return json.loads(self.reply.readline())["progress"]

    def last(self):
        *before, last = [json.loads(line) for line in self.reply.read().splitlines()]
        assert all("progress" in line for line in before)
        self.c.close()
        return last

    def refused(self):
        return self.last()["error"]["code"]

    def leave(self):
        self.c.sock.shutdown(socket.SHUT_RDWR)
        self.c.close()


def below(pid):
    """Its children, of any of its threads."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path) as f:
            found += [int(child) for child in f.read().split()]
    return found


def test_it_is_told_how_far_it_got(simulation):
    """And it ends with its client, a newer one, or either of its two processes."""
    simulation.trace(*[job(n, 0, 60, 60, n % 4 + 1, n % 9) for n in range(1, 8001)])
    arrive(simulation)
    window = {"reserve": {"hosts": "ALL", "start_at": EPOCH + 3600, "duration_s": 3600}}
    seen = []

    def begin(**more):
        asked = Lines(simulation, window, horizon_s=MONTH, **more)
        first = asked.progress()
        assert 0 <= first["percent"] <= 100 and first["at"] >= EPOCH, first
        (pid, other), = [(pid, *below(pid)) for pid in below(simulation.pid()) if below(pid)]
        seen[:] = [pid, other]
        return asked

    def end(asked=None, how=None):
        if asked:
            assert asked.refused() == how
        simulation.wait(lambda: not any(map(os.path.exists, (f"/proc/{pid}" for pid in seen))),
                        "the end of the copy")

    asked = begin()
    plan = simulation.api("/v1/whatif", {"changes": [window]})[1]
    assert plan["method"] == "plan", "it takes no place of the other method"
    assert asked.progress()["at"] > EPOCH
    newer = Lines(simulation, horizon_s=60)
    end(asked, "conflict")
    answer = newer.last()
    assert answer["until"] == answer["horizon_at"] == EPOCH + 60, answer
    begin().leave()
    end()
    for which, how, code in ((0, signal.SIGKILL, "busy"), (1, signal.SIGKILL, "busy"),
                             (1, signal.SIGSEGV, "internal")):
        asked = begin()
        os.kill(seen[which], how)
        end(asked, code)
    answer = begin(cpu_ms=100).last()
    assert answer["until"] < answer["horizon_at"] and answer["changes"][0]["ok"], answer
    assert "was enough for" in answer["notes"][0]
    # asked once more, it is that answer; not when something is different
    again = Lines(simulation, window, horizon_s=MONTH, cpu_ms=100)
    assert json.loads(again.reply.read()) == answer
    simulation.ok("sethold", "1")
    assert begin(cpu_ms=100).last()["revision"] > answer["revision"]
    asked = begin()
    simulation.stop()
    end()


@pytest.mark.parametrize("seed", [1])
def test_so_it_comes_in_a_simulation(simulation, seed):
    """Starts without the reservation, and with it, to the second; also when it is asked in
    the middle."""
    rng = random.Random(seed)
    limits = [rng.randint(1, 40) * 60 for _ in range(25)]
    simulation.trace(*[job(n, 0, limit, limit, rng.randint(1, 4), rng.randint(1, 5))
                       for n, limit in enumerate(limits, 1)])
    ids = [str(n) for n in range(1, 26)]
    window = {"reserve": {"start_at": EPOCH + 3600, "duration_s": 1800, "hosts": "ALL", "name": "all"}}

    def ask(*changes):
        answer = simulation.api("/v1/whatif", {"changes": changes, "method": "run", "watch": ids,
                                               "horizon_s": MONTH})[1]
        return ([{w["id"]: w.get(f"{when}_at", 0) - EPOCH for w in answer["watched"]}
                 for when in ("before", "after")])

    def come():
        simulation.ok("schedctl", "-r")
        simulation.wait_for_end()
        return {name: row[1] for name, row in simulation.ended().items()}

    arrive(simulation)
    without, same = ask()
    before, foretold = ask(window)
    assert without == same == before != foretold
    told = [Lines(simulation, window).last() for _ in range(2)]
    assert told[0] == told[1], "the kept answer had come together with what was told before"
    assert come() == without
    arrive(simulation)
    assert ask(window) == [before, foretold]
    status, answer = simulation.api("/v1/reservations", window["reserve"])
    assert status == 200, answer
    assert ask()[1] == foretold
    simulation.ok("schedctl", "-S", "20S")
    later = ask()[1]
    assert all(later[name] in (foretold[name], -EPOCH) for name in ids)
    assert come() == foretold
