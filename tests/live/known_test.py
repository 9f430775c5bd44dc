# SPDX-License-Identifier: Apache-2.0
"""What a resource manager tells again and again is written down once."""
import contextlib
import json
import sqlite3


def nodes_told(live):
    path = f"file:{live.home}/state.db?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as db:
        lines = [json.loads(text) for (text,) in db.execute("SELECT text FROM journal")]
    return [line["node"]["name"] for line in lines if line.get("event") == "node"]


def iteration(live):
    return live.api("/v1/scheduler")[1]["iteration"]


def test_nodes_that_are_told_the_same_are_no_event(live):
    live.configure("RMPOLLINTERVAL 1\n")
    live.ok("schedctl", "-R")
    begin = iteration(live)
    live.wait(lambda: iteration(live) >= begin + 3, "some looks at the nodes")
    job = live.submit("sleep 2")  # its node is told of, and what is committed has all before it
    live.wait(lambda: live.state(job) in (None, "Completed"), "the end of the job")
    live.wait(lambda: iteration(live) >= begin + 6, "some more")
    told = nodes_told(live)
    assert len(set(told)) == 4
    assert len(told) <= 4 + 4, told  # once each, and as the job began and ended
    assert live.api(f"/v1/nodes/{told[0]}")[1]["state"] == "Idle"
