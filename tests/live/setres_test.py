# SPDX-License-Identifier: Apache-2.0
"""setres and releaseres; what was reserved outlives the daemon."""
import time

from events_test import metrics
from live_daemon import ME
from live_users import Users


def reservations(live):
    return {r["name"]: r for r in live.lines("showres") if r.get("type") != "Job"}


def test_a_reservation_is_made_keeps_jobs_out_and_is_released(live):
    out = live.ok("setres", "-n", "patch", "-d", "1:00:00", "ALL")
    lines = out.splitlines()
    assert lines[:3] == ["reservation created", "", ""]
    assert lines[3].startswith("reservation 'patch.0' created on 4 nodes (")
    assert len(lines) == 8
    job = live.submit("sleep 60")
    time.sleep(0.3)
    assert live.state(job) == "Idle"
    assert live.ok("releaseres", "patch.0") == "released User reservation 'patch.0'\n"
    live.wait(lambda: live.state(job) == "Running", "the start")
    done = live.run("releaseres", "patch.0")
    assert done.returncode == 1 and "cannot locate reservation 'patch.0'" in done.stderr


def test_reservations_survive_kill_9(live):
    live.ok("setres", "-n", "patch", "-s", "+2:00:00", "-d", "1:00:00", "ALL")
    live.ok("setres", "-u", ME, "-d", "30:00", "-r", "PROCS=1", "TASKS==3")
    live.ok("setres", "-n", "gone", "-d", "2", "ALL")
    live.ok("setres", "-n", "freed", "-d", "1:00:00", "-s", "+5:00:00", "ALL")
    live.ok("releaseres", "freed.0")
    job = live.submit("sleep 60", reservation=f"{ME}.0")
    live.wait(lambda: live.state(job) == "Running", "the start")
    before = reservations(live)
    live.kill()
    time.sleep(2)
    live.start()
    live.wait(lambda: live.state(job) == "Running" and len(reservations(live)) == 2,
              "the reservations")
    after = reservations(live)
    assert set(after) == {"patch.0", f"{ME}.0"}
    for name, r in after.items():
        was = before[name]
        for key in ("end_at", "acl", "tasks", "places", "per_task"):
            assert was.get(key) == r.get(key), (name, key)
    assert before["patch.0"]["start_at"] == after["patch.0"]["start_at"]
    live.ok("releaseres", "patch.0", f"{ME}.0")
    live.kill()
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    assert not reservations(live)


def test_a_fired_trigger_does_not_fire_again_after_a_restart(live):
    live.ok("setres", "-n", "once", "-d", "1:00:00", "-T", "start;exec@/bin/true", "ALL")
    live.wait(lambda: reservations(live)["once.0"]["triggers"][0]["state"] == "Fired",
              "the trigger")
    at = reservations(live)["once.0"]["triggers"][0]["at"]
    live.kill()
    time.sleep(1.1)
    live.start()
    live.wait(lambda: "once.0" in reservations(live), "the reservation")
    trigger = reservations(live)["once.0"]["triggers"][0]
    assert (trigger["state"], trigger["at"]) == ("Fired", at)


def test_others_reserve_only_when_they_may(daemon):
    users = Users(daemon.start())
    assert "may not reserve" in users.refused("nobody", "setres", "-d", "1:00:00", "TASKS==1")
    daemon.ok("setres", "-n", "patch", "-d", "1:00:00", "TASKS==1")
    assert "cannot locate" in users.refused("nobody", "releaseres", "patch.0")
    daemon.configure("RESCTLPOLICY ANY\n")
    daemon.api("/v1/scheduler", {"action": "reload"})
    users.ok("nobody", "setres", "-u", "nobody", "-d", "1:00:00", "TASKS==1")
    done = users.run("nobody", "releaseres", "patch.0,nobody.0")
    assert done.stdout == "released User reservation 'nobody.0'\n", done
    assert done.returncode == 1 and "cannot locate reservation 'patch.0'" in done.stderr
    assert "patch.0" in reservations(daemon)


def test_what_is_wrong_is_told(live):
    for words, text in ((("ALL", "ALL"), "expected one of"),
                        (("-d", "soon", "ALL"), "-d:"),
                        (("TASKS==none",), "not a number of tasks"),
                        (("-d", "1:00", "TASKS==99"), "cannot select 99 tasks"),
                        (("-s", "+10", "-e", "+5", "ALL"), "end before it starts")):
        done = live.run("setres", *words)
        assert done.returncode == 1 and text in done.stderr, done


def held(live, name):
    return sorted(p["node"] for p in reservations(live)[name]["places"])


def test_nodes_are_chosen_by_features_and_node_sets(daemon):
    daemon.configure("NODECFG[node01] FEATURES=ib,fast\nNODECFG[node02] FEATURES=opa,fast\n"
                     "NODECFG[node03] FEATURES=opa\nNODECFG[node04] FEATURES=big\n")
    daemon.start()
    daemon.ok("setres", "-f", "ib|big", "-d", "1:00:00", "-n", "either", "TASKS==2")
    assert held(daemon, "either.0") == ["node01", "node04"]
    daemon.ok("setres", "-f", "opa:fast", "-d", "1:00:00", "-n", "both", "TASKS==1")
    assert held(daemon, "both.0") == ["node02"]
    done = daemon.run("setres", "-f", "ib|big", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "cannot select 3 tasks" in done.stderr
    daemon.ok("releaseres", "either.0,both.0")
    daemon.ok("setres", "-N", "ONEOF:FEATURE:ib,opa", "-d", "1:00:00", "-n", "set", "TASKS==2")
    assert held(daemon, "set.0") == ["node02", "node03"]
    done = daemon.run("setres", "-N", "ONEOF:FEATURE:ib,opa", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "cannot select 3 tasks" in done.stderr
    done = daemon.run("setres", "-N", "ONEOF:MEMORY", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "of FEATURE only" in done.stderr
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: "set.0" in reservations(daemon), "the reservation")
    assert held(daemon, "set.0") == ["node02", "node03"]


def test_a_profile_says_what_the_line_does_not(daemon):
    daemon.configure("SRCFG[course] HOSTLIST=node04 USERLIST=mira GROUPLIST=bio "
                     "FLAGS=BYNAME RESOURCES=PROCS:1 STARTTIME=3:00:00 ENDTIME=3:00:01\n")
    daemon.start()
    daemon.ok("setres", "-R", "course", "-d", "1:00:00", "-b", "lesson", "TASKS==2")
    r = reservations(daemon)["course.0"]
    assert r["per_task"]["procs"] == 1 and r["flags"] == ["BYNAME"]
    assert "USER==mira+" in " ".join(r["acl"]) and r["subtype"] == "lesson"
    daemon.ok("setres", "-R", "course", "-u", "joss", "-n", "mine", "-d", "1:00:00", "TASKS==1")
    assert "mira" not in str(reservations(daemon)["mine.0"]["acl"])
    done = daemon.run("setres", "-R", "cource", "-d", "1:00:00", "TASKS==1")
    assert done.returncode == 1 and "did you mean course?" in done.stderr, done


def test_lists_of_reservations_are_released(live):
    live.ok("setres", "-n", "a", "-d", "1:00:00", "TASKS==1")
    live.ok("setres", "-n", "b", "-d", "1:00:00", "TASKS==1")
    live.ok("setres", "-d", "1:00:00", "TASKS==1")
    assert live.run("releaseres", "a.0", "").returncode == 1, "nothing is released"
    assert "locate reservation 'c.0'" in live.run("whatif", "releaseres", "a.0,c.0").stderr
    done = live.run("releaseres", "a.0,zzzzz.0,b.0", "system.0")
    assert done.stdout.splitlines() == ["released User reservation 'a.0'",
                                        "released User reservation 'b.0'",
                                        "released User reservation 'system.0'"]
    assert (done.returncode, done.stderr) == (
        1, "ERROR:    cannot locate reservation 'zzzzz.0'\n")
    first = live.submit(requests=[{"tasks": 8}])
    live.wait(lambda: live.state(first) == "Running", "the start")
    wide = live.submit(requests=[{"tasks": 8}])
    live.wait(lambda: live.job(wide).get("reservation_at"), "its reservation")
    assert live.ok("releaseres", wide) == f"released Job reservation '{wide}'\n"


def test_who_means_one_that_exists_is_told_how_it_is_changed(live):
    assert live.run("setres", "-n", "patch", "-s", "+1:00:00", "-d", "60", "node01").stderr == ""
    done = live.run("setres", "-n", "patch.0", "-s", "+1:00:00", "-d", "120", "node01")
    assert done.returncode == 1 and done.stderr == (
        "ERROR:    a reservation 'patch.0' exists: `mrsvctl -m` changes it, another one needs "
        "another name\n")
    done = live.run("setres", "-n", "patch", "-s", "+1:00:00", "-d", "60", "node02")
    assert done.returncode == 0 and done.stderr.startswith("NOTE:     'patch.1' is another one")
    live.ok("mrsvctl", "-m", "duration=120", "patch.0")
    found = reservations(live)
    assert set(found) == {"patch.0", "patch.1"}
    assert found["patch.0"]["end_at"] - found["patch.0"]["start_at"] == 120


def release_by_one_order(live, n):
    """They are gone when that is told, by a few commits."""
    names = [live.api("/v1/reservations", {
        "hosts": "node02", "tasks": 1, "name": "many", "start_at": int(time.time()) + 86400 + 100 * i,
        "duration_s": 90})[1]["name"] for i in range(n)]
    before = metrics(live)["maui_commits_total"]
    status, answer = live.api("/v1/orders/unreserve", {"reservations": names + names[:1]})
    assert status == 200, answer
    results = answer["results"]
    assert [r["reservation"] for r in results] == names + names[:1]
    assert [r["ok"] for r in results] == [True] * n + [False]
    assert results[-1]["code"] == "not_found" and names[0] in results[-1]["message"]
    assert metrics(live)["maui_commits_total"] - before < n / 5
    assert live.api("/v1/orders/unreserve", {"reservations": []})[0] == 400


def test_names_of_what_was_restored_are_not_given_again(live):
    release_by_one_order(live, 150)
    for _ in range(2):
        live.ok("setres", "-n", "patch", "-s", "+1:00:00", "-d", "60", "node01")
    live.ok("releaseres", "patch.0")
    live.kill()
    live.start()
    live.ok("setres", "-n", "patch", "-s", "+1:00:00", "-d", "60", "node01")
    live.ok("setres", "-n", "other", "-s", "+1:00:00", "-d", "60", "node01")
    assert set(reservations(live)) == {"patch.1", "patch.2", "other.0"}


def test_a_name_without_its_number_or_misspelt_is_told_the_one_that_may_be_meant(site):
    users = Users(site)
    site.ok("setres", "-n", "maint", "-s", "+1:00:00", "-d", "1:00:00", "node01")
    for words in (["releaseres"], ["showres"], ["mrsvctl", "-r"],
                  ["mrsvctl", "-m", "duration=2:00:00"]):
        for name in ("maint", "mant.0"):
            done = site.run(*words, name)
            assert done.returncode == 1
            assert f"cannot locate reservation '{name}'; did you mean 'maint.0'?" in done.stderr
    assert "maint" not in users.refused("nobody", "showres", "mant.0"), "nobody may not see it"
    expected = site.run("mrsvctl", "-m", "zzzzzz=1", "maint.0").stderr
    assert "expected one of account, acct, " in expected and "hostexp" in expected


def test_what_a_running_job_has_is_not_released(live):
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "the start")
    done = live.run("releaseres", job)
    assert done.returncode == 1
    assert f"job '{job}' is running: its reservation ends with it (canceljob)" in done.stderr
    held = live.submit(hold=True)
    assert f"job '{held}' has no reservation" in live.run("releaseres", held).stderr
    none = live.run("setres", "-r", "MEM=100000000", "node01")
    assert "none of these nodes has as much as one task" in none.stderr
    hint = live.run("setres", "TASKS=3")
    assert hint.returncode == 1 and "expected TASKS==N or TASKS>=N" in hint.stderr
    hint = live.run("setres", "node01", "node02")
    assert hint.returncode == 1 and "with commas: node01,node02" in hint.stderr


def test_whom_nobody_knows_is_told_when_a_reservation_is_made_for_them(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=1\n")
    live = daemon.start()
    for option, name, note in (("-Q", "hihg", "there is no QOS 'hihg'; did you mean 'high'?"),
                               ("-u", "no-such", "there is no user 'no-such'"),
                               ("-g", "!no-such", "there is no group 'no-such'")):
        done = live.run("setres", option, name, "-d", "1:00:00", "TASKS==1")
        assert done.returncode == 0 and done.stderr == f"NOTE:     {note}\n", done
    for option, name in (("-Q", "high"), ("-u", "games"), ("-g", "bin"), ("-u", "ALL")):
        done = live.run("setres", option, name, "-d", "1:00:00", "node01")
        assert (done.returncode, done.stderr) == (0, ""), name
