# SPDX-License-Identifier: Apache-2.0
"""What was accepted is the same after the power failed: random requests over all members,
with hostile texts among them."""
import json
import os
import pathlib
import random
import urllib.parse

import grid_table as table
import pytest

AT = table.AT
SEED = int(os.environ.get("MAUI_ACKNOWLEDGED_SEED", 12))
ROUNDS = int(os.environ.get("MAUI_ACKNOWLEDGED_ROUNDS", 1))
TEXTS = ["plain", "", " ", "a b", "a\tb", "a\nb", "a\u0085b", "é", "日本", "a" * 255, "a" * 300,
         "'q'", '"q"', "a`b", "a\\b", "\\", "%s%n%j", "$PBS_JOBID", "[1-3]", "(", ")", "*", "^a$",
         "-x", "--", "a,b", "a;b", "a:b", "a=b", "a+b-c", "a/b", "../../etc", "a|b&c", "#x", "0",
         "-1", "DEFAULT", "ALL", "NONE", "NULL", "true", "{}", "[]", "\x1b[2J", "\x7f", "\ufeff",
         "\U0001f600", "a\u2028b", "@", "!", "~", "<a>", "é" * 127]
ORDERS = [  # verb, what it may say
    ("hold", {"kinds": [["user"], ["system"], ["batch"], ["all"], ["user", "batch"]],
              "text": TEXTS}),
    ("release", {"kinds": [["user"], ["batch"], ["all"]]}),
    ("priority", {"priority": [0, 1, -5, 1000000, 2**31 - 1], "relative": [True, False]}),
    ("user-priority", {"priority": [0, -1, -1024, 7, 100]}),
    ("qos", {"qos": ["high", "DEFAULT"]}),
    ("deadline", {"at": [AT, AT + 1, 2**40]}),
    ("deadline", {"clear": [True]}),
]
STILL = ("user", "group", "account_asked", "account", "class", "qos_asked", "wclimit_s", "name",
         "requests", "dependencies", "release_at", "deadline_at", "user_priority", "flags",
         "partitions", "reservation_name", "directory", "output", "error", "holds", "rm_holds",
         "submit_at", "messages", "procs", "tasks", "nodes")
RESERVED = ("start_at", "end_at", "acl", "tasks", "places", "per_task", "flags", "owner", "hosts",
            "triggers", "subtype", "label", "comment", "features", "user", "account", "group",
            "partition", "name", "access", "priority", "max_tasks", "created_at")


def vary(value, rng):
    """The value with one of its texts another one."""
    if isinstance(value, str):
        text = rng.choice(TEXTS)
        return rng.choice([text, value + text, text + value])
    if isinstance(value, list):
        return [vary(v, rng) for v in value] + ([vary("x", rng)] if rng.random() < 0.2 else [])
    if isinstance(value, dict):
        return {(vary(k, rng) if rng.random() < 0.1 else k): vary(v, rng)
                for k, v in value.items()}
    return value


def some(members, rng, leave=()):
    """A few members with their examples or something hostile."""
    body = {}
    for member in rng.sample(sorted(members), rng.randint(1, 5)):
        rows = members[member]
        if isinstance(rows, dict):
            rows = [row for inner in rows.values() for row in inner]
        if member in leave or not rows:
            continue
        value = rng.choice(rows)[0]
        body[member] = vary(value, rng) if rng.random() < 0.6 else value
    return body


def answers_of(live, path, names):
    found = {}
    for name in names:
        status, answer = live.api(f"{path}/{urllib.parse.quote(name, safe='')}")
        assert status == 200, (name, answer)
        found[name] = answer
    return found


def only(record, keys):
    """A job may have been deferred since: that is a decision, not what somebody asked."""
    found = {key: record.get(key) for key in keys}
    if "holds" in found:
        found["holds"] = [kind for kind in found["holds"] or [] if kind != "defer"]
    return found


def jobs_and_changes(live, rng):
    """Submissions, each perhaps changed afterwards; the ids of what was accepted."""
    ids, refused = [], 0
    for _ in range(60):
        body = some(table.MEMBERS["JobRequest"], rng, leave=("hold", "array"))
        body.update(script="#!/bin/sh\n", hold=True)
        status, answer = live.api("/v1/jobs", body)
        assert status == 200 or answer["error"]["message"], (body, answer)
        if status != 200:
            refused += 1
            continue
        ids += answer["ids"]
    assert len(ids) > 10 and refused > 5, (len(ids), refused)
    attributes = [a for a in table.CHANGED if table.CHANGED[a] and a not in ("hold", "deadline")]
    for _ in range(60):
        attribute = rng.choice(attributes)
        value = vary(rng.choice(table.CHANGED[attribute])[0], rng)
        status, answer = live.api("/v1/orders/modify", {
            "jobs": [rng.choice(ids)],
            "changes": [{"attribute": attribute, "op": "=", "value": value}]})
        assert status in (200, 400), answer
    return ids


def orders(live, rng, ids):
    """Holds, priorities, deadlines and what administrators leave for each other."""
    done = 0
    for _ in range(60):
        verb, members = rng.choice(ORDERS)
        body = {name: rng.choice(values) for name, values in members.items()
                if name != "text" or rng.random() < 0.5}
        status, answer = live.api(f"/v1/orders/{verb}", dict(body, jobs=[rng.choice(ids)]))
        assert status in (200, 400), (verb, body, answer)
        done += status == 200
    for text in rng.sample(TEXTS, 20):
        live.api("/v1/scheduler", {"action": "annotate", "text": text})
    assert done > 10


def reservations(live, rng):
    names = []
    for i in range(60):
        body = {"hosts": "node0" + str(1 + i % 4), "start_at": AT + 10000 * i, "duration_s": 1000}
        body.update(some(table.MEMBERS["ReservationDraft"], rng,
                         leave=("start_at", "end_at", "duration_s", "trigger", "profile",
                                "exclusive")))
        status, answer = live.api("/v1/reservations", body)
        if status == 200:
            names.append(answer["name"])
            change = some(table.MEMBERS["ReservationChange"], rng,
                          leave=("start_at", "end_at", "duration_s", "trigger", "exclusive"))
            quoted = urllib.parse.quote(names[-1], safe="")
            live.api(f"/v1/reservations/{quoted}", change, "PATCH")
        else:
            assert answer["error"]["message"], (body, answer)
    assert len(names) > 10
    return names


def survive_restart(daemon, rng):
    daemon.configure("QOSCFG[high] PRIORITY=9\nNODECFG[DEFAULT] FEATURES=fast\n")
    daemon.start("--paused")
    ids = jobs_and_changes(daemon, rng)
    orders(daemon, rng, ids)
    names = reservations(daemon, rng)
    jobs = answers_of(daemon, "/v1/jobs", ids)
    kept = answers_of(daemon, "/v1/reservations", names)
    messages = daemon.api("/v1/scheduler")[1].get("messages")
    daemon.kill()
    daemon.start("--paused")
    daemon.wait(lambda: daemon.api(f"/v1/jobs/{ids[-1]}")[0] == 200, "the jobs")
    again = answers_of(daemon, "/v1/jobs", ids)
    for name, record in jobs.items():
        assert only(again[name], STILL) == only(record, STILL), name
    for name, record in answers_of(daemon, "/v1/reservations", kept).items():
        assert only(record, RESERVED) == only(kept[name], RESERVED), name
    assert daemon.api("/v1/scheduler")[1].get("messages") == messages
    assert "is not taken" not in daemon.log() and "are lost" not in daemon.log()
    assert "before the restart" not in daemon.log()
    assert len(list((pathlib.Path(daemon.home) / "spool" / "jobs").iterdir())) == len(ids)


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_what_was_accepted_survives_a_restart_unchanged(daemon, seed):
    survive_restart(daemon, random.Random(seed))


def test_a_qos_that_was_taken_back_stays_so(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=9\nQOSWEIGHT 1\n")
    daemon.start("--paused")
    job = daemon.submit(qos="high")
    daemon.ok("setqos", "DEFAULT", job)
    asked = daemon.job(job).get("qos_asked")
    daemon.kill()
    daemon.start("--paused")
    assert asked != "high" and daemon.job(job).get("qos_asked") == asked


def test_every_name_of_a_reservation_can_be_asked_for_again(daemon):
    daemon.start("--paused")
    body = {"hosts": "node01", "start_at": AT, "duration_s": 1000}
    status, answer = daemon.api("/v1/reservations", dict(body, name="a" * 255))
    assert status == 400 and "its number is put behind" in answer["error"]["message"]
    for name in ("a/b", "../../etc", "a" * 231):
        status, answer = daemon.api("/v1/reservations", dict(body, name=name))
        assert status == 200, answer
        assert answer["name"] in daemon.ok("showres", answer["name"])
        daemon.kill()
        daemon.start("--paused")
        daemon.ok("releaseres", answer["name"])


def test_a_node_set_that_is_no_longer_there_costs_no_reservation(daemon):
    configuration = "RESERVATIONDEPTH 1\nNODECFG[node01] FEATURES={}\n"
    daemon.configure(configuration.format("fast"))
    daemon.start("--paused")
    status, answer = daemon.api("/v1/reservations", {
        "hosts": "node01", "tasks": 1, "nodeset": "ONEOF:FEATURE:fast", "start_at": AT,
        "duration_s": 1000})
    assert status == 200, answer
    daemon.kill()
    daemon.configure(configuration.format("slow"))
    daemon.start("--paused")
    status, again = daemon.api(f"/v1/reservations/{answer['name']}")
    assert status == 200 and again["places"] == answer["places"]


def test_the_members_looked_at_are_there():
    """A key that the API never had would compare nothing."""
    source = pathlib.Path(__file__).resolve().parents[2] / "src" / "server" / "api" / "openapi.json"
    schemas = json.loads(source.read_text(encoding="utf-8"))["components"]["schemas"]
    assert set(STILL) <= set(schemas["Job"]["properties"])
    assert set(RESERVED) <= set(schemas["Reservation"]["properties"])
