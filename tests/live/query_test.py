# SPDX-License-Identifier: Apache-2.0
"""When could it start, what is free: through the daemon."""
import functools
import time

from live_users import Users


def test_a_waiting_job_is_told_its_start(live):
    first = live.submit("sleep 60", requests=[{"tasks": 8}], wclimit_s=300)
    live.wait(lambda: live.state(first) == "Running", "the start")
    second = live.submit("sleep 60", requests=[{"tasks": 8}], wclimit_s=100)
    third = live.submit("sleep 60", requests=[{"tasks": 8}], wclimit_s=100)
    live.wait(lambda: live.job(third) and live.job(second).get("reservation_at"),
              "the reservation")
    began = live.job(first)["start_at"]
    status, answer = live.api(f"/v1/jobs/{first}/start")
    assert status == 200
    assert answer["method"] == "running" and answer["start_at"] == began
    assert answer["procs"] == 8 and answer["duration_s"] == 300
    answer = live.api(f"/v1/jobs/{second}/start")[1]
    assert answer["method"] == "reservation"
    assert answer["start_at"] == began + 300 and answer["end_at"] == began + 400
    assert answer["partition"] == "DEFAULT"
    answer = live.api(f"/v1/jobs/{third}/start")[1]
    assert answer["method"] == "earliest" and answer["start_at"] == began + 400
    assert live.api("/v1/jobs/no-such/start")[0] == 404


def test_processors_for_a_time_and_windows(live):
    job = live.submit("sleep 60", requests=[{"tasks": 6}], wclimit_s=300)
    live.wait(lambda: live.state(job) == "Running", "the start")
    began = live.job(job)["start_at"]
    answer = live.api("/v1/start?procs=2&duration_s=1000")[1]
    assert abs(answer["start_at"] - time.time()) < 30
    assert answer["end_at"] - answer["start_at"] == 1000
    assert live.api("/v1/start?procs=3")[1]["start_at"] == began + 300
    assert live.api("/v1/start?procs=9")[1]["start_at"] is None
    status, answer = live.api("/v1/windows")
    assert status == 200
    now = {"procs": 2, "nodes": 1, "duration_s": None, "start_at": None}
    assert answer["partitions"] == [{"name": "DEFAULT", "windows": [now]}]
    answer = live.api("/v1/windows?per_node=1&any=1")[1]
    assert [(n["procs"], n["duration_s"]) for n in answer["nodes"]] == [(2, None)]
    assert live.api("/v1/windows?procs=3")[1]["partitions"][0]["windows"] == []


def test_where_it_would_be_and_what_is_in_its_way(live):
    job = live.submit("sleep 60", requests=[{"tasks": 6}], wclimit_s=300)
    live.wait(lambda: live.state(job) == "Running", "the start")
    began = live.job(job)["start_at"]
    answer = live.api("/v1/start?procs=2&duration_s=100&places=1")[1]
    assert answer["nodes"] == 1 and [p["tasks"] for p in answer["places"]] == [2]
    free = answer["places"][0]["node"]
    # two on one node each: not before the job that has three of the four ends
    answer = live.api("/v1/start?procs=4&procs_per_task=2&duration_s=100&places=1")[1]
    assert answer["start_at"] == began + 300
    assert [p["tasks"] for p in answer["places"]] == [1, 1]
    assert answer["frees"] == [{"at": began + 300, "procs": 6, "job": job, "user": live.job(job)["user"]}]
    assert live.api("/v1/start?procs=4&procs_per_task=4")[1]["start_at"] is None
    # not before then
    answer = live.api(f"/v1/start?procs=1&from={began + 1000}&places=1")[1]
    assert answer["start_at"] == began + 1000 and answer["nodes"] == 1
    assert answer["obstacles"] == answer["frees"] == []  # nothing keeps it from then
    assert live.api("/v1/start?procs=1&from=-5")[0] == 400
    assert live.api(f"/v1/start?procs=1&from={1 << 41}")[0] == 400
    # what is reserved for somebody else, by name
    live.ok("setres", "-n", "kept", "-u", "games", "-s", "+0:00:01", "-d", "2:00:00", free)
    name = [r["name"] for r in live.lines("showres") if r["name"].startswith("kept")][0]
    answer = live.api("/v1/start?procs=2&duration_s=1000&places=1")[1]
    assert answer["start_at"] == began + 300
    assert [(o["kind"], o["name"], o["nodes"]) for o in answer["obstacles"]] == [("reservation", name, 1)]
    assert answer["nodes"] == 1 and answer["places"][0]["node"] != free
    assert "places" not in live.api("/v1/start?procs=2")[1]
    # a start that is promised, on the three nodes that are for anybody
    next_one = live.submit("sleep 60", requests=[{"tasks": 6}], wclimit_s=200)
    live.wait(lambda: live.job(next_one).get("reservation_at") == began + 300, "its promise")
    answer = live.api("/v1/start?procs=2&duration_s=1000&places=1")[1]
    assert answer["start_at"] == began + 500 and answer["nodes"] == 1
    assert answer["places"][0]["node"] != free


def test_what_is_reserved_for_others_is_not_found_out(live):
    users = Users(live)
    live.wait(lambda: live.api("/v1/windows")[0] == 200, "the first cycle")
    live.ok("setres", "-n", "kept", "-u", "games", "-d", "2:00:00", "node0[1-3]")
    hidden = [r["name"] for r in live.lines("showres") if r["name"].startswith("kept")][0]
    ask = "/v1/start?procs=6&duration_s=60&places=1"
    assert live.api(f"{ask}&user=games")[1]["nodes"] == 3  # administrators may ask for any
    assert users.api("games", ask)[1]["nodes"] == 3
    for question in (f"{ask}&user=games", f"{ask}&any=1"):
        status, answer = users.api("nobody", question)
        assert status == 200 and not {"places", "nodes", "frees", "obstacles"} & set(answer), question
    assert not {"places", "nodes"} & set(users.api("nobody", f"{ask}&group=root")[1])
    # nor how much, nor when: it is as if no list named whom it is asked for
    for words, own in (("user=games", True), ("group=root", True), ("", False), ("user=nobody", False)):
        kept, free = (users.api("nobody", f"{path}&{words}")[1] for path in ("/v1/start?procs=3&duration_s=60", "/v1/windows?later=0"))
        assert kept["start_at"] >= kept["at"] + 7000 and ("others" in kept) == own, words
        assert [w["procs"] for w in free["partitions"][0]["windows"]][0] == 2 and ("others" in free) == own, words
    theirs = live.api("/v1/start?procs=3&duration_s=60&user=games")[1]
    assert theirs["start_at"] <= theirs["at"] and "others" not in theirs
    theirs = users.api("games", "/v1/windows?user=games")[1]
    assert theirs["partitions"][0]["windows"][0]["procs"] == 8 and "others" not in theirs
    # of what keeps oneself only how much it is
    answer = users.api("nobody", ask)[1]
    assert answer["obstacles"] == [{"kind": "reservation", "nodes": 3}]
    assert live.api(f"{ask}&user=nobody")[1]["obstacles"][0]["name"] == hidden
    job = users.submit("nobody", requests=[{"tasks": 6}])
    live.wait(lambda: live.job(job)["section"] != "active" and live.job(job).get("reservation_at"), "its wait")
    assert users.api("nobody", f"/v1/jobs/{job}/why")[1]["obstacles"] == [{"kind": "reservation", "nodes": 3}]
    why = users.ok("nobody", "checkjob", job)
    assert "a reservation keeps 3 nodes\n" in why, why  # and not that it has no end

    def verdict(api, name):
        return api(f"/v1/jobs/{job}?reservation={name}")[1]["reservation_verdicts"][0]["text"]

    as_nobody = functools.partial(users.api, "nobody")
    assert verdict(as_nobody, hidden) == verdict(as_nobody, "none.0") == "there is no such reservation"
    assert verdict(live.api, hidden) == "nothing in its access list matches the job"


def test_an_account_that_one_may_not_have_opens_nothing(daemon):
    daemon.configure("ACCOUNTCFG[phys] PRIORITY=1\nACCOUNTCFG[chem] PRIORITY=1\n"
                     "USERCFG[nobody] ALIST=chem\nUSERCFG[games] ALIST=phys\n")
    live = daemon.start()
    users = Users(live, programs=False)
    live.wait(lambda: live.api("/v1/windows")[0] == 200, "the first cycle")
    live.ok("setres", "-a", "phys", "-d", "2:00:00", "node0[1-2]")
    live.ok("setres", "-a", "chem", "-d", "2:00:00", "node03")

    def free(user, account):
        return users.api(user, f"/v1/windows?account={account}")[1]["partitions"][0]["windows"][0]["procs"]

    assert free("nobody", "chem") == 4 and free("nobody", "phys") == 2
    assert free("games", "phys") == 6 and free("games", "chem") == 2
    assert live.api("/v1/windows?account=phys")[1]["partitions"][0]["windows"][0]["procs"] == 6


def test_answers_are_as_described(live):
    live.wait(lambda: live.api("/v1/windows")[0] == 200, "the first cycle")
    schemas = live.api("/openapi.json")[1]["components"]["schemas"]
    assert set(live.api("/v1/windows?per_node=1")[1]) <= set(schemas["Windows"]["properties"])
    assert set(live.api("/v1/start?procs=1")[1]) <= set(schemas["Start"]["properties"])


def test_questions_that_make_no_sense_are_refused(live):
    live.wait(lambda: live.api("/v1/windows")[0] == 200, "the first cycle")
    assert live.api("/v1/start?procs=0")[0] == 400
    assert live.api("/v1/windows?mem=lots")[0] == 400
    assert live.api("/v1/windows?features=no-such")[0] == 404
    assert live.api("/v1/windows?partition=moon")[0] == 404


def test_a_list_of_jobs_may_be_of_some_members_only(live):
    job = live.submit("sleep 60")
    live.wait(lambda: live.state(job) == "Running", "the start")
    status, lines = live.api("/v1/jobs?fields=id,procs,start_at,reason")
    assert status == 200 and set(lines[1]) == {"id", "procs", "start_at"}
    assert "summary" in lines[0]
    everything = live.api("/v1/jobs")[1][1]
    described = live.api("/openapi.json")[1]["components"]["schemas"]["JobBrief"]
    assert set(everything) <= set(described["properties"])
    assert {k: everything[k] for k in lines[1]} == lines[1]
    for name in everything:
        assert live.api(f"/v1/jobs?fields={name}")[0] == 200, name
    status, answer = live.api("/v1/jobs?fields=id,usr")
    assert status == 400
    assert answer["error"]["message"] == "fields: a job has no member 'usr'; did you mean 'user'?"
