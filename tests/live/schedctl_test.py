# SPDX-License-Identifier: Apache-2.0
"""schedctl and changeparam."""
import os
import signal
import sqlite3
import subprocess
import time

from live_users import Users


def blocked(live, job):
    return live.job(job)["section"] == "blocked"


def test_scheduling_is_stopped_stepped_and_resumed(live):
    assert "scheduling will stop immediately" in live.ok("schedctl", "-s")
    job = live.submit()
    time.sleep(0.3)
    assert live.state(job) == "Idle"
    assert "will stop at iteration" in live.ok("schedctl", "-S", "1")
    live.wait(lambda: live.state(job) == "Running", "the start")
    assert live.ok("schedctl", "-r") == "scheduling will resume immediately\n"
    assert "resume in 600 seconds" in live.ok("mschedctl", "-r", "10:00")


def test_statistics_begin_anew(live):
    assert "statistics reset" in live.ok("resetstats")


def test_shutdown_by_command(live):
    pid = live.pid()
    assert live.ok("schedctl", "-k") == "scheduler will be shutdown immediately\n"
    live.gone(pid)


def test_after_a_shutdown_all_is_as_it_was(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1 QLIST=high\nQOSCFG[high] PRIORITY=5\n")
    daemon.start()
    jobs = [daemon.submit("sleep 300") for _ in range(4)]
    daemon.wait(lambda: daemon.state(jobs[0]) == "Running", "a start")
    daemon.ok("sethold", "-b", jobs[1])
    daemon.ok("setspri", "7", jobs[2])
    daemon.ok("setqos", "high", jobs[3])
    daemon.ok("setres", "-n", "kept", "-s", "+1:00:00", "-d", "1:00:00", "node04")
    daemon.ok("schedctl", "-s")

    def told():
        records = [daemon.job(job) for job in jobs]
        reservation = daemon.api("/v1/reservations/kept.0")[1]
        return [{key: r.get(key) for key in ("state", "holds", "system_priority", "qos", "start_at",
                                             "submit_at", "allocation")} for r in records], {
            key: reservation.get(key) for key in ("start_at", "end_at", "places", "owner")}

    before = told()
    daemon.ok("schedctl", "-k")
    daemon.start("--paused")
    daemon.wait(lambda: daemon.state(jobs[0]) == "Running", "the jobs")
    assert told() == before


def test_after_a_shutdown_the_next_scheduler_can_be_started_at_once(live):
    for _ in range(5):
        live.ok("schedctl", "-k")
        live.start()
    assert "Total Jobs" in live.ok("showq")


def test_a_stopped_scheduler_runs_on_to_a_stop_that_is_to_come(live):
    live.ok("schedctl", "-s")
    now = live.api("/v1/scheduler")[1]["iteration"]
    job = live.submit()
    assert live.ok("schedctl", "-s", now + 1) == f"scheduling will stop at iteration {now + 1}\n"
    live.wait(lambda: live.state(job) == "Running", "the start")
    assert live.api("/v1/scheduler")[1]["state"] == "paused"
    live.ok("schedctl", "-r", "10:00")
    live.ok("schedctl", "-s")
    assert "resume_at" not in live.api("/v1/scheduler")[1], "stopped is stopped"


def test_a_change_holds_until_the_file_is_read_again(live):
    first = live.submit()
    live.wait(lambda: live.state(first) == "Running", "the start")
    assert live.ok("changeparam", "USERCFG[DEFAULT]", "MAXJOB=1") == "parameters modified\n"
    second = live.submit()
    live.wait(lambda: blocked(live, second), "the limit")
    live.ok("schedctl", "-R")
    live.wait(lambda: live.state(second) == "Running", "the end of the limit")


def test_a_persistent_change_survives_reading_and_kill_9(live):
    live.ok("changeparam", "--flags", "persistent", "USERCFG[DEFAULT]", "MAXJOB=1")
    live.ok("schedctl", "-m", "BACKFILLPOLICY NONE")
    assert "NONE" in live.ok("schedctl", "-l", "BACKFILLPOLICY")
    os.kill(live.pid(), signal.SIGHUP)
    live.wait(lambda: "NONE" not in live.ok("schedctl", "-l", "BACKFILLPOLICY"), "the file")
    live.kill()
    live.start()
    jobs = [live.submit(), live.submit()]
    live.wait(lambda: live.state(jobs[0]) == "Running" and blocked(live, jobs[1]), "the limit")


def test_a_change_of_one_attribute_leaves_the_others_alone(live):
    def limits():
        return live.api("/v1/credentials/user?name=DEFAULT")[1]["limits"]
    live.ok("changeparam", "USERCFG[DEFAULT]", "MAXJOB=1")
    live.ok("changeparam", "usercfg[DEFAULT]", "MAXPROC=4,8 MAXJOB[class]=5")
    assert limits() == ["MAXJOB=1", "MAXPROC=4,8", "MAXJOB[class]=5"]
    live.ok("changeparam", "USERCFG[DEFAULT]", "MAXPROCS=6", "maxjob[CLASS]=7")
    assert limits() == ["MAXJOB=1", "MAXPROC=6", "MAXJOB[class]=7"]
    assert "did you mean" in live.run(
        "changeparam", "USERCFG[DEFAULT]", "MAXJOB=9 MAXPORC=1").stderr
    live.kill()
    live.start()
    assert limits() == ["MAXJOB=1", "MAXPROC=6", "MAXJOB[class]=7"]


def test_a_change_outlives_a_restart_until_the_file_is_read_by_order(live):
    live.ok("changeparam", "BACKFILLPOLICY", "NONE")
    live.ok("changeparam", "--flags", "persistent", "RESERVATIONDEPTH", "7")
    for again in (live.kill, live.stop):
        again()
        live.start()
        assert "NONE" in live.ok("showconfig", "BACKFILLPOLICY")
        assert " 7" in live.ok("showconfig", "RESERVATIONDEPTH")
    assert "before the restart: BACKFILLPOLICY NONE" in live.log()
    live.ok("schedctl", "-R")
    assert "NONE" not in live.ok("showconfig", "BACKFILLPOLICY")
    assert " 7" in live.ok("showconfig", "RESERVATIONDEPTH")
    live.kill()
    live.start()
    assert "NONE" not in live.ok("showconfig", "BACKFILLPOLICY")


def test_a_change_never_joins_the_next_one(live):
    for words in (("FSDEPTH", "5\\"), ("FSDEPTH", "5\\\\ "), ("FSDEPTH", "5\\ # why"), ("USERCFG[ann]", "MAXJOB=3\\")):
        done = live.run("changeparam", *words)
        assert done.returncode == 1 and "a backslash at the end" in done.stderr, words
    live.ok("changeparam", "USERCFG[ann]", "MAXJOB=3 \\\n MAXPROC=8 # both")
    live.ok("changeparam", "RESERVATIONDEPTH", "7 # why")
    live.kill()
    live.start()
    assert live.api("/v1/credentials/user?name=ann")[1]["limits"] == ["MAXJOB=3", "MAXPROC=8"]
    assert " 7" in live.ok("showconfig", "RESERVATIONDEPTH")


def test_a_change_that_fits_no_more_is_left_out_alone(live):
    live.ok("changeparam", "BACKFILLPOLICY", "NONE")
    live.ok("changeparam", "--flags", "persistent", "RESERVATIONDEPTH", "7")
    live.stop()
    with sqlite3.connect(f"{live.home}/state.db") as state:
        assert state.execute("UPDATE record SET value = replace(value, 'NONE', 'NOBODY\\\\') "
                             "WHERE kind = 'parameter' AND key = 'BACKFILLPOLICY'").rowcount == 1
    live.start()
    assert " 7" in live.ok("showconfig", "RESERVATIONDEPTH")
    assert "left out, as it does not fit any more: BACKFILLPOLICY NOBODY: " in live.log()


def test_a_change_of_one_attribute_of_a_node_leaves_the_others_alone(live):
    live.ok("changeparam", "NODECFG[node01]", "SPEED=2")
    live.ok("changeparam", "nodecfg[node01]", "PRIORITY=7")
    live.ok("changeparam", "SRCFG[a]", "HOSTLIST=node01")
    live.ok("changeparam", "SRCFG[a]", "USERLIST=ann")
    for again in (live.kill, None):
        out = live.ok("showconfig", "-v")
        for word in ("SPEED=2", "PRIORITY=7", "HOSTLIST=node01", "USERLIST=ann"):
            name, value = word.split("=")
            assert any(name in line and value in line.split(name)[1] for line in out.splitlines()
                       if "CFG[" in line), (word, out)
        if again:
            again()
            live.start()
    done = live.run("changeparam", "SRCFG[a]", "DEPTH=1 SRCFG[b] DEPTH=2")
    assert done.returncode == 1 and "one section at a time" in done.stderr


def test_a_passing_change_is_before_a_kept_one_and_leaves_it(live):
    def limits():
        return live.api("/v1/credentials/user?name=ann")[1]["limits"]
    live.ok("changeparam", "--flags", "persistent", "USERCFG[ann]", "MAXPROC=8")
    live.ok("changeparam", "USERCFG[ann]", "MAXPROC=20")
    assert limits() == ["MAXPROC=20"]
    live.kill()
    live.start()
    assert limits() == ["MAXPROC=20"]
    live.ok("schedctl", "-R")
    assert limits() == ["MAXPROC=8"]
    live.kill()
    live.start()
    assert limits() == ["MAXPROC=8"]
    live.ok("changeparam", "USERCFG[ann]", "MAXPROC=20")
    live.ok("changeparam", "--flags", "persistent", "USERCFG[ann]", "MAXPROC=9")
    assert limits() == ["MAXPROC=9"]
    live.ok("schedctl", "-R")
    assert limits() == ["MAXPROC=9"]


def test_a_change_is_taken_back(live):
    def limits():
        return live.api("/v1/credentials/user?name=ann")[1].get("limits", [])

    def change(**body):
        status, answer = live.api("/v1/parameters", body)
        assert status == 200, answer
        return answer["undo"]

    def undo(bodies):
        for body in bodies:
            change(**body)

    change(text="USERCFG[ann] QDEF=DEFAULT")  # so that there is a user ann
    first = change(text="USERCFG[ann] MAXPROC=4")
    second = change(text="USERCFG[ann] MAXPROC=8", persistent=True)
    third = change(text="USERCFG[ann] MAXPROC=9")
    fourth = change(text="USERCFG[ann] MAXPROC=10")
    assert limits() == ["MAXPROC=10"]
    for bodies, left in ((fourth, ["MAXPROC=9"]), (third, ["MAXPROC=8"]), (second, ["MAXPROC=4"]),
                         (first, [])):
        undo(bodies)
        assert limits() == left
        if left == ["MAXPROC=8"]:
            live.kill()
            live.start()
            assert limits() == left
    status, answer = live.api("/v1/parameters", {"text": "USERCFG[ann] MAXPROC=4", "drop": True})
    assert status == 404 and "was not changed at run time" in answer["error"]["message"]
    live.kill()
    live.start()
    assert limits() == []


def test_taking_back_undoes_nobody_elses_change(live):
    def limits():
        return live.api("/v1/credentials/user?name=ann")[1].get("limits", [])
    live.ok("changeparam", "USERCFG[ann]", "QDEF=DEFAULT")
    undo = live.api("/v1/parameters", {"text": "USERCFG[ann] MAXPROC=4 MAXJOB=2"})[1]["undo"]
    live.ok("changeparam", "USERCFG[ann]", "MAXPROC=9")
    status, answer = live.api("/v1/parameters", {"all": undo})
    assert status == 409 and "'USERCFG[ANN] MAXPROC=9' now" in answer["error"]["message"].replace("ann", "ANN"), answer
    assert sorted(limits()) == ["MAXJOB=2", "MAXPROC=9"]  # neither of them
    live.ok("changeparam", "USERCFG[ann]", "MAXPROC=4")
    status, answer = live.api("/v1/parameters", {"all": undo})
    assert status == 200 and limits() == []
    status, answer = live.api("/v1/parameters", {"all": answer["undo"]})
    assert status == 200 and sorted(limits()) == ["MAXJOB=2", "MAXPROC=4"]
    assert live.api("/v1/parameters", {"all": undo, "text": "FSDEPTH 3"})[0] == 400
    assert live.api("/v1/parameters", {"all": [{"text": "FSDEPTH 3"}, {"text": "FSDEPHT 4"}]})[0] == 400
    assert live.api("/v1/parameters", {"all": [{"text": 3}]})[0] == 400


def test_a_parameter_without_index_and_with_0_is_one(live):
    for name, depth in (("RESERVATIONDEPTH", 3), ("RESERVATIONDEPTH[0]", 5), ("RESERVATIONDEPTH", 9),
                        ("RESERVATIONDEPTH[]", 7)):
        live.ok("changeparam", name, str(depth))
        assert settings(live)["RESERVATIONDEPTH"] == str(depth)
    live.ok("changeparam", "BACKFILLPOLICY[0]", "NONE")
    live.ok("changeparam", "--drop", "BACKFILLPOLICY")
    assert "NONE" not in live.ok("showconfig", "BACKFILLPOLICY")
    live.ok("changeparam", "SRCFG[0]", "HOSTLIST=node01 USERLIST=ann")
    live.ok("changeparam", "SRCFG", "USERLIST=bob")
    assert acl(live, "0") == ["USER==bob+"]


def test_a_change_in_an_older_form_is_in_force(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=100\nSRCFG[0] HOSTLIST=node01 TIMELIMIT=10\n"
                     "USERCFG[DEFAULT] MAXJOB=5\n")
    daemon.start()
    for words, name, value in ((("QOSPRIORITY[high]", "5"), "QOSCFG[high].PRIORITY", "5"),
                               (("QOSCFG[high]", "PRIORITY=7"), "QOSCFG[high].PRIORITY", "7"),
                               (("QOSPRIORITY[high]", "9"), "QOSCFG[high].PRIORITY", "9"),
                               (("SRMAXTIME[0]", "20"), "SRCFG[0].TIMELIMIT", "20"),
                               (("SRUSERLIST", "ann bob"), "SRCFG[0].USERLIST", "ann,bob")):
        daemon.ok("changeparam", *words)
        assert settings(daemon)[name] == value, words
    done = daemon.run("changeparam", "MAXJOBPERUSERCOUNT", "3")
    assert done.returncode == 1 and "USERCFG[DEFAULT].MAXJOB is in force" in done.stderr
    daemon.ok("changeparam", "MAXJOBPERGROUPCOUNT", "3")
    daemon.ok("changeparam", "--drop", "QOSPRIORITY[high]", "9")
    assert settings(daemon)["QOSCFG[high].PRIORITY"] == "100"
    assert acl(daemon, "0") == ["DURATION<=00:00:20+", "USER==ann+", "USER==bob+"]


def acl(live, standing):
    """Who may use that reservation; None where there is none."""
    lists = [r.get("acl", []) for r in live.api("/v1/reservations")[1] if r.get("standing") == standing]
    return lists[0] if lists else None


def alter_record(live, key, old, new):
    """In the store of a daemon that is down, as if another release had kept it."""
    with sqlite3.connect(f"{live.home}/state.db") as state:
        assert state.execute("UPDATE record SET value = replace(value, ?, ?) "
                             "WHERE kind = 'parameter' AND key = ?", (old, new, key)).rowcount == 1


def settings(live):
    """What is set, by its name."""
    return {p["name"]: p["value"] for p in live.api("/v1/parameters")[1]}


def keys(live):
    with sqlite3.connect(f"{live.home}/state.db") as state:
        return [key for key, in state.execute("SELECT key FROM record WHERE kind = 'parameter' ORDER BY key")]


def test_a_reservation_is_kept_whole_beside_a_change_that_fits_no_more(live):
    live.ok("changeparam", "--flags", "persistent", "SRCFG[a]",
            "HOSTLIST=node01 USERLIST=ann CLASSLIST=batch* PERIOD=WEEK")
    live.ok("changeparam", "--flags", "persistent", "BACKFILLPOLICY", "NONE")
    before = acl(live, "a")
    assert len(before) == 2
    live.stop()
    alter_record(live, "BACKFILLPOLICY", "NONE", "NOBODY")
    live.start()
    assert acl(live, "a") == before
    assert settings(live)["SRCFG[a].PERIOD"] == "WEEK"
    assert live.log().count("left out, as it does not fit any more") == 1
    live.ok("schedctl", "-R")  # what is left out is in nobody's way
    live.ok("changeparam", "--drop", "BACKFILLPOLICY")
    live.stop()
    assert "BACKFILLPOLICY" not in keys(live)


def test_an_access_list_that_fits_no_more_closes_the_reservation(live):
    live.ok("changeparam", "--flags", "persistent", "SRCFG[a]", "HOSTLIST=node01 USERLIST=ann CLASSLIST=batch*")
    live.stop()
    alter_record(live, "SRCFG[a].CLASSLIST", "batch", "^batch")
    live.start()
    assert "USER!=ALL" in " ".join(acl(live, "a")), acl(live, "a")
    assert "nobody may use the reservation until this is mended" in live.log()
    live.ok("changeparam", "--flags", "persistent", "SRCFG[a]", "CLASSLIST=batch*")
    assert "ALL" not in " ".join(acl(live, "a"))


def test_what_fits_no_more_is_in_force_when_it_fits_again(live):
    # The change stands on its own; the file gives the reservation another place.
    live.configure("SRCFG[a] HOSTLIST=node01\n")
    live.ok("schedctl", "-R")
    live.ok("changeparam", "--flags", "persistent", "SRCFG[b]", "USERLIST=ann HOSTLIST=node02")
    live.ok("changeparam", "--flags", "persistent", "SRCFG[a]", "DEPTH=2")
    live.stop()
    live.configure("# nothing\n")
    live.start()
    assert "left out, as it does not fit any more: SRCFG[a] DEPTH=2" in live.log()
    assert "SRCFG[a].DEPTH" not in settings(live) and acl(live, "b") == ["USER==ann+"]
    live.configure("SRCFG[a] HOSTLIST=node01\n")
    live.ok("schedctl", "-R")
    assert settings(live)["SRCFG[a].DEPTH"] == "2"
    assert "in force again, as it fits: SRCFG[a] DEPTH=2" in live.log()


def test_a_passing_value_that_fits_no_more_leaves_the_kept_one(live):
    live.ok("changeparam", "--flags", "persistent", "RESERVATIONDEPTH", "7")
    live.ok("changeparam", "RESERVATIONDEPTH", "9")
    live.stop()
    alter_record(live, "RESERVATIONDEPTH", "DEPTH 9", "DEPTH nine")
    live.start()
    assert settings(live)["RESERVATIONDEPTH"] == "7"
    assert "RESERVATIONDEPTH 7 is in force" in live.log()
    live.ok("changeparam", "RESERVATIONDEPTH", "8")
    assert settings(live)["RESERVATIONDEPTH"] == "8"
    live.ok("schedctl", "-R")
    assert settings(live)["RESERVATIONDEPTH"] == "7"


def test_a_passing_access_list_closes_only_until_the_file_is_read_again(live):
    live.ok("changeparam", "--flags", "persistent", "SRCFG[a]", "HOSTLIST=node01 CLASSLIST=batch*")
    live.ok("changeparam", "SRCFG[a]", "USERLIST=ann")
    live.stop()
    alter_record(live, "SRCFG[a].USERLIST", "ann", "^ann")
    live.start()
    assert "USER!=ALL" in " ".join(acl(live, "a"))
    live.ok("schedctl", "-R")
    assert "ALL" not in " ".join(acl(live, "a")), acl(live, "a")


def test_names_of_one_list_in_one_line_are_all_taken(live):
    live.ok("changeparam", "SRCFG[a]", "HOSTLIST=node01 USERLIST=ann USERLIST=bob")
    assert acl(live, "a") == ["USER==ann+", "USER==bob+"]
    status, answer = live.api("/v1/parameters", {"text": "SRCFG[a] USERLIST=x QOSLIST=hi USERLIST=y"})
    assert status == 200 and acl(live, "a") == ["USER==x+", "USER==y+", "QOS==hi+"]
    live.kill()
    live.start()
    assert live.api("/v1/parameters", {"all": answer["undo"]})[0] == 200
    assert acl(live, "a") == ["USER==ann+", "USER==bob+"]


def test_a_changed_list_takes_the_place_of_that_of_the_file(daemon):
    daemon.configure("SRCFG[f] HOSTLIST=node01 USERLIST=ann USERLIST=bob TRIGGER=start+60;cancel\n"
                     "SRUSERLIST[o] ann\nSRCFG[o] HOSTLIST=node02 USERLIST=bob\n")
    daemon.start()
    assert settings(daemon)["SRCFG[f].USERLIST"] == "ann,bob"
    daemon.ok("changeparam", "SRCFG[o]", "USERLIST=jim")
    daemon.ok("changeparam", "--flags", "persistent", "SRCFG[f]", "USERLIST=jim TRIGGER=end+0;cancel")
    for again in (daemon.kill, None):
        assert acl(daemon, "f") == ["USER==jim+"] and acl(daemon, "o") == ["USER==jim+"]
        assert settings(daemon)["SRCFG[f].USERLIST"] == "jim"
        assert len([x for x in daemon.ok("diagnose", "-r").split() if x.startswith("start+")]) == 0
        if again:
            again()
            daemon.start()
    daemon.ok("schedctl", "-R")
    assert acl(daemon, "f") == ["USER==jim+"] and acl(daemon, "o") == ["USER==ann+", "USER==bob+"]
    daemon.stop()
    assert "all the same" in daemon.ok("replay", "--verify")


def test_a_kept_change_does_without_those_that_pass(live):
    live.ok("changeparam", "SRCFG[q]", "HOSTLIST=node02")
    done = live.run("changeparam", "--flags", "persistent", "SRCFG[q]", "PERIOD=WEEK")
    assert done.returncode == 1 and "without the changes that do not persist" in done.stderr
    live.ok("changeparam", "--flags", "persistent", "SRCFG[q]", "HOSTLIST=node03 PERIOD=WEEK")
    live.ok("changeparam", "SRCFG[q]", "HOSTLIST=node02")
    done = live.run("changeparam", "--drop", "SRCFG[q]", "HOSTLIST")
    assert done.returncode == 1 and "neither HOSTLIST nor TASKCOUNT" in done.stderr
    live.ok("schedctl", "-R")
    assert acl(live, "q") == []


def test_a_change_is_dropped(live):
    live.ok("changeparam", "--flags", "persistent", "RESERVATIONDEPTH", "7")
    live.ok("changeparam", "RESERVATIONDEPTH", "8")
    live.ok("changeparam", "USERCFG[ann]", "MAXJOB=3 MAXPROC=4 MAXNODE=5")
    live.ok("changeparam", "--drop", "RESERVATIONDEPTH")
    live.ok("changeparam", "--drop", "USERCFG[ann].MAXJOB")
    live.ok("changeparam", "-d", "USERCFG[ann]", "MAXNODE")
    for again in (live.kill, None):
        assert " 1" in live.ok("showconfig", "RESERVATIONDEPTH")
        assert live.api("/v1/credentials/user?name=ann")[1]["limits"] == ["MAXPROC=4"]
        if again:
            again()
            live.start()
    done = live.run("changeparam", "--drop", "FSDEPTH")
    assert done.returncode == 1 and "was not changed at run time" in done.stderr
    assert "a parameter is needed" in live.run("changeparam", "--drop").stderr
    for body in ({"text": "USERCFG[ann]", "drop": True}, {"all": []}, {"text": "USERCFG[ann]"}):
        assert live.api("/v1/parameters", body)[0] == 400, body


def test_changes_of_an_older_release_have_todays_names(live):
    live.stop()
    with sqlite3.connect(f"{live.home}/state.db") as state:
        for key, value in (("NODECFG[node01]", '{"text":"NODECFG[node01] SPEED=2 PRIORITY=7","kept":true}'),
                           ("NOTIFYSCRIPT", '{"text":"NOTIFYSCRIPT /bin/a","kept":false}')):
            state.execute("INSERT INTO record (kind, key, value) VALUES ('parameter', ?, ?)", (key, value))
    live.start()
    live.ok("changeparam", "--drop", "NOTIFICATIONPROGRAM")
    live.ok("changeparam", "--drop", "NODECFG[node01].SPEED")
    live.ok("changeparam", "NODECFG[node01]", "PRIORITY=8")
    live.stop()
    assert keys(live) == ["NODECFG[node01].PRIORITY"]
    live.start()
    now = settings(live)
    assert now["NODECFG[node01].PRIORITY"] == "8"
    assert not {"NODECFG[node01].SPEED", "NOTIFICATIONPROGRAM"} & set(now)


def test_changes_stay_in_their_order(live):
    live.ok("changeparam", "RESERVATIONDEPTH", "7")
    live.ok("changeparam", "--flags", "persistent", "USERCFG[ann]", "MAXJOB=3")
    live.ok("changeparam", "BACKFILLPOLICY", "NONE")
    live.ok("changeparam", "USERCFG[ann]", "MAXJOB=4")

    def order():
        found = {}
        for line in live.ok("showconfig", "-v").splitlines():
            if "changeparam:" in line:
                found[int(line.rsplit(":", 1)[1])] = line.split()[0].split("[0]")[0]
        return [name for _, name in sorted(found.items())]
    expected = ["RESERVATIONDEPTH", "USERCFG[ann].MAXJOB", "BACKFILLPOLICY"]
    assert order() == expected
    live.kill()
    live.start()
    assert order() == expected
    live.ok("changeparam", "FSDEPTH", "5")
    live.kill()
    live.start()
    assert order() == expected + ["FSDEPTH"]


def test_what_nothing_reads_is_said_to_change_nothing(live):
    assert "it changes nothing" in live.ok("changeparam", "STEPCOUNT", "5")
    assert "nothing" not in live.ok("changeparam", "RESERVATIONDEPTH", "5")
    status, answer = live.api("/v1/whatif", {"changes": [{"parameters": {"text": "STEPCOUNT 6"}}]})
    assert status == 200 and [n for n in answer["notes"] if "it changes nothing" in n], answer


def test_the_last_change_holds_whichever_name_was_used(live):
    for name, value in (("NOTIFYSCRIPT", "/bin/a"), ("NOTIFICATIONPROGRAM", "/bin/b"),
                        ("NOTIFYSCRIPT", "/bin/c")):
        live.ok("changeparam", name, value)
    out = live.ok("showconfig", "NOTIFICATIONPROGRAM")
    assert "/bin/c" in out and "/bin/b" not in out


def test_steps_are_waited_for(live):
    live.ok("schedctl", "-s")
    before = live.api("/v1/scheduler")[1]["iteration"]
    job = live.submit()
    out = live.ok("schedctl", "-S", "2S")
    assert out == f"scheduling will stop at iteration {before + 2}\n"
    after = live.api("/v1/scheduler")[1]
    assert (after["iteration"], after["state"]) == (before + 2, "paused")
    assert live.state(job) in ("Starting", "Running")
    waits = subprocess.Popen(["timeout", "20", live.program, "schedctl", "-S", "9000S"],
                             env=live.env, stderr=subprocess.PIPE, text=True)
    told = waits.stderr.readline()  # in a second
    waits.terminate()
    assert told.startswith("NOTE:     iteration ") and "an interrupt does not" in told


def test_scheduling_stops_at_a_time(live):
    assert live.ok("schedctl", "-s", "0:02S").startswith("scheduling will stop in 00:00:02 at")
    assert live.api("/v1/scheduler")[1]["state"] == "paused"
    assert "stop in 01:00:00 at iteration" in live.ok("schedctl", "-S", "1:00:00")
    assert live.api("/v1/scheduler")[1]["state"] == "running"
    live.ok("schedctl", "-r")
    assert "stop_at" not in live.api("/v1/scheduler")[1]


def test_nobody_is_answered_while_somebody_wants_to_be_alone(daemon):
    daemon.configure("RMPOLLINTERVAL 60\n")
    daemon.start()
    now = daemon.api("/v1/scheduler")[1]["iteration"]
    daemon.ok("schedctl", "-s", f"{now + 50}I")
    done = daemon.run("showq")
    assert done.returncode == 1 and "nobody is answered until scheduling stops" in done.stderr
    daemon.ok("schedctl", "-r")
    assert daemon.ok("showq")


def test_the_resource_manager_seems_to_fail(live):
    assert live.ok("schedctl", "-f", "1:00:00") == "RM failure mode enabled for 01:00:00\n"
    job = live.submit()
    time.sleep(0.5)
    assert live.state(job) == "Idle"
    assert "Down" in live.ok("diagnose", "-R")
    assert live.ok("schedctl", "-f", "0") == "RM failure mode disabled\n"
    live.wait(lambda: live.state(job) == "Running", "the start")
    live.ok("schedctl", "-f", "1")
    job = live.submit()
    live.wait(lambda: live.state(job) == "Running", "the end of the failure", 5)


def test_nodes_are_printed_as_a_resource_trace(daemon, build):
    daemon.configure("NODECFG[node01] FEATURES=ib,fast SPEED=2.0\n")
    daemon.start()
    text = daemon.ok("schedctl", "-n")
    lines = text.splitlines()
    assert lines[0] == "VERSION 230" and len(lines) == 5
    fields = lines[1].split()
    assert fields[0] == "COMPUTENODE" and fields[3] == "node01" and fields[8] == "2"
    assert "[ib][fast]" in fields and fields[17] == "2.00"


RECORD = ("trace.1 0 2 mira bio 60 Completed [DEFAULT:1] 100 100 100 103 [NONE] [NONE] [NONE] "
          ">= 0 >= 0 [fast] 100 2 0 [NONE]:[NONE] [RESTARTABLE] physics [NONE] [NONE] 0 0.0 ALL "
          "1 64 0 0 0 0 [NONE] [NONE] [NONE] [NONE] [NONE] [NONE] [NONE]")


def test_jobs_of_a_trace_are_submitted(daemon):
    daemon.configure("NODECFG[node01] FEATURES=fast\n")
    live = daemon.start()
    assert live.ok("schedctl", "-j", RECORD) == "job successfully submitted\n"
    job = live.wait(lambda: live.job("1"), "the job")
    assert (job["name"], job["account"], job["tasks"], job["wclimit_s"]) == (
        "trace.1", "physics", 2, 60)
    assert job["requests"][0]["per_task"]["mem_mb"] == 64
    live.wait(lambda: live.job("1") is None, "its end, after the three seconds it ran", 15)
    with open(f"{live.home}/jobs", "w") as f:
        f.write(f"VERSION 230\n# two\n{RECORD}\n{RECORD.replace('trace.1', 'trace.2')}\n")
    assert live.ok("schedctl", "-j", f"{live.home}/jobs") == "job successfully submitted\n" * 2


def test_a_bad_change_is_refused_and_changes_nothing(live):
    for words, text in ((("BACKFILLPOLICY", "SOMETIMES"), "SOMETIMES"),
                        (("BACKFILPOLICY", "NONE"), "BACKFILLPOLICY"),
                        (("RMPOLLINTERVAL", "soon\nFSDEPTH 3"), "one parameter"),
                        (("FSDEPTH",), "are needed")):
        done = live.run("changeparam", *words)
        assert done.returncode == 1 and text in done.stderr, done
    for words, text in (((), "is needed"), (("-s", "-k"), "do not go together"),
                        (("-s", "5X"), "I or S may follow"), (("-r", "soon"), "-r:"),
                        (("-s", "1:xS"), "1:x"), (("-f", "soon"), "-f:"),
                        (("-j", "no trace"), "cannot submit job: "),
                        (("-n", "x"), "is too much"), (("-n", "-k"), "do not go together")):
        done = live.run("schedctl", *words)
        assert done.returncode == 1 and text in done.stderr, done
    assert live.ok("showq")


def test_others_may_not(live):
    users = Users(live)
    for words in (("schedctl", "-k"), ("changeparam", "FSDEPTH", "3")):
        assert "not authorized" in users.refused("nobody", *words)
    assert live.ok("showq")
