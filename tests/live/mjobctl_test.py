# SPDX-License-Identifier: Apache-2.0
"""mjobctl: every action and every attribute, and who may."""
import json
import pathlib
import time
import xml.etree.ElementTree as ET

import pytest

from orders_test import running, stopped, told, waiting

from live_daemon import ME


def refused(live, *words):
    done = live.run(*words)
    assert done.returncode == 1 and done.stdout == "", done
    return done.stderr


def modify(live, job, *changes):
    words = [w for c in changes for w in ("-m", c)]
    done = live.ok("mjobctl", *words, job)
    assert done.partition("; user ")[0].strip() == f"job {job} successfully modified"
    return live.job(job)


def kept_limit(live, job):
    """That by which its keeper ends the job."""
    path = pathlib.Path(live.home) / "spool" / "jobs" / job / "run.json"
    return json.loads(path.read_text())["wclimit_s"]


# ---- actions ----

def test_jobs_are_held_released_and_cancelled(site):
    job = waiting(site)
    assert site.ok("mjobctl", "-h", job) == "job holds adjusted\n"
    assert site.job(job)["holds"] == ["user"]
    site.ok("mjobctl", "-h", "batch,System", job)
    assert sorted(site.job(job)["holds"]) == ["batch", "system", "user"]
    site.ok("mjobctl", "-u", "batch", job)
    assert sorted(site.job(job)["holds"]) == ["system", "user"]
    site.ok("mjobctl", "-u", job)
    assert not site.job(job).get("holds")
    assert site.ok("mjobctl", "-c", job) == f"job '{job}' cancelled\n"
    assert "cannot locate job" in refused(site, "mjobctl", "-c", job)


def test_jobs_are_suspended_resumed_requeued_and_signalled(site):
    job = running(site)
    assert site.ok("mjobctl", "-s", job) == f"job {job} successfully preempted\n"
    site.wait(lambda: site.state(job) == "Suspended", "the suspension")
    modify(site, job, "wclimit=2:00:00")
    site.wait(lambda: kept_limit(site, job) == 7200, "the limit that will end it")
    assert site.ok("mjobctl", "-r", job) == f"job {job} successfully resumed\n"
    site.wait(lambda: site.state(job) == "Running", "the return")
    assert site.ok("mjobctl", "-R", job) == f"job {job} successfully preempted\n"
    site.wait(lambda: site.job(job)["start_count"] == 2
              and site.state(job) == "Running", "the second start")
    assert site.ok("mjobctl", "-N", "usr1", job) == f"signal 10 sent to job {job}\n"
    site.wait(lambda: site.job(job) is None, "its end by the signal")
    job = running(site)
    assert site.ok("mjobctl", "-N", job) == f"signal 15 sent to job {job}\n"
    assert refused(site, "mjobctl", "-C", running(site)) == (
        "ERROR:    the resource manager LOCAL cannot checkpoint jobs\n")
    assert "is not a signal" in refused(site, "mjobctl", "-N", "LOUD", running(site))


def test_a_message_is_sent_and_shown(site):
    job = waiting(site)
    site.ok("mjobctl", "-N", "notify=see me <now>", job)
    assert "Messages:  see me <now>" in site.ok("checkjob", job)


def test_a_job_is_executed_where_it_is_told(site):
    stopped(site)
    first, second = (site.submit(requests=[{"tasks": 2}]) for _ in range(2))
    assert site.ok("mjobctl", "-x", "-n", "node03,node04", "-p", "DEFAULT", first) == (
        f"job '{first}' started on 2 procs\n")
    assert {p["node"] for p in site.job(first)["allocation"]} <= {"node03", "node04"}
    site.ok("setres", "-n", "patch", "-d", "1:00:00", "ALL")
    assert "job cannot run" in refused(site, "mjobctl", "-x", "--flags", "force", second)
    assert "not one of ignorepolicies" in refused(
        site, "mjobctl", "-x", "-w", "flags=ignoreall", second)
    site.ok("mjobctl", "-x", "-w", "flags=ignorersv:ignorepolicies", second)


def test_priorities_are_set_and_added_to(site):
    job = waiting(site)
    assert site.ok("mjobctl", "-p", "7", job) == "job system priority adjusted\n"
    assert site.job(job)["priority"] == 1000000007
    site.ok("mjobctl", "-p", "+300", job)
    low = site.job(job)["priority"]
    assert 300 <= low < 1000000
    site.ok("mjobctl", "-p", "-5", job)
    site.ok("mjobctl", "-p", "400", "--flags", "relative", job)
    assert site.job(job)["priority"] >= 400
    assert "is not a whole number" in refused(site, "mjobctl", "-p", "high", job)


def test_jobs_are_chosen_by_name_and_condition(site, users):
    stopped(site)
    theirs, mine = users.submit("nobody", name="sim"), site.submit(name="sim")
    other = site.submit(name="post")
    assert site.ok("mjobctl", "-c", "-w", "user=nobody") == f"job '{theirs}' cancelled\n"
    assert site.ok("mjobctl", "-h", "-n", "sim") == "job holds adjusted\n"
    assert site.job(mine)["holds"] == ["user"] and not site.job(other).get("holds")
    assert site.ok("mjobctl", "-c", "-w", "state==Idle,jobname=post") == (
        f"job '{other}' cancelled\n")
    assert refused(site, "mjobctl", "-c", "-w", "user=games") == (
        "ERROR:    no job matches the conditions given\n")
    assert "did you mean 'user'?" in refused(site, "mjobctl", "-c", "-w", "usr=games")


def test_owners_act_on_their_jobs_and_others_do_not(site, users):
    stopped(site)
    job = users.submit("nobody")
    denied = f"ERROR:    user games is not authorized to perform operation on job {job}\n"
    for words in (("-c",), ("-h", "user"), ("-u",), ("-m", "wclimit=60"), ("-N", "HUP"),
                  ("-s",)):
        assert users.refused("games", "mjobctl", *words, job) == denied, words
        assert users.refused("daemon", "mjobctl", *words, job) == denied.replace(
            "games", "daemon"), words
    for words in (("-r",), ("-R",), ("-C",), ("-x",), ("-p", "3")):
        assert "not authorized to run command" in users.refused(
            "nobody", "mjobctl", *words, job), words
    users.ok("nobody", "mjobctl", "-h", job)
    assert users.refused("nobody", "mjobctl", "-h", "batch", job) == (
        f"ERROR:    job {job}: nobody may not set or release a batch hold: only "
        "administrators of level 1 or 2 may\n")
    users.ok("nobody", "mjobctl", "-u", job)
    users.ok("bin", "mjobctl", "-x", job)
    site.wait(lambda: site.state(job) == "Running", "the start")
    assert "only administrators may raise" in users.refused(
        "nobody", "mjobctl", "-m", "wclimit+=100", job)
    users.ok("nobody", "mjobctl", "-m", "wclimit-=100", job)
    users.ok("bin", "mjobctl", "-m", "wclimit+=200", job)
    assert site.job(job)["wclimit_s"] == 400
    users.ok("nobody", "mjobctl", "-c", job)


def test_what_makes_no_sense_is_told(site):
    job = site.submit()
    for words, says in (((job,), "is needed, to say what to do"),
                        (("-c", "-s", job), "-c and -s do not go together"),
                        (("-c",), "a job is needed"), (("-S", job), "submitted by msub"),
                        (("-m", "wclimit", job), "expected ATTR=VALUE"),
                        (("-w", "user", "-c"), "expected ATTR=VALUE"),
                        (("-q", "diagg", job), "did you mean diag?"),
                        (("-c", "--format", "xml", job), "goes with -q alone"),
                        (("-c", "-w", "flags=ignorersv", job), "goes with -x alone")):
        assert says in refused(site, "mjobctl", *words), words


def test_results_are_told_as_json(site):
    job = site.submit(hold=True)
    status, results = told(site, "mjobctl", "-m", "userprio=3", job)
    assert status == 0 and results[job]["message"] == f"job {job} successfully modified"
    status, results = told(site, "mjobctl", "-m", "userprio=300", job)
    assert status == 1 and results[job]["code"] == "invalid"


# ---- attributes ----

def test_every_attribute_can_be_changed(daemon):
    daemon.configure("QOSCFG[high] PRIORITY=1\n")
    site = daemon.start()
    job = waiting(site, account="physics")
    at = int(time.time()) + 7200
    o = modify(site, job, "account=bio", "awduration=20:00", "class=short",
               "depend=afterany:1", f"deadline={at}", "features=fast,big",
               "flags=restartable,preemptee", "gres=matlab:2", "group=staff",
               "hostlist=node01,node02,node03,node04", "jobdisk=1", "jobmem=2", "jobname=other",
               "jobswap=3", "messages=look here", "minstarttime=+1:00:00", "nodecount=2",
               "partition=DEFAULT", "proccount=4", "qos=high", "reqreservation=patch",
               "userprio=9")
    request = o["requests"][0]
    assert (o["account"], o["class"], o["group"], o["name"]) == (
        "bio", "short", "staff", "other")
    assert (o["wclimit_s"], o["deadline_at"], o["procs"], o["user_priority"]) == (
        1200, at, 4, 9)
    assert o["dependencies"] == ["afterany:1"] and o["messages"][0] == "look here"
    assert {"RESTARTABLE", "PREEMPTEE", "ADVRES"} <= set(o["flags"])
    assert abs(o["release_at"] - time.time() - 3600) < 10
    assert (request["nodes"], request["features"]) == (2, ["fast", "big"])
    assert request["per_task"]["gres"] == {"matlab": 2}
    assert (request["per_task"]["mem_mb"], request["per_task"]["swap_mb"],
            request["per_task"]["disk_mb"]) == (2, 3, 1)
    assert o["reservation_name"] == "patch" and o["qos_asked"] == "high"
    o = modify(site, job, "queue=long", "reqawduration=60", "sysprio=5", "hold=user")
    assert (o["class"], o["wclimit_s"], o["holds"]) == ("long", 60, ["user"])
    o = modify(site, job, "flags-=preemptee", "reqawduration+=1:00", "hold-=user",
               "deadline+=1:00:00", "reqreservation=", "minstarttime=0")
    assert "PREEMPTEE" not in o["flags"] and "RESTARTABLE" in o["flags"]
    assert "ADVRES" not in o["flags"] and "reservation_name" not in o
    assert (o["wclimit_s"], o["deadline_at"]) == (120, at + 3600)
    assert not o.get("holds") and "release_at" not in o


def test_a_comment_has_at_most_1024_characters(site):
    most = "é" * 1024
    job = site.submit(hold=True, comment=most)
    assert site.job(job)["comment"] == most
    assert modify(site, job, f"comment={most}")["comment"] == most
    expected = "comment: expected at most 1024 characters, not 1025"
    assert expected in refused(site, "mjobctl", "-m", f"comment={most}x", job)
    assert "messages: expected at most 1024" in refused(site, "mjobctl", "-m",
                                                        f"messages={most}x", job)
    done = site.run("msub", "-l", f"comment={most}x", "-h", stdin="sleep 1\n")
    assert done.returncode == 1 and expected in done.stderr, done.stderr
    assert site.job(job)["comment"] == most


def test_texts_of_a_submission_have_a_most(site):
    for member, most in (("name", 1024), ("output", 4096), ("error", 4096), ("directory", 4096)):
        body = {"script": "#!/bin/sh\ntrue\n", "hold": True, "directory": "/tmp",
                member: "/" + "x" * most}
        status, answer = site.api("/v1/jobs", body)
        assert status == 400, (member, answer)
        assert f"{member}: expected at most {most} characters" in answer["error"]["message"]


def test_a_comment_goes_with_the_job_and_is_its_owners(site, users):
    """From msub or mjobctl -m, also while it runs; over a restart; no decision depends on
    it, and nobody else sees it."""
    job = site.ok("msub", "-l", "walltime=300,comment=for the paper, second try",
                  stdin="sleep 60\n").strip()
    site.wait(lambda: site.state(job) == "Running", "the start")
    assert "Comment: for the paper, second try\n" in site.ok("checkjob", job)
    assert site.job(job)["comment"] == "for the paper, second try"
    assert "for the paper" not in users.run("nobody", "checkjob", job).stdout
    o = modify(site, job, "comment=it runs")
    assert o["comment"] == "it runs"
    assert 'Comment="it runs"' in site.ok("mjobctl", "-q", "diag", "--format", "xml", job)
    held = site.submit(hold=True, comment="a")
    modify(site, held, "comment=b")
    site.kill()
    site.start()
    assert site.job(job)["comment"] == "it runs" and site.job(held)["comment"] == "b"
    assert "Comment" not in (modify(site, held, "comment=") and site.ok("checkjob", held))


def test_lists_are_taken_away_by_empty_values(site):
    job = waiting(site)
    modify(site, job, "depend=afterok:1", "features=fast", "hostlist=node01,node02", "gres=m:2",
           "messages=x", "partition=DEFAULT")
    o = modify(site, job, "depend=", "features=", "hostlist=", "gres=", "messages=", "partition=")
    request = o["requests"][0]
    for key in ("features", "hosts"):
        assert not request.get(key), key
    assert not o.get("dependencies") and not o.get("messages")
    assert "gres" not in request["per_task"]


def test_changes_survive_kill_9(site):
    job = waiting(site)
    before = modify(site, job, "jobname=other", "messages=look here", "group=staff",
                    "flags+=preemptee,ADVRES:patch", "gres=matlab:2", "depend=afterok:1")
    site.kill()
    site.start("--mode", "TEST")
    after = site.wait(lambda: site.job(job), "the job")
    for key in ("name", "messages", "group", "flags", "reservation_name", "dependencies"):
        assert after[key] == before[key], key
    assert after["requests"][0]["per_task"]["gres"] == {"matlab": 2}


@pytest.mark.parametrize("change,says", [
    ("env=A=1", "env cannot be changed: a job keeps the environment"),
    ("trig=x", "jobs have no triggers"), ("trigvar=x", "jobs have no triggers"),
    ("var=x=1", "jobs have no variables"), ("rmxstring=x", "rmxstring cannot be changed"),
    ("loglevel=3", "changeparam LOGLEVEL"), ("mailwhen=x", "mail_when: 'x': expected letters"),
    ("eeduration=5", "counted by the scheduler"), ("clas=x", "did you mean 'class'?"),
    ("flags=fast", "fast"), ("gres=m:x", "expected NAME or NAME:COUNT"),
    ("proccount+=9223372036854775807", "proccount: '9223372036854775807' is too much"),
    ("jobmem-=-9223372036854775808", "is too much"),
    ("depend=:", "':' is not one of after:JOB"), ("depend=after::", "'after::' is not one of"),
    ("depend=afterok:1,later:2", "'later:2' is not one of"), ("depend=never:1", "'never:1' is not one"),
    ("hold=tight", "invalid hold type (tight) specified"),
    ("minstarttime=soon", "-m minstarttime:"), ("minstarttime+=soon", "minstarttime: "),
    ("class+=x", "class: only = is possible"), ("sysprio=1001", "1001 is out of range")])
def test_changes_that_cannot_be_are_refused(site, change, says):
    assert says in refused(site, "mjobctl", "-m", change, site.submit(hold=True))


def test_what_was_changed_is_told_by_checkjob(site):
    job = waiting(site)
    modify(site, job, "minstarttime=+2:00:00", "deadline=+4:00:00", "depend=afterok:1",
           "messages=by order")
    text = site.ok("checkjob", job)
    for line in ("StartDate: ", "Deadline: ", "Depends on:  afterok:1", "Messages:  by order"):
        assert line in text, line
    assert "may not start before" in text
    modify(site, job, "minstarttime=0", "deadline=none")
    text = site.ok("checkjob", job)
    assert "StartDate" not in text and "Deadline" not in text
    assert "job can run" not in text and "job 1" in text


# ---- queries ----

def test_a_job_is_told_attribute_by_attribute(site, users):
    job = running(site, requests=[{"tasks": 3}])
    assert site.ok("mjobctl", "-q", "state", job) == f"job {job} Running\n"
    assert site.ok("mjobctl", "-q", "hostlist", job) == f"job {job} node01:2,node02:1\n"
    assert site.ok("mjobctl", "-q", "starttime", job).startswith(f"job {job} ")
    assert site.ok("mjobctl", "-q", "ReqProcs", f"{job},{job}") == f"job {job} 3\n" * 2
    assert site.ok("mjobctl", "-q", "diag", job).startswith(f"checking job {job}\n")
    assert "cannot locate job '77'" in refused(site, "mjobctl", "-q", "state", "77")
    assert "is not authorized to check status of job" in users.run(
        "games", "mjobctl", "-q", "state", job).stderr


def test_jobs_are_told_as_xml_and_json(site):
    job = running(site, name='a"<&>', requests=[{"tasks": 3}])
    later = waiting(site)
    root = ET.fromstring(site.ok("mjobctl", "-q", "diag", "--format", "xml", "ALL"))
    assert root.tag == "Data"
    found = {j.get("JobID"): j for j in root}
    assert set(found) >= {job, later}
    one = found[job]
    assert (one.get("JobName"), one.get("State"), one.get("ReqProcs"), one.get("User")) == (
        'a"<&>', "Running", "3", ME)
    assert one.get("AllocNodeList") == "node01:2,node02:1"
    assert one.find("req").get("TCReqMin") == "3"
    root = ET.fromstring(site.ok("mjobctl", "-q", "diag", "--format", "xml",
                                 "-w", "state=Idle", "ALL"))
    assert [j.get("JobID") for j in root] == [later]
    lines = site.ok("mjobctl", "-q", "diag", "--format", "json", job).splitlines()
    assert json.loads(lines[0])["id"] == job


def test_an_ended_job_is_told(site):
    job = site.submit("true")
    site.wait(lambda: site.job(job) is None, "its end")
    assert site.ok("mjobctl", "-q", "state", "--flags", "completed", job) == (
        f"job {job} Completed\n")
    assert "are not among those that ended" in site.run(
        "mjobctl", "-q", "state", "--flags", "completed", "99").stderr
