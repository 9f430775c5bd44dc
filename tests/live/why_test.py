# SPDX-License-Identifier: Apache-2.0
"""GET /v1/jobs/{id}/why: all that keeps a job, as objects, and /v1/priorities of one's own."""
from live_users import Users, need_users

def why(live, job):
    status, answer = live.api(f"/v1/jobs/{job}/why")
    assert status == 200, answer
    return answer


def codes(answer):
    return [r["code"] for r in answer["reasons"]]


def test_who_is_ahead_and_what_comes_free(live):
    """Four nodes of two processors."""
    wide = live.submit("sleep 600", wclimit_s=600, requests=[{"tasks": 8}])
    live.wait(lambda: live.state(wide) == "Running", "the wide job")
    first = live.submit("true", wclimit_s=100, requests=[{"tasks": 8}])
    second = live.submit("true", wclimit_s=100, requests=[{"tasks": 8}])
    live.wait(lambda: live.job(second)["section"] == "eligible", "its cycle")
    answer = live.wait(lambda: why(live, second) if why(live, second).get("place") == 2 else None,
                       "its place")
    assert answer["of"] == 2
    assert [j["id"] for j in answer["ahead"]] == [first]
    assert answer["frees"] == [{"at": live.job(wide)["end_at"], "procs": 8, "job": wide,
                                "user": live.job(wide)["user"]}]
    assert answer["reasons"], answer


def test_all_reasons_of_a_moment_are_told_each_once(live):
    """Held, and without room as well; released, only the room is left."""
    wide = live.submit("sleep 600", requests=[{"tasks": 8}])
    live.wait(lambda: live.state(wide) == "Running", "the wide job")
    job = live.submit("true", requests=[{"tasks": 8}])
    live.ok("sethold", job)
    live.wait(lambda: codes(why(live, job)) == ["hold", "resources"], "both")
    assert "place" not in why(live, job)
    live.ok("releasehold", job)
    live.wait(lambda: "hold" not in codes(why(live, job)) and why(live, job)["place"] == 1,
              "the rest")
    live.ok("canceljob", wide)
    live.wait(lambda: (live.job(job) or {"section": "completed"})["section"] != "eligible",
              "its start")


def test_a_job_that_runs_waits_for_nothing(live):
    job = live.submit("sleep 600")
    live.wait(lambda: live.state(job) == "Running", "its start")
    answer = why(live, job)
    assert answer["reasons"] == [] and answer["section"] == "active" and "ahead" not in answer


def test_a_reason_names_its_object_with_its_numbers(daemon):
    daemon.configure("CLASSCFG[batch] MAXPROC=3\n")
    daemon.start()
    first = daemon.submit("sleep 600", requests=[{"tasks": 3}], **{"class": "batch"})
    daemon.wait(lambda: daemon.state(first) == "Running", "the first")
    job = daemon.submit("true", requests=[{"tasks": 1}], **{"class": "batch"})
    reason = daemon.wait(lambda: [r for r in why(daemon, job)["reasons"]
                                  if r["code"] == "limit"], "the limit")[0]
    assert (reason["object_kind"], reason["object"]) == ("class", "batch")
    assert (reason["limit"], reason["used"], reason["asked"]) == (3, 3, 1)
    held = daemon.submit("true", dependencies=[f"afterok:{first}"])
    reason = daemon.wait(lambda: [r for r in why(daemon, held)["reasons"]
                                  if r["code"] == "dependency"], "the dependency")[0]
    assert (reason["object_kind"], reason["object"]) == ("job", first)
    # nothing is decided any more: the job goes, and others come in its place
    daemon.ok("schedctl", "-s")
    daemon.ok("canceljob", first)
    daemon.wait(lambda: daemon.state(first) in (None, "Removed", "Completed"), "its end")
    others = [daemon.submit("true") for _ in range(3)]
    told = [r for r in why(daemon, held)["reasons"] if r["code"] == "dependency"]
    assert not any(r.get("object") in others or f"job {o} " in r["text"]
                   for r in told for o in others), told


def test_users_ask_about_their_own_jobs(site):
    need_users()
    users = Users(site)
    ours = site.submit("sleep 600")
    status, answer = users.api("nobody", f"/v1/jobs/{ours}/why")
    assert status == 403, answer
    assert users.api("nobody", "/v1/priorities")[0] == 403
    theirs = users.submit("nobody", requests=[{"tasks": 8}])
    site.ok("sethold", theirs)
    status, answer = users.api("nobody", f"/v1/jobs/{theirs}/why")
    assert status == 200 and codes(answer)[0] == "hold", answer
    records = users.api("nobody", f"/v1/priorities?ids={ours},{theirs}")[1]
    records = records if isinstance(records, list) else [records]
    assert [r["id"] for r in records] == [theirs], records
    assert f"\n{theirs} " in users.ok("nobody", "diagnose", "-p", theirs)
    assert "is not yours" in users.ok("nobody", "diagnose", "-p", ours)
    assert "not authorized" in users.refused("nobody", "diagnose", "-p")


def test_priorities_of_single_jobs(live):
    wide = live.submit("sleep 600", requests=[{"tasks": 8}])
    live.wait(lambda: live.state(wide) == "Running", "the wide job")
    jobs = [live.submit("true") for _ in range(3)]
    live.wait(lambda: live.job(jobs[2])["section"] == "eligible", "its cycle")
    status, records = live.api(f"/v1/priorities?ids={jobs[0]},{jobs[2]}")
    records = records if isinstance(records, list) else [records]
    assert status == 200 and sorted(r["id"] for r in records) == sorted([jobs[0], jobs[2]])
    status, answer = live.api("/v1/priorities?ids=" + "1," * 2001)
    assert status == 400 and "4000" in answer["error"]["message"], answer
