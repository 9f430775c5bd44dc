# SPDX-License-Identifier: Apache-2.0
"""mrsvctl: reservations made, changed, shown and released, and who may."""
import time
import xml.etree.ElementTree as ET

from live_users import Users
from orders_test import running


def refused(live, *words):
    done = live.run(*words)
    assert done.returncode == 1, done
    return done.stderr


def record(live, name):
    status, answer = live.api(f"/v1/reservations/{name}")
    return answer if status == 200 else None


def made(live, *words):
    out = live.ok("mrsvctl", "-c", *words)
    assert out.startswith("reservation '") and out.endswith("' created\n"), out
    return out.split("'")[1]


def test_a_reservation_is_created_with_all_its_options(site):
    name = made(site, "-h", "node0[12]", "-s", "+1:00:00", "-d", "2:00:00", "-n", "patch",
                "-a", "USER==mira:joss-,GROUP==bio,ACCT-=chem,DURATION==1:00:00", "-F",
                "BYNAME,SINGLEUSE", "-b", "maintenance", "-D", "new disks", "-g", "disks",
                "-R", "PROCS=1,MEM=10", "-S", "aaccount=ops,auser=bin", "-T",
                "start+60;cancel", "-p", "DEFAULT")
    assert name == "patch.0"
    r = record(site, name)
    assert abs(r["start_at"] - time.time() - 3600) < 10
    assert r["end_at"] - r["start_at"] == 7200
    assert {p["node"] for p in r["places"]} == {"node01", "node02"}
    assert (r["subtype"], r["comment"], r["label"]) == ("maintenance", "new disks", "disks")
    acl = " ".join(r["acl"])
    for part in ("USER==mira+", "joss-", "GROUP==bio+", "ACCOUNT!=chem", "DURATION"):
        assert part.split("==")[-1].split("!=")[-1] in acl, (part, acl)
    assert {"BYNAME", "SINGLEUSE"} <= set(r["flags"])
    assert r["per_task"]["procs"] == 1 and r["per_task"]["mem_mb"] == 10
    assert (r["account"], r["user"], r["partition"]) == ("ops", "bin", "DEFAULT")
    assert r["triggers"][0]["event"] == "start"


def test_tasks_are_reserved_where_there_is_room(site):
    assert record(site, made(site, "-t", "3", "-R", "PROCS=1"))["tasks"] == 3
    assert record(site, made(site, "-t", "ALL"))["nodes"] == 4
    assert "cannot select 99 tasks" in refused(site, "mrsvctl", "-c", "-t", "99")


def test_times_are_changed(site):
    name = made(site, "-h", "ALL", "-s", "+1:00:00", "-d", "1:00:00", "-n", "patch")
    before = record(site, name)
    assert site.ok("mrsvctl", "-m", "duration+=1:00:00", name) == (
        f"duration for rsv '{name}' changed\n")
    assert record(site, name)["end_at"] == before["end_at"] + 3600
    site.ok("mrsvctl", "-m", "starttime+=30:00", name)
    r = record(site, name)
    assert r["start_at"] == before["start_at"] + 1800
    assert r["end_at"] - r["start_at"] == 7200
    site.ok("mrsvctl", "-m", "endtime-=10:00", name)
    assert record(site, name)["end_at"] == r["end_at"] - 600
    site.ok("mrsvctl", "-m", "starttime=+10:00:00", "-m", "duration=5:00", name)
    r = record(site, name)
    assert r["end_at"] - r["start_at"] == 300
    assert abs(r["start_at"] - time.time() - 36000) < 10
    past = time.strftime("%H:%M", time.gmtime(time.time() - 3600))
    site.ok("mrsvctl", "-m", f"starttime={past}", name)
    assert 0 < record(site, name)["start_at"] - time.time() < 86400


def test_a_change_moves_what_waits_and_survives_kill_9(site):
    name = made(site, "-h", "ALL", "-d", "1:00:00", "-n", "patch")
    job = site.submit()
    time.sleep(0.3)
    assert site.state(job) == "Idle"
    site.ok("mrsvctl", "-m", "hostexp=node04", "-m", "comment=one is enough", name)
    site.wait(lambda: site.state(job) == "Running", "the start")
    site.ok("mrsvctl", "-m", "user+=joss", "-m", "endtime+=1:00:00", name)
    before = record(site, name)
    site.kill()
    site.start()
    site.wait(lambda: record(site, name), "the reservation")
    after = record(site, name)
    for key in ("end_at", "acl", "places", "comment", "flags", "hosts"):
        assert after.get(key) == before.get(key), key
    site.ok("mrsvctl", "-r", name)
    assert record(site, name) is None


def test_hosts_tasks_and_lists_are_added_and_removed(site):
    name = made(site, "-h", "node01,node02", "-d", "1:00:00", "-n", "r", "-a", "USER==mira")
    nodes = lambda: sorted(p["node"] for p in record(site, name)["places"])  # noqa: E731
    site.ok("mrsvctl", "-m", "hostexp+=node04", name)
    assert nodes() == ["node01", "node02", "node04"]
    site.ok("mrsvctl", "-m", "hostexp-=node01,node02", name)
    assert nodes() == ["node04"]
    assert "no host would be left" in refused(site, "mrsvctl", "-m", "hostexp-=node04", name)
    out = site.ok("mrsvctl", "-m", "user+=joss-", "-m", "flags=BYNAME", name)
    assert out == f"flags for rsv '{name}' changed\nsuccessfully changed ACL for rsv {name}\n"
    assert "mira" in str(record(site, name)["acl"]) and "joss-" in str(record(site, name)["acl"])
    site.ok("mrsvctl", "-m", "user-=mira", "-m", "group=bio", name)
    acl = str(record(site, name)["acl"])
    assert "mira" not in acl and "joss" in acl and "bio" in acl
    site.ok("mrsvctl", "-a", "USER==pell", name)
    acl = str(record(site, name)["acl"])
    assert "joss" not in acl and "pell" in acl
    tasks = made(site, "-t", "2", "-R", "PROCS=1", "-d", "1:00:00", "-n", "t")
    site.ok("mrsvctl", "-m", "reqtaskcount+=2", tasks)
    assert record(site, tasks)["tasks"] == 4
    site.ok("mrsvctl", "-m", "reqtaskcount=1", tasks)
    assert record(site, tasks)["tasks"] == 1
    assert "can be had" in refused(site, "mrsvctl", "-m", "reqtaskcount=99", tasks)
    assert record(site, tasks)["tasks"] == 1


def test_reservations_are_told_as_text_json_and_xml(site):
    name = made(site, "-h", "node01", "-d", "1:00:00", "-n", "r", "-a", "USER==mira", "-D",
                'for "A&B"')
    text = site.ok("mrsvctl", "-q", name)
    for line in (f"{name}  User  active\n", "    Duration: 1:00:00\n", "    ACL: ",
                 "    NodeList: node01:1\n", '    Comment: for "A&B"\n'):
        assert line in text, text
    running(site)
    root = ET.fromstring(site.ok("mrsvctl", "-q", "--format", "xml", "ALL"))
    assert {r.get("Type") for r in root} == {"User", "Job"}
    one = [r for r in root if r.get("Name") == name][0]
    assert (one.get("NodeList"), one.get("Messages"), one.get("duration")) == (
        "node01:1", 'for "A&B"', "3600")
    assert [r["name"] for r in site.lines("mrsvctl", "-q", name)] == [name]
    listed, shown = site.ok("mrsvctl", "-l", name), site.ok("showres", name)
    assert listed.splitlines()[:3] == shown.splitlines()[:3] and name in listed
    assert "reservations located" in site.ok("mrsvctl", "-l")


def test_all_of_a_label_are_released(site):
    for n in ("01", "02"):
        made(site, "-h", f"node{n}", "-d", "1:00:00", "-g", "rack")
    made(site, "-h", "node03", "-d", "1:00:00", "-n", "other")
    assert site.ok("mrsvctl", "-r", "-g", "rack") == (
        "reservation 'SYSTEM.0' successfully released\n"
        "reservation 'SYSTEM.1' successfully released\n")
    assert "no reservation has the label 'rack'" in refused(
        site, "mrsvctl", "-r", "-g", "rack")
    assert site.ok("mrsvctl", "-r", "other.0,").count("released") == 1


def test_what_cannot_be_is_told(site):
    name = made(site, "-h", "node01", "-d", "1:00:00", "-n", "r")
    job = running(site)
    for words, says in (((), "is needed, to say what to do"), (("-c",), "-h HOSTS or -t N"),
                        (("-c", "-r", "x"), "-c and -r do not go together"),
                        (("-c", "-h", "node77"), "did you mean node"),
                        (("-c", "-h", "ALL", "-a", "RSV==x"), "'RSV' is not one of USER"),
                        (("-c", "-h", "ALL", "-a", "USER"), "expected TYPE==NAME"),
                        (("-c", "-t", "4-2"), "is not a number of tasks"),
                        (("-c", "-t", "2-x"), "is not a number of tasks"),
                        (("-c", "-t", "9-12"), "cannot select 9 tasks"),
                        (("-c", "-h", "ALL", "-x", "1"), "access lists"),
                        (("-c", "-h", "ALL", "-V", "a=b"), "have no variables"),
                        (("-c", "-h", "ALL", "-S", "aqos=x"), "not one of aaccount="),
                        (("-m", "durations=5", name), "did you mean duration?"),
                        (("-m", "endtime=+1", "-m", "starttime=+9", name), "would end before"),
                        (("-m", "duration=0", name), "reserves nothing"),
                        (("-m", "owner+=USER:x", name), "only = is possible"),
                        (("-m", "duration=5", "nosuch.1"), "cannot locate reservation"),
                        (("-m", "duration=5:00", job), "that of a job: change the job"),
                        (("-m", "duration=5",), "a reservation is needed"),
                        (("-r",), "a reservation is needed"),
                        (("-r", "nosuch.1"), "cannot locate reservation 'nosuch.1'"),
                        (("-C", "-g", "x"), "come by themselves"),
                        (("-q", "--flags", "COMPLETED", "ALL"), "are not kept")):
        assert says in refused(site, "mrsvctl", *words), words
    status, answer = site.api(f"/v1/reservations/{name}", {"user": ["x"]}, "PATCH")
    assert status == 400 and "did you mean 'users'?" in answer["error"]["message"]
    status, answer = site.api(f"/v1/reservations/{name}", {}, "PATCH")
    assert status == 400 and "nothing to change" in answer["error"]["message"]
    status, answer = site.api(f"/v1/reservations/{name}", {"add": {"hosts": ["x"]}}, "PATCH")
    assert status == 400 and "is not a list" in answer["error"]["message"]
    many = {"add": {"users": [":".join(f"u{i}" for i in range(1001))]}}
    status, answer = site.api(f"/v1/reservations/{name}", many, "PATCH")
    assert status == 400 and "at most 1000" in answer["error"]["message"]
    assert record(site, name)["places"] == [{"node": "node01", "tasks": 1}]


def test_a_standing_reservation_is_changed_in_the_configuration(daemon):
    daemon.configure("SRCFG[night] HOSTLIST=node01 PERIOD=INFINITY\n")
    daemon.start()
    name = daemon.wait(lambda: [r["name"] for r in daemon.lines("showres")], "it")[0]
    assert "change SRCFG[night]" in refused(daemon, "mrsvctl", "-m", "duration=5:00", name)


def test_everybody_changes_only_what_is_theirs(daemon):
    daemon.configure("ADMIN1 root\nADMIN2 bin\nADMIN3 daemon\n")
    daemon.start()
    users = Users(daemon)  # noqa: F811
    for user in ("nobody", "daemon"):
        assert "may not reserve" in users.refused(user, "mrsvctl", "-c", "-t", "1")
    theirs = users.ok("bin", "mrsvctl", "-c", "-t", "1", "-n", "b", "-d", "1:00:00").split("'")[1]
    daemon.configure("ADMIN1 root\nADMIN2 bin\nADMIN3 daemon\nRESCTLPOLICY ANY\n")
    daemon.ok("schedctl", "-R")
    mine = users.ok("nobody", "mrsvctl", "-c", "-t", "1", "-n", "n", "-d", "1:00:00", "-a",
                    "USER==nobody,USER==games").split("'")[1]
    assert users.ok("nobody", "mrsvctl", "-m", "duration+=10", mine)
    assert "may not say who owns" in users.refused(
        "nobody", "mrsvctl", "-m", "owner=USER:games", mine)
    assert "games may not change reservation" in users.refused(
        "games", "mrsvctl", "-m", "duration+=10", mine)
    assert "games may not release reservation" in users.refused("games", "mrsvctl", "-r", mine)
    assert "cannot locate reservation" in users.refused(
        "games", "mrsvctl", "-m", "duration+=10", theirs)
    assert users.ok("bin", "mrsvctl", "-m", "owner=USER:games", mine)
    assert users.ok("nobody", "mrsvctl", "-r", mine)


def test_limits_on_personal_reservations_hold_for_changes(daemon):
    daemon.configure("RESCTLPOLICY ANY\nRESLIMITPOLICY HARD\nUSERCFG[nobody] MAXPROC=4\n")
    daemon.start()
    users = Users(daemon)  # noqa: F811
    mine = users.ok("nobody", "mrsvctl", "-c", "-t", "3", "-R", "PROCS=1", "-d",
                    "1:00:00").split("'")[1]
    assert "refused by RESLIMITPOLICY" in users.refused(
        "nobody", "mrsvctl", "-m", "reqtaskcount=5", mine)
    assert users.ok("nobody", "mrsvctl", "-m", "reqtaskcount=4", mine)


def test_of_a_range_of_tasks_as_many_are_reserved_as_there_are(site):
    made(site, "-t", "3", "-R", "PROCS=1")
    name = made(site, "-t", "2-20", "-R", "PROCS=1")
    assert (record(site, name)["tasks"], record(site, name)["max_tasks"]) == (5, 20)
    assert "cannot select 1 tasks" in refused(
        site, "mrsvctl", "-c", "-t", "1-4", "-R", "PROCS=1")
    site.kill()
    site.start()
    site.wait(lambda: record(site, name), "the reservation")
    assert record(site, name)["tasks"] == 5
    site.ok("mrsvctl", "-m", "reqtaskcount=4", name)
    assert (record(site, name)["tasks"], record(site, name)["max_tasks"]) == (4, 4)
    status, answer = site.api("/v1/reservations", {"tasks": 2, "least_tasks": 3})
    assert status == 400 and "expected 1 to tasks, which is 2" in answer["error"]["message"]
