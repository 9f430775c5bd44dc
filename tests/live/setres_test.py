# SPDX-License-Identifier: Apache-2.0
"""setres and releaseres; what was reserved outlives the daemon."""
import time

from live_users import Users


def reservations(live):
    return {r["name"]: r for r in live.lines("showres") if r.get("type") != "Job"}


def test_a_reservation_is_made_keeps_jobs_out_and_is_released(live):
    out = live.ok("setres", "-n", "patch", "-d", "1:00:00", "ALL")
    lines = out.splitlines()
    assert lines[:3] == ["reservation created", "", ""]
    assert lines[3].startswith("reservation 'patch.1' created on 4 nodes (")
    assert len(lines) == 8
    job = live.submit("sleep 60")
    time.sleep(0.3)
    assert live.state(job) == "Idle"
    assert live.ok("releaseres", "patch.1") == "released User reservation 'patch.1'\n"
    live.wait(lambda: live.state(job) == "Running", "the start")
    done = live.run("releaseres", "patch.1")
    assert done.returncode == 1 and "cannot locate reservation 'patch.1'" in done.stderr


def test_reservations_survive_kill_9(live):
    live.ok("setres", "-n", "patch", "-s", "+2:00:00", "-d", "1:00:00", "ALL")
    live.ok("setres", "-u", "root", "-d", "30:00", "-r", "PROCS=1", "TASKS==3")
    live.ok("setres", "-n", "gone", "-d", "2", "ALL")
    live.ok("setres", "-n", "freed", "-d", "1:00:00", "-s", "+5:00:00", "ALL")
    live.ok("releaseres", "freed.1")
    job = live.submit("sleep 60", reservation="root.1")
    live.wait(lambda: live.state(job) == "Running", "the start")
    before = reservations(live)
    live.kill()
    time.sleep(2)
    live.start()
    live.wait(lambda: live.state(job) == "Running" and len(reservations(live)) == 2,
              "the reservations")
    after = reservations(live)
    assert set(after) == {"patch.1", "root.1"}
    for name, r in after.items():
        was = before[name]
        for key in ("end_at", "acl", "tasks", "places", "per_task"):
            assert was.get(key) == r.get(key), (name, key)
    assert before["patch.1"]["start_at"] == after["patch.1"]["start_at"]
    live.ok("releaseres", "patch.1", "root.1")
    live.kill()
    live.start()
    live.wait(lambda: live.state(job) == "Running", "the job")
    assert not reservations(live)


def test_a_fired_trigger_does_not_fire_again_after_a_restart(live):
    live.ok("setres", "-n", "once", "-d", "1:00:00", "-T", "start;exec@/bin/true", "ALL")
    live.wait(lambda: reservations(live)["once.1"]["triggers"][0]["state"] == "Fired",
              "the trigger")
    at = reservations(live)["once.1"]["triggers"][0]["at"]
    live.kill()
    time.sleep(1.1)
    live.start()
    live.wait(lambda: "once.1" in reservations(live), "the reservation")
    trigger = reservations(live)["once.1"]["triggers"][0]
    assert (trigger["state"], trigger["at"]) == ("Fired", at)


def test_others_reserve_only_when_they_may(daemon):
    users = Users(daemon.start())
    assert "may not reserve" in users.refused("nobody", "setres", "-d", "1:00:00", "TASKS==1")
    daemon.ok("setres", "-n", "patch", "-d", "1:00:00", "TASKS==1")
    assert "cannot locate" in users.refused("nobody", "releaseres", "patch.1")
    daemon.configure("RESCTLPOLICY ANY\n")
    daemon.api("/v1/scheduler", {"action": "reload"})
    users.ok("nobody", "setres", "-u", "nobody", "-d", "1:00:00", "TASKS==1")
    users.ok("nobody", "releaseres", "nobody.1")


def test_what_is_wrong_is_told(live):
    for words, text in ((("ALL", "ALL"), "expected one of"),
                        (("-d", "soon", "ALL"), "-d:"),
                        (("TASKS==none",), "no number of tasks"),
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
    assert held(daemon, "either.1") == ["node01", "node04"]
    daemon.ok("setres", "-f", "opa:fast", "-d", "1:00:00", "-n", "both", "TASKS==1")
    assert held(daemon, "both.1") == ["node02"]
    done = daemon.run("setres", "-f", "ib|big", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "cannot select 3 tasks" in done.stderr
    daemon.ok("releaseres", "either.1,both.1")
    daemon.ok("setres", "-N", "ONEOF:FEATURE:ib,opa", "-d", "1:00:00", "-n", "set", "TASKS==2")
    assert held(daemon, "set.1") == ["node02", "node03"]
    done = daemon.run("setres", "-N", "ONEOF:FEATURE:ib,opa", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "cannot select 3 tasks" in done.stderr
    done = daemon.run("setres", "-N", "ONEOF:MEMORY", "-d", "1:00:00", "TASKS==3")
    assert done.returncode == 1 and "FEATUREs alone" in done.stderr
    daemon.kill()
    daemon.start()
    daemon.wait(lambda: "set.1" in reservations(daemon), "the reservation")
    assert held(daemon, "set.1") == ["node02", "node03"]


def test_a_profile_says_what_the_line_does_not(daemon):
    daemon.configure("SRCFG[course] HOSTLIST=node04 USERLIST=mira GROUPLIST=bio "
                     "FLAGS=BYNAME RESOURCES=PROCS:1 STARTTIME=3:00:00 ENDTIME=3:00:01\n")
    daemon.start()
    daemon.ok("setres", "-R", "course", "-d", "1:00:00", "-b", "lesson", "TASKS==2")
    r = reservations(daemon)["course.1"]
    assert r["per_task"]["procs"] == 1 and r["flags"] == ["BYNAME"]
    assert "USER==mira+" in " ".join(r["acl"]) and r["subtype"] == "lesson"
    daemon.ok("setres", "-R", "course", "-u", "joss", "-n", "mine", "-d", "1:00:00", "TASKS==1")
    assert "mira" not in str(reservations(daemon)["mine.1"]["acl"])
    done = daemon.run("setres", "-R", "cource", "-d", "1:00:00", "TASKS==1")
    assert done.returncode == 1 and "did you mean course?" in done.stderr, done


def test_lists_of_reservations_are_released(live):
    live.ok("setres", "-n", "a", "-d", "1:00:00", "TASKS==1")
    live.ok("setres", "-n", "b", "-d", "1:00:00", "TASKS==1")
    live.ok("setres", "-d", "1:00:00", "TASKS==1")
    done = live.run("releaseres", "a.1,c.1,b.1", "system.1")
    assert done.stdout.splitlines() == ["released User reservation 'a.1'",
                                        "released User reservation 'b.1'",
                                        "released User reservation 'system.1'"]
    assert (done.returncode, done.stderr) == (
        1, "ERROR:    cannot locate reservation 'c.1'\n")
    first = live.submit(requests=[{"tasks": 8}])
    live.wait(lambda: live.state(first) == "Running", "the start")
    wide = live.submit(requests=[{"tasks": 8}])
    live.wait(lambda: live.job(wide).get("reservation_at"), "its reservation")
    assert live.ok("releaseres", wide) == f"released Job reservation '{wide}'\n"
