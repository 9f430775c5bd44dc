# SPDX-License-Identifier: Apache-2.0
"""What people may put into reservations and jobs, whichever way they bring it."""
import os

import pytest

from live_users import LEVELS, Users

PROGRAMS = ("start;exec@{act}", "create;exec@{act}", "end;exec@{act}", "create;submit@{act}",
            "start;cancel,end;exec@{act}", "minload@0.0;exec@{act}")


@pytest.fixture
def open_site(daemon):
    """Everybody may reserve; a program tells who ran it."""
    daemon.configure(LEVELS + "RESCTLPOLICY ANY\n"
                     "SRCFG[tool] HOSTLIST=node04 TRIGGER=create;exec@act STARTTIME=0 ENDTIME=1\n"
                     "SRCFG[strong] HOSTLIST=node04 FLAGS=FORCE STARTTIME=0 ENDTIME=1\n"
                     "SRCFG[wide] HOSTLIST=node04 ACCESS=SHARED STARTTIME=0 ENDTIME=1\n")
    daemon.start()
    users = Users(daemon)
    daemon.act = f"{daemon.home}/act"
    with open(daemon.act, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nid -u >> {daemon.home}/ran\n")
    os.chmod(daemon.act, 0o755)
    return daemon, users


def reserve(users, user, **more):
    body = dict({"hosts": "node01", "duration_s": 1000, "start_at": 4000000000}, **more)
    return users.api(user, "/v1/reservations", body)


def make(users, user, **more):
    status, answer = reserve(users, user, **more)
    assert status == 200, answer
    return answer["name"]


def change(who, user, name, **what):
    return who.api(user, f"/v1/reservations/{name}", what, "PATCH")


def denied(answer, *words):
    status, body = answer
    assert status == 403, answer
    for word in words:
        assert word in body["error"]["message"], answer
    return body["error"]["message"]


def nothing_ran(daemon):
    daemon.ok("schedctl", "-r")
    assert not os.path.exists(f"{daemon.home}/ran")


@pytest.mark.parametrize("user", ["nobody", "daemon", "bin"])
def test_a_program_comes_in_by_no_verb(open_site, user):
    """Programs of triggers run as the daemon's user: POST, PATCH, setres, mrsvctl and
    profiles bring them for administrators of level 1 alone."""
    daemon, users = open_site
    name = make(users, user)
    for text in PROGRAMS:
        trigger = text.format(act=daemon.act)
        denied(reserve(users, user, trigger=trigger), "program run by a trigger", user)
        denied(change(users, user, name, trigger=trigger), "program run by a trigger", user)
        for words in (("setres", "-d", "10", "-T", trigger, "node02"),
                      ("mrsvctl", "-c", "-h", "node02", "-d", "10", "-T", trigger),
                      ("mrsvctl", "-m", f"trigger={trigger}", name)):
            assert users.run(user, *words).returncode == 1, words
    denied(reserve(users, user, profile="tool"), "program run by a trigger")
    now = daemon.api("/v1/scheduler")[1]["at"]
    denied(change(users, user, name, trigger=f"start;exec@{daemon.act}", start_at=now),
           "program")
    status, answer = change(users, user, name, start_at=now, duration_s=100)
    assert status == 200, answer
    nothing_ran(daemon)
    assert change(users, user, name, trigger="start+500;cancel")[0] == 200
    shown = daemon.api(f"/v1/reservations/{name}")[1]["triggers"]
    assert [t["action"] for t in shown] == ["cancel"]



def test_an_administrator_of_level_1_has_programs_run(open_site):
    daemon, users = open_site
    name = make(users, "nobody")
    trigger = {"trigger": f"create;exec@{daemon.act}"}
    assert daemon.api(f"/v1/reservations/{name}", trigger, "PATCH")[0] == 200
    daemon.wait(lambda: os.path.exists(f"{daemon.home}/ran"), "the program")


def test_what_an_administrator_put_there_is_not_started_again_by_others(open_site):
    """Naming the same program again would have it run again."""
    daemon, users = open_site
    name = make(users, "nobody")
    trigger = f"start;exec@{daemon.act}"
    assert daemon.api(f"/v1/reservations/{name}", {"trigger": trigger}, "PATCH")[0] == 200
    for user in ("nobody", "bin"):
        denied(change(users, user, name, trigger=trigger), "program run by a trigger")
    assert change(users, "nobody", name, comment="mine")[0] == 200
    nothing_ran(daemon)


def test_a_profile_that_gets_a_program_later_brings_it_to_nobody(open_site):
    daemon, users = open_site
    daemon.configure(LEVELS + "RESCTLPOLICY ANY\nSRCFG[later] HOSTLIST=node04\n")
    assert daemon.api("/v1/scheduler", {"action": "reload"})[0] == 200
    name = make(users, "nobody", profile="later")
    daemon.stop()
    daemon.configure(LEVELS + "RESCTLPOLICY ANY\nSRCFG[later] HOSTLIST=node04 STARTTIME=0 "
                     f"ENDTIME=1 TRIGGER=create;exec@{daemon.act}\n")
    daemon.start()
    daemon.wait(lambda: daemon.api(f"/v1/reservations/{name}")[0] == 200, "the reservation")
    assert not daemon.api(f"/v1/reservations/{name}")[1].get("triggers")


def test_what_takes_from_others_is_for_administrators(open_site):
    daemon, users = open_site
    name = make(users, "nobody")
    for flag in ("FORCE", "OWNERPREEMPT", "IGNSTATE"):
        denied(reserve(users, "nobody", flags=[flag]), flag, "nobody")
        denied(change(users, "nobody", name, flags=[flag]), flag)
        denied(change(users, "nobody", name, add={"flags": [flag]}), flag)
    for owner in ("USER:games", "GROUP:games", "ACCT:physics", "QOS:high"):
        denied(reserve(users, "nobody", owner=owner), "may not say who owns")
        denied(change(users, "nobody", name, owner=owner), "may not say who owns")
    for charge in ("physics", "physics,games", "physics,games,games"):
        denied(reserve(users, "nobody", charge=charge), "charged")
        denied(change(users, "nobody", name, charge=charge), "charged")
    denied(change(users, "nobody", name, charge=None), "charged")
    denied(reserve(users, "nobody", profile="strong"), "FORCE")
    denied(reserve(users, "nobody", profile="wide"), "ACCESS=SHARED")
    assert change(users, "nobody", name, owner="USER:nobody", flags=["BYNAME"])[0] == 200
    assert change(users, "bin", name, flags=["FORCE", "BYNAME"], owner="USER:games",
                  charge="physics")[0] == 200
    assert change(users, "games", name, comment="mine now")[0] == 404


def test_what_administrators_made_for_somebody_is_not_stretched(open_site):
    """Who is charged for a reservation of an administrator may give it back, and no more."""
    daemon, users = open_site
    status, answer = daemon.api("/v1/reservations", {
        "hosts": "node02", "duration_s": 1000, "start_at": 4000000000,
        "charge": "physics,games,nobody", "users": ["nobody"]})
    assert status == 200, answer
    name = answer["name"]
    for what in ({"hosts": "ALL"}, {"duration_s": None}, {"tasks": 4}, {"users": ["games"]}):
        denied(change(users, "nobody", name, **what), "an administrator made it")
    assert users.api("nobody", f"/v1/reservations/{name}", None, "DELETE")[0] == 200


def test_who_may_not_reserve_any_more_may_not_stretch_either(open_site):
    daemon, users = open_site
    name = make(users, "nobody")
    daemon.configure(LEVELS)
    assert daemon.api("/v1/scheduler", {"action": "reload"})[0] == 200
    denied(change(users, "nobody", name, hosts="ALL"), "may not reserve", "ADMINONLY")
    assert users.api("nobody", f"/v1/reservations/{name}", None, "DELETE")[0] == 200


def test_a_user_has_so_many_reservations(open_site):
    daemon, users = open_site
    daemon.configure(LEVELS + "RESCTLPOLICY ANY\nUSERCFG[DEFAULT] MAXRSV=3\n"
                     "USERCFG[games] MAXRSV=-1\n")
    assert daemon.api("/v1/scheduler", {"action": "reload"})[0] == 200
    names = [make(users, "nobody", start_at=4000000000 + 2000 * i) for i in range(3)]
    message = denied(reserve(users, "nobody", start_at=4100000000))
    assert message == ("nobody has 3 reservations, and may have 3 (USERCFG[nobody] MAXRSV): "
                       "release one first")
    assert users.run("nobody", "setres", "-d", "10", "-s", "+900000", "node03").returncode == 1
    for i in range(5):
        make(users, "games", start_at=4200000000 + 2000 * i)
        make(users, "bin", start_at=4300000000 + 2000 * i)
    assert users.api("nobody", f"/v1/reservations/{names[1]}", None, "DELETE")[0] == 200
    make(users, "nobody", start_at=4100000000)


def test_without_a_word_it_is_twenty(open_site):
    _, users = open_site
    for i in range(20):
        make(users, "nobody", start_at=4000000000 + 2000 * i)
    denied(reserve(users, "nobody", start_at=4100000000), "nobody has 20 reservations",
           "may have 20")


# ---- jobs ----

def ask(users, user, **request):
    body = dict({"script": "#!/bin/sh\nid -gn\n", "wclimit_s": 60, "directory": "/tmp"},
                **request)
    return users.api(user, "/v1/jobs", body)


def modify(users, user, job, attribute, value):
    change = {"attribute": attribute, "op": "=", "value": value}
    status, answer = users.api(user, "/v1/orders/modify", {"jobs": [job], "changes": [change]})
    assert status == 200, answer
    return answer["results"][0]


def test_a_group_is_one_of_the_owners(users, site):
    """msub -W group_list=, the API and mjobctl -m: what the system says counts."""
    message = denied(ask(users, "games", group="root"))
    assert message == "user games is not a member of group root; member of: games"
    done = users.run("games", "msub", "-W", "group_list=root", "--", "true")
    assert done.returncode == 1 and "not a member of group root" in done.stderr, done
    for group in ("nosuch", "#0", "0", "ROOT", "root:games"):
        denied(ask(users, "games", group=group), "not a member of group")
    job = users.submit("games", group="games", hold=True)
    result = modify(users, "games", job, "group", "root")
    assert not result["ok"] and "not a member of group root" in result["message"]
    assert modify(users, "games", job, "group", "games")["ok"]
    assert users.run("games", "mjobctl", "-m", "group=bin", job).returncode == 1
    assert site.job(job)["group"] == "games"


def test_administrators_name_any_group_and_are_told(users, site):
    job = users.submit("games", hold=True)
    result = modify(users, "bin", job, "group", "physics")
    assert result["ok"] and result["message"] == (
        f"job {job} successfully modified; user games is not a member of group physics; "
        "member of: games")
    assert site.job(job)["group"] == "physics"
    assert ask(users, "bin", group="physics", hold=True)[0] == 200
    denied(ask(users, "daemon", group="physics"), "not a member of group physics")


def test_a_job_runs_under_the_group_it_names(users, site):
    """And never under one that its owner is not in, whoever named it."""
    out = f"{site.home}/out"
    os.mkdir(out)
    os.chmod(out, 0o777)
    for user, group, expected in (("bin", "physics", "bin"), ("games", "games", "games")):
        path = f"{out}/{user}"
        assert ask(users, user, group=group, output=path, error=f"{path}.e")[0] == 200
        site.wait(lambda: os.path.exists(path) and open(path, encoding="utf-8").read(), path)
        with open(path, encoding="utf-8") as f:
            assert f.read() == f"{expected}\n"


def test_deadlines_and_preemption_are_nobodys_to_take(users, site):
    at = site.api("/v1/scheduler")[1]["at"] + 3600
    job = users.submit("games", hold=True)
    for user in ("games", "daemon", "bin"):
        denied(ask(users, user, deadline_at=at), "level 1", "deadline")
    for user in ("games", "bin"):
        result = modify(users, user, job, "deadline", str(at))
        assert not result["ok"] and "deadline" in result["message"], result
    for user in ("games", "daemon"):
        denied(ask(users, user, flags=["PREEMPTOR"]), "PREEMPTOR")
    assert not modify(users, "games", job, "flags", "preemptor,restartable")["ok"]
    assert modify(users, "games", job, "flags", "preemptee")["ok"]
    assert ask(users, "bin", flags=["PREEMPTOR"], hold=True)[0] == 200
    assert site.api("/v1/jobs", {"script": "#!/bin/sh\n", "deadline_at": at, "hold": True,
                                 "directory": "/tmp"})[0] == 200


# ---- texts ----

BAD_NAMES = ("a b", "a\nb", "a\tb", "a\x1b[2J", "a\x7f", "a\u0085b", "a\u2028b",
             "a\u202eb", "a\u2066b", 'a"b', "a'b", "a`b", "a,b", "a;b", "a\\b", " ", "x" * 256)


@pytest.mark.parametrize("member", ["account", "class", "qos", "group", "reservation",
                                    "partitions", "features", "hosts", "os", "gres"])
def test_names_that_could_not_be_read_back_are_refused_by_name(live, member):
    for bad in BAD_NAMES:
        body = {"script": "#!/bin/sh\ntrue\n", "directory": "/tmp", "hold": True}
        if member in ("features", "hosts", "os"):
            body["requests"] = [{member: bad if member == "os" else ["ok", bad]}]
        elif member == "gres":
            body["requests"] = [{"per_task": {"gres": {bad: 1}}}]
        else:
            body[member] = [bad] if member == "partitions" else bad
        status, answer = live.api("/v1/jobs", body)
        assert status == 400, (bad, answer)
        assert member in answer["error"]["field"], answer
        assert answer["error"]["message"].startswith(answer["error"]["field"]), answer
    assert not os.listdir(f"{live.home}/spool/jobs")
    assert "is not taken" not in live.log()


@pytest.mark.parametrize("words", [("-A", "a b"), ("-q", "x y"), ("-l", "qos='x y'"),
                                   ("-W", "group_list=a\x01b"), ("-A", "a\x1b]0;x\x07")])
def test_msub_says_what_is_wrong_with_a_name(live, words):
    done = live.run("msub", *words, "--", "true")
    assert (done.returncode, done.stdout) == (1, ""), done
    assert "expected a name" in done.stderr and "\x1b" not in done.stderr, done


def test_what_the_engine_would_not_take_is_not_acknowledged(live):
    for request, words in (({"requests": [{"hosts": ["nodex1"]}]}, "no node is named 'nodex1'"),
                           ({"requests": [{"tasks": 1, "nodes": 5}]}, "5 nodes"),
                           ({"requests": [{"tasks": 2 ** 31 - 1, "per_task": {"procs": 9}}]},
                            "processors")):
        status, answer = live.api("/v1/jobs", dict(request, script="#!/bin/sh\n"))
        assert status != 200 and words in answer["error"]["message"], answer
    assert "is not taken" not in live.log()


def test_members_that_nobody_knows_are_told(live):
    for path, body, field, words in (
            ("/v1/jobs", {"script": "x", "acount": "a"}, "acount", "did you mean 'account'?"),
            ("/v1/jobs", {"script": "x", "requests": [{"task": 1}]}, "requests[0].task", "tasks"),
            ("/v1/reservations", {"hosts": "ALL", "usrs": ["a"]}, "usrs", "users"),
            ("/v1/reservations", {"hosts": "ALL", "users": {"a": 1}}, "users", "expected a list"),
            ("/v1/reservations", {"hosts": "ALL", "users": ["a\nb"]}, "users[0]", "control"),
            ("/v1/orders/cancel", {"jobs": "ALL"}, "jobs", "expected a list"),
            ("/v1/orders/modify", {"jobs": ["1"], "changes": [{"attribute": "x"}]},
             "changes[0].value", "needed")):
        status, answer = live.api(path, body)
        assert status == 400 and answer["error"]["field"] == field, (path, body, answer)
        assert words in answer["error"]["message"], answer
