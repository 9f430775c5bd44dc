# SPDX-License-Identifier: Apache-2.0
"""GET /v1/rows and /v1/timeline: what is where and when, as other lists tell it."""
import collections
import json
import pathlib
import struct
import subprocess

import pytest

from live_daemon import Connection
from live_users import Users, need_users
from simulation_test import EPOCH, four_jobs, simulation  # noqa: F401 (a fixture)
from timeline_reader import names, pieces, read


def ask(daemon, path, tag=None):
    """(status, bytes) over the socket."""
    c = Connection(f"{daemon.home}/api.sock", 60)
    c.request("GET", path, headers={"If-None-Match": f'"{tag}"'} if tag else {})
    answer = c.getresponse()
    data = answer.read()
    c.close()
    return answer.status, data


def window(daemon, **query):
    status, data = ask(daemon, "/v1/timeline?" + "&".join(
        f"{k.rstrip('_')}={v}" for k, v in query.items()))
    assert status == 200, data
    return data


def ids(found, kind):
    return {p["id"] for p in found if p["kind"] == kind}


@pytest.fixture
def site(live):
    """Two jobs run, one has a promise, two have none; half of the machine is reserved for
    later."""
    live.jobs = {}
    for name, procs, limit in (("a", 4, 3600), ("b", 2, 7200)):
        live.jobs[name] = live.submit("sleep 600", wclimit_s=limit,
                                      requests=[{"tasks": procs, "per_task": {"procs": 1}}])
        live.wait(lambda: live.state(live.jobs[name]) == "Running", "its start")
    for name, procs, limit in (("c", 8, 7000), ("d", 8, 7000), ("e", 2, 90000)):
        live.jobs[name] = live.submit("sleep 600", wclimit_s=limit, requests=[
            {"tasks": procs, "per_task": {"procs": 1}}])
    live.ok("setres", "-u", "somebody", "-n", "later", "-s", "+5:00:00", "-d", "1:00:00",
            "node01,node02")
    live.wait(lambda: [r for r in live.api("/v1/reservations")[1]
                       if r["name"] == live.jobs["c"]], "the promise")
    return live


def test_rows_are_the_nodes_in_an_order_for_people(site):
    rows = site.api("/v1/rows")[1]
    nodes = {n["name"]: n for n in site.api("/v1/nodes")[1]}
    assert names(rows) == sorted(nodes) and rows["rows"] == len(nodes)
    assert rows["groups"] == [{"name": "DEFAULT", "first": 0, "count": len(nodes)}]
    assert sum(k["count"] for k in rows["kinds"]) == len(nodes)
    assert rows["kinds"][0]["procs"] == 2
    assert ask(site, "/v1/rows", rows["tag"]) == (304, b"")
    assert ask(site, "/v1/rows", "0" * 16)[0] == 200
    assert [g["name"] for g in site.api("/v1/rows?by=state")[1]["groups"]] == ["up"]
    status, answer = site.api("/v1/rows?by=stat")
    assert status == 400 and "did you mean 'state'" in answer["error"]["message"]


def test_pieces_are_where_reservations_say(site):
    """Of jobs and others: each node that showres names has its piece, and no other has."""
    names_ = names(site.api("/v1/rows")[1])
    found = pieces(window(site, as_="pieces"))
    where = collections.defaultdict(dict)
    for p in found:
        for row in range(p["rows"][0], p["rows"][1] + 1):
            where[p["id"]][names_[row]] = p
    told = {r["name"]: r for r in site.api("/v1/reservations")[1]}
    assert {site.jobs["a"], site.jobs["b"], site.jobs["c"]} < set(told)
    for name, r in told.items():
        places = {p["node"] for p in r.get("places", [])}
        assert set(where[name]) == places, name
        for p in where[name].values():
            assert p["start"] == r["start_at"], name
            assert p["end"] == r["end_at"], name
    assert ids(found, "running") == {site.jobs["a"], site.jobs["b"]}
    assert ids(found, "promised") == {site.jobs["c"]}
    assert ids(found, "reserved") == {n for n, r in told.items() if r["type"] == "User"}
    # whom nothing was promised: when they would come, one after the other
    assert ids(found, "forecast") >= {site.jobs["d"]}
    starts = {p["id"]: p["start"] for p in found}
    assert starts[site.jobs["d"]] >= starts[site.jobs["c"]] + 7000
    assert read(window(site))[0]["forecast"]["of"] == 2
    # half the machine, and a window that ends before
    half = pieces(window(site, rows="2-3", layers="use"))
    assert half and all(p["rows"][0] >= 2 and p["kind"] == "running" for p in half)
    now = site.api("/v1/identity")[1]["at"]
    assert pieces(window(site, from_=now - 9000, to=now - 8000, layers="use,promised")) == []


def test_what_has_not_changed_is_not_told_again(site):
    def known(path, of):
        return ask(site, path, read(ask(site, of)[1])[0]["state"]) == (304, b"")

    site.wait(lambda: known("/v1/timeline", "/v1/timeline"), "a quiet moment")
    # the answer to another question is not known by it
    assert not known("/v1/timeline?layers=use", "/v1/timeline")
    state = read(ask(site, "/v1/timeline")[1])[0]["state"]
    site.ok("sethold", site.jobs["e"])
    assert ask(site, "/v1/timeline", state)[0] == 200


def test_cells_are_shares_of_processor_time(site):
    at = site.api("/v1/identity")[1]["at"]
    heading, columns = read(window(site, from_=at, to=at + 1000, as_="cells", width=40,
                                   height=8, layers="use", color="user"))
    assert (heading["lines"], heading["rows_a_line"], heading["columns"]) == (2, 2, 10)
    # 4 processors of a on the first two nodes, 2 of b on the third
    assert list(columns["cell.use"]) == [255] * 10 + [128] * 10
    user = heading["names"]["user"]
    assert len(user) == 1 and set(columns["cell.colour"]) == {0}
    # many rows in few pixels are cells by themselves
    assert read(window(site, height=5))[0]["as"] == "cells"
    assert read(window(site, height=500))[0]["as"] == "pieces"


def test_a_group_is_one_row_with_the_sums(site):
    """Folded, the nodes of a group are one row: what is alike on them is one piece, and the
    share of time is that of all of them together."""
    rows = site.api("/v1/rows?by=state&fold=*")[1]
    assert names(rows) == ["up"] and rows["groups"] == [{"name": "up", "first": 0, "count": 1, "folded": 4}]
    assert rows["kinds"] == [{"first": 0, "count": 1, "procs": 8}]
    found = pieces(window(site, by="state", fold="up", as_="pieces"))
    procs = {p["id"]: p["procs"] for p in found}
    assert all(p["rows"] == (0, 0) for p in found) and len(procs) == len(found)
    assert [procs[site.jobs[j]] for j in "abc"] == [4, 2, 8]
    assert [p["procs"] for p in found if p["kind"] == "reserved"] == [4]
    at = site.api("/v1/identity")[1]["at"]
    query = {"from_": at - 60, "to": at + 9000, "as_": "cells", "width": 400, "height": 4}
    one, all_ = (read(window(site, **query, **more))[1] for more in ({"by": "state", "fold": "*"}, {}))
    for layer in ("use", "promised", "reserved"):
        assert one[f"cell.{layer}"] == all_[f"cell.{layer}"], layer
    # of what is no group nothing is folded
    assert site.api("/v1/rows?by=state&fold=nothing|u")[1]["rows"] == 4
    assert site.api("/v1/rows?by=state&fold=" + "x|" * 2048)[1]["rows"] == 4
    assert site.api("/v1/rows?by=state&fold=" + "x|" * 2049)[0] == 400


def looks(site):
    text = ask(site, "/metrics")[1].decode()
    return int(next(l.split()[1] for l in text.splitlines() if l.startswith("maui_timeline_looks_total ")))


def test_a_question_costs_what_it_asks(site):
    """Counted, not measured: nodes that are looked at, and bytes that are sent."""
    def cost(path, tag=None):
        """Of the one, as nothing else asks; none of an answer that was begun anew."""
        before, revision = looks(site), site.api("/v1/jobs?limit=1")[1][0]["summary"].get("revision")
        answer = ask(site, path, tag)
        spent = looks(site) - before
        return (spent, len(answer[1])) if site.api("/v1/jobs?limit=1")[1][0]["summary"].get("revision") == revision else None

    def quiet(path, tag=None):
        return site.wait(lambda: cost(path, tag), "a quiet moment")

    query = "/v1/timeline?from=1790000000&to=1790086400&layers=use,reserved,down"
    assert quiet(query + "&rows=1-2")[0] in (0, 2)  # 0: the same was asked in this state
    assert quiet(query)[0] in (0, 4)
    assert quiet(query + "&fold=*")[0] in (0, 4)
    state = read(ask(site, query)[1])[0]["state"]
    assert quiet(query, state)[0] in (0, 4)
    # a year in fewest pixels or most of them: no more than the cells that can be seen
    year = "/v1/timeline?from=1790000000&to=1821500000&as=cells"
    assert len(ask(site, year + "&width=8192&height=8192")[1]) < 4 * 512 * 7 + 4000
    assert len(ask(site, year + "&width=4&height=4")[1]) < 4000


def test_packed_is_the_same(site):
    query = {"from_": 1700000000, "to": 1800000000 - 90000000, "layers": "use,reserved"}
    plain, packed = window(site, **query), window(site, packed=1, **query)
    assert plain[6:7] == b"\0" and packed[6:7] == b"Z"
    assert [read(plain)[i] for i in range(2)][1] == read(packed)[1]


@pytest.mark.parametrize("query, told", [
    ("layers=us", "did you mean 'use'"), ("color=usr", "did you mean 'user'"),
    ("as=piece", "did you mean 'pieces'"), ("from=5&to=4", "later than"),
    ("from=1&to=99999999999", "a year"), ("from=-99999999999", "a year"),
    ("from=-1&to=9223372036854775807&as=cells", "a year"), ("from=9223372036854775807", "a year"),
    ("from=-9223372036854775808&to=9223372036854775807", "a year"), ("rows=5", "FIRST-LAST"), ("rows=3-1", "FIRST-LAST"),
    ("rows=-1-2", "FIRST-LAST"), ("width=0", "1 to"), ("height=x", "whole number"), ("height=99999", "1 to"),
    ("by=nodes", "there is no"), ("fold=" + "x|" * 2049, "longer than 4096")])
def test_wrong_words(live, query, told):
    status, data = ask(live, f"/v1/timeline?{query}")
    assert status == 400 and told in data.decode(), data


def test_rows_that_are_not_there_are_none(live):
    for rows in ("4-9", "9-9", "0-99999999", "4294967296-4294967299"):
        assert ask(live, f"/v1/timeline?rows={rows}")[0] == 200


def bytes_of(daemon, **query):
    """All that docs/timeline-format.md promises of an answer, as text that can be compared:
    the heading but for what is another one each time, and each section's bytes."""
    data = window(daemon, **query)
    assert data[:8] == b"MAUITL\0\1"
    size, = struct.unpack_from("<I", data, 8)
    heading = json.loads(data[12:12 + size])
    for name in ("state", "revision", "plan"):
        assert heading.pop(name) or name == "plan"
    sections = heading.pop("sections")
    lines = [f"{k} {json.dumps(v, sort_keys=True)}" for k, v in sorted(heading.items())]
    lines += [f"{s['name']} {s['type']} {s['at']} "
              + data[12 + size + s["at"]:12 + size + s["at"] + s["bytes"]].hex() for s in sections]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name, query", [
    ("pieces", {"as_": "pieces"}),
    ("cells", {"as_": "cells", "width": 16, "height": 8, "layers": "use,promised", "color": "user"})])
def test_the_bytes_are_as_they_were(simulation, name, query):
    """Kept in tests/golden/timeline: who reads them elsewhere relies on them. Jobs, nodes and
    clock are of a simulation, the same each time."""
    four_jobs(simulation)
    simulation.begin("RESERVATIONDEPTH 1\n")
    simulation.ok("schedctl", "-S", "3S")
    kept = pathlib.Path(__file__).parents[1] / "golden" / "timeline" / f"{name}.txt"
    found = bytes_of(simulation, from_=EPOCH - 60, to=EPOCH + 1940, **query)
    assert found == kept.read_text(), found


def test_many_ask_while_jobs_come_and_go(live):
    """A forecast ends where the world changes under it; who asks gets an answer."""
    readers = [subprocess.Popen(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} ", "--unix-socket",
         f"{live.home}/api.sock", f"http://maui/v1/timeline?from={n}&to={n + 9999999}#[1-20]"],
        stdout=subprocess.PIPE, text=True) for n in (1790000000, 1790000001)]
    jobs = [live.submit("sleep 600", wclimit_s=60 + n, requests=[{"tasks": 8}]) for n in range(12)]
    for job in jobs[::2]:
        live.ok("canceljob", job)
    for r in readers:
        assert set(r.communicate(timeout=120)[0].split()) == {"200"}
    live.wait(lambda: ask(live, "/v1/timeline")[0] == 200, "an answer afterwards")


def test_what_is_over_stays_in_sight(site):
    """Where it was and for how long, as accounting tells it; of a removed one that it was."""
    row = names(site.api("/v1/rows")[1])
    done = site.submit("sleep 1", wclimit_s=600, requests=[{"tasks": 2, "per_task": {"procs": 1}}])
    before = {p["id"]: p for p in pieces(window(site, layers="use", as_="pieces"))}
    site.wait(lambda: site.api("/v1/identity")[1]["at"] > before[site.jobs["a"]]["start"], "a second of it")
    site.ok("canceljob", site.jobs["a"])
    over = {site.jobs["a"], done}

    def accounted():
        records = site.api("/v1/accounting")[1]
        return {a["id"]: a for a in (records if isinstance(records, list) else [records])}

    site.wait(lambda: over <= set(accounted()), "their ends")
    told = accounted()
    at = min(told[i]["start_at"] for i in over)
    found = {p["id"]: p for p in pieces(window(site, layers="ended", as_="pieces", from_=at - 5))}
    assert {i: p["kind"] for i, p in found.items()} == {site.jobs["a"]: "failed", done: "ended"}
    assert found[site.jobs["a"]]["rows"] == before[site.jobs["a"]]["rows"]
    for i in over:
        assert (found[i]["start"], found[i]["end"]) == (told[i]["start_at"], told[i]["end_at"])
        assert row[found[i]["rows"][0]] == told[i]["master_host"], told[i]
    assert not {"ended", "failed"} & {p["kind"] for p in pieces(window(site, layers="use"))}
    ends = max(told[i]["end_at"] for i in over)
    assert not over & {p["id"] for p in pieces(window(site, layers="ended", from_=ends))}


def test_a_user_sees_what_lists_show(site):
    need_users()
    users = Users(site)
    mine = users.submit("nobody", script="#!/bin/sh\nsleep 1\n")
    others = site.submit("sleep 1", wclimit_s=300)
    over = lambda found: ids(found, "ended") | ids(found, "failed")  # noqa: E731
    site.wait(lambda: {mine, others} <= over(pieces(window(site, layers="ended", as_="pieces"))),
              "their ends")
    # of what is over what accounting tells
    assert over(pieces(users.fetch("nobody", "/v1/timeline?layers=ended&as=pieces")[1])) == {mine}
    status, text = users.fetch("nobody", "/v1/timeline?as=pieces")
    assert status == "200"
    found = pieces(text)
    assert ids(found, "running") == {site.jobs["a"], site.jobs["b"]}
    assert ids(found, "promised") == {site.jobs["c"]}
    assert ids(found, "reserved") == set()  # somebody's
    assert users.fetch("nobody", "/v1/rows?by=class")[0] == "403"
    assert users.fetch("nobody", "/v1/rows?by=frame&fold=*")[0] == "403"
    assert users.api("nobody", "/v1/rows?by=state&fold=*")[1]["rows"] == 1
    efficiency = lambda data: set(read(data)[1]["object.efficiency"])  # noqa: E731
    assert efficiency(text) == {255}  # others'
    assert users.fetch("nobody", "/v1/timeline?by=feature")[0] == "403"
    rows = users.api("nobody", "/v1/rows")[1]
    assert set(rows["kinds"][0]) == {"first", "count", "procs", "partition"}
    whole = site.api("/v1/rows")[1]
    assert rows["kinds"][0]["procs"] == 2 and "mem_mb" in whole["kinds"][0]
    # each has a tag of its own text, and the picture names it
    assert rows["tag"] != whole["tag"] and read(window(site))[0]["tag"] == whole["tag"]
    assert read(text)[0]["tag"] == rows["tag"]
