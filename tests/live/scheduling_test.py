# SPDX-License-Identifier: Apache-2.0
"""What the scheduler decides, as users of a live daemon see it: the resource manager
takes its time, and jobs come as msub sends them."""
import re

from live_users import LEVELS
from orders_test import running


def nodes_of(live, job):
    return re.findall(r"\[(\w+):", live.ok("checkjob", job).split("Allocated Nodes:")[1])


def held(live, job, kind):
    return kind in [k.lower() for k in (live.job(job) or {}).get("holds", [])]


def submit(live, resources, *command):
    return live.ok("msub", "-l", resources, "--", *command).strip()


# ---- a job that has been cancelled is on its nodes yet ----

def test_who_waits_for_nodes_that_are_being_left_is_not_put_aside(live):
    first = running(live)
    whole = submit(live, "nodes=4:ppn=2,walltime=100", "sleep", "30")
    many = submit(live, "procs=8,walltime=100", "sleep", "30")
    for job, successor in ((first, whole), (whole, many)):
        live.ok("canceljob", job)
        live.wait(lambda: live.state(successor) == "Running", f"the start of {successor}")
    assert "defer" not in live.log()


def test_nodes_that_are_being_left_are_kept_for_who_is_first(live):
    """A job that does not go at once: nobody takes what the first in the queue is to
    have when it has gone."""
    stubborn = live.submit("trap '' TERM\nwhile :; do sleep 0.2; done",
                           requests=[{"tasks": 2}])
    live.wait(lambda: live.state(stubborn) == "Running", "the start")
    wide = [submit(live, "procs=8,walltime=100", "sleep", "1"),
            submit(live, "nodes=4:ppn=2,walltime=100", "sleep", "1")]
    long = submit(live, "procs=6,walltime=5:00:00", "sleep", "60")
    live.wait(lambda: live.job(wide[0]).get("reservation_at"), "the reservation")
    live.ok("canceljob", stubborn)
    live.wait(lambda: live.state(long) == "Running", "the start of the long one", 60)
    log = live.log()
    assert log.index(f"job '{wide[0]}': start") < log.index(f"job '{wide[1]}': start") \
        < log.index(f"job '{long}': start") and "defer" not in log


# ---- which nodes ----

def test_the_node_allocation_policy_of_the_site_holds_for_jobs_submitted(daemon):
    daemon.configure("NODEALLOCATIONPOLICY LASTAVAILABLE\n")
    daemon.start()
    assert nodes_of(daemon, running(daemon)) == ["node04"]
    own = submit(daemon, "nodes=1,nallocpolicy=FIRSTAVAILABLE", "sleep", "30")
    daemon.wait(lambda: daemon.state(own) == "Running", "the start")
    assert nodes_of(daemon, own) == ["node01"]


# ---- a job that is never reserved for ----

def test_a_job_without_a_place_among_reservations_takes_none_from_others(daemon):
    daemon.configure("RESERVATIONDEPTH 3\nQOSCFG[off] QFLAGS=NORESERVATION\n"
                     "USERCFG[DEFAULT] QLIST=off,DEFAULT QDEF=DEFAULT\n")
    daemon.start()
    running(daemon, requests=[{"tasks": 6}], wclimit_s=600)
    off = submit(daemon, "nodes=4:ppn=2,walltime=60,qos=off", "true")
    wide = submit(daemon, "nodes=4:ppn=2,walltime=60", "true")
    long = submit(daemon, "procs=2,walltime=3000", "sleep", "60")
    daemon.ok("setspri", "900", off)
    daemon.ok("setspri", "500", wide)
    daemon.wait(lambda: daemon.job(wide).get("reservation_at"), "the reservation")
    assert daemon.job(off).get("reservation_at") is None
    assert daemon.state(long) == "Idle"  # it would delay the wide one by 40 minutes
    short = submit(daemon, "procs=2,walltime=60", "true")
    daemon.wait(lambda: daemon.state(short) in ("Running", None), "the start in between")


def test_a_job_below_the_threshold_takes_no_reservation_from_others(daemon):
    daemon.configure("RESERVATIONTHRESHOLDTYPE QUEUETIME\nRESERVATIONTHRESHOLDVALUE 4\n")
    daemon.start()
    running(daemon, requests=[{"tasks": 6}], wclimit_s=600)
    wide = submit(daemon, "nodes=4:ppn=2,walltime=60", "true")
    daemon.wait(lambda: daemon.ok("schedctl", "-S") is not None
                and daemon.job(wide).get("reservation_at"), "the end of the threshold")
    young = submit(daemon, "nodes=4:ppn=2,walltime=60", "true")
    daemon.ok("setspri", "900", young)
    long = submit(daemon, "procs=2,walltime=3000", "sleep", "60")
    daemon.ok("schedctl", "-S")
    assert daemon.job(wide).get("reservation_at") and daemon.state(long) == "Idle"


def test_showq_lists_equals_in_the_order_in_which_they_go(daemon):
    daemon.configure("QUEUETIMEWEIGHT 0\n")
    daemon.start()
    first = [running(daemon) for _ in range(8)]  # whose places in memory are used again
    daemon.ok("canceljob", *first[:6])
    daemon.wait(lambda: len(daemon.lines("showq")) <= 3, "the end")
    running(daemon, requests=[{"tasks": 6}])
    jobs = [submit(daemon, "procs=8,walltime=100", "true") for _ in range(6)]
    shown = [j["id"] for j in daemon.lines("showq", "-i") if "id" in j]
    assert shown == jobs


# ---- dependencies ----

def ended(live, script):
    job = live.submit(script)
    live.wait(lambda: live.job(job) is None or live.state(job) == "Completed", "the end")
    return job


def depending(live, on, *options):
    return live.run("msub", "-l", f"walltime=100,depend={on}", *options, "--", "sleep", "30")


def test_a_dependency_on_no_job_is_refused(live):
    running(live)
    done = depending(live, "afterok:99999")
    assert done.returncode == 1 and "afterok:99999: there is no such job" in done.stderr
    waits = depending(live, "afterany:1").stdout.strip()
    done = live.run("mjobctl", "-m", "depend=afterok:77777", waits)
    assert done.returncode == 1 and "there is no such job" in done.stderr + done.stdout
    assert live.job(waits)["dependencies"] == ["afterany:1"]


def test_no_job_comes_to_wait_for_itself(live):
    """Neither at once nor through others: all of them would wait for ever."""
    first, second, third, other = (live.submit(hold=True) for _ in range(4))

    def change(job, text):
        return live.run("mjobctl", "-m", f"depend={text}", job)

    assert "cannot depend on itself" in change(first, f"afterok:{first}").stderr
    assert change(first, f"afterok:{second}").returncode == 0
    assert change(second, f"afterany:{other},after:{third}").returncode == 0
    for job, on in ((third, first), (third, second), (second, first)):
        done = change(job, f"afterany:{other},afternotok:{on}")
        assert done.returncode == 1, done
        assert f"job '{job}': it cannot depend on job {on}, which waits for it" in done.stderr
    assert not live.job(third).get("dependencies")
    assert change(second, "").returncode == 0
    assert change(third, f"afterok:{first}").returncode == 0
    live.kill()
    live.start()
    assert change(first, f"afterok:{third}").returncode == 1


def test_a_dependency_on_a_job_that_ended_is_judged_by_how_it_did(live):
    good, bad = ended(live, "true"), ended(live, "exit 3")
    for on, says in ((f"afterok:{bad}", "exit status 3"), (f"afternotok:{good}", "status 0")):
        done = depending(live, on)
        assert done.returncode == 1 and "can never be satisfied" in done.stderr \
            and says in done.stderr, done
    for on in (f"afterok:{good}", f"afternotok:{bad}", f"afterany:{bad}", f"after:{good}"):
        job = depending(live, on).stdout.strip()
        live.wait(lambda: live.state(job) == "Running", f"the start of {on}")
        live.ok("canceljob", job)


def test_an_array_is_named_by_its_jobs(live):
    array = submit_array(live)
    done = depending(live, f"afterok:{array}")
    assert done.returncode == 1 and f"afterok:{array}[1]" in done.stderr, done
    assert depending(live, f"afterok:{array}[1]").returncode == 0


def submit_array(live):
    ids = live.ok("msub", "-t", "1-2", "-l", "walltime=100", "--", "sleep", "30").split()
    return ids[0].split("[")[0]


NEVER = "failed or was cancelled: afterok can no longer be satisfied"


def test_what_can_no_longer_be_satisfied_says_so_and_lasts(live):
    first = running(live)
    job = depending(live, f"afterok:{first}").stdout.strip()
    live.ok("canceljob", first)
    for _ in range(2):
        live.wait(lambda: f"job {first} {NEVER}" in live.ok("checkjob", job), "the reason")
        live.stop()
        live.start()
    assert live.state(job) == "Idle"
    live.ok("mjobctl", "-m", "depend=", job)
    live.wait(lambda: live.state(job) == "Running", "the start without it")


def test_what_can_no_longer_be_satisfied_is_what_the_site_wants(live):
    for policy, hold in (("HOLD", "batch"), ("CANCEL", None)):
        live.ok("changeparam", "DEPENDFAILUREPOLICY", policy)
        first = running(live)
        job = depending(live, f"afterok:{first}").stdout.strip()
        live.ok("canceljob", first)
        if hold:
            live.wait(lambda: held(live, job, hold), policy)
            assert NEVER in live.ok("checkjob", job)
        else:
            live.wait(lambda: live.state(job) in (None, "Removed"), policy)
            assert NEVER in live.log()


# ---- preemption ----

def test_whom_nobody_can_checkpoint_is_requeued(daemon):
    """Else the job ran on beside the one that had its processors."""
    daemon.configure("PREEMPTPOLICY CHECKPOINT\nQOSWEIGHT 1\nRMPOLLINTERVAL 1\n"
                     "QOSCFG[hi] PRIORITY=100 QFLAGS=PREEMPTOR\nQOSCFG[lo] QFLAGS=PREEMPTEE\n"
                     "USERCFG[DEFAULT] QLIST=hi,lo QDEF=lo\n")
    daemon.start()
    low = running(daemon, requests=[{"tasks": 8}])
    high = submit(daemon, "procs=8,walltime=100,qos=hi", "sleep", "0.5")
    daemon.wait(lambda: daemon.state(high) in ("Running", None), "the preemption")
    assert daemon.state(low) == "Idle"
    assert f"did not checkpoint job '{low}'" not in daemon.log()
    daemon.wait(lambda: daemon.state(low) == "Running", "the second start")
    assert daemon.job(low)["start_count"] == 2


def test_a_suspended_job_uses_nothing_of_its_limit_and_says_why_it_does_not_run(live):
    job = running(live, wclimit_s=300)
    live.ok("mjobctl", "-s", job)
    live.wait(lambda: live.state(job) == "Suspended", "the suspension")
    before = live.job(job)
    live.wait(lambda: live.job(job)["suspended_s"] >= before["suspended_s"] + 2, "two seconds")
    after = live.job(job)
    assert after["remaining_s"] == before["remaining_s"], (before, after)
    text = live.ok("checkjob", job)
    assert "NOTE:  this job is suspended until somebody resumes it" in text, text
    assert "Reservation '" not in text and job not in live.ok("showres"), text


# ---- why a job is put aside ----

def test_a_limit_that_a_job_can_never_keep_is_named_with_its_numbers(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXPROC=4\nSYSTEMMAXJOBWALLTIME 1:00:00\n"
                     "CLASSCFG[short] MAX.WCLIMIT=60\n")
    daemon.start()
    for resources, words in (
            ("procs=8,walltime=60", ("over a hard limit", "may have MAXPROC 4", "asks for 8")),
            ("procs=1,walltime=2:00:00", ("over a system limit", "SYSTEMMAXJOBWALLTIME")),
            ("procs=1,walltime=100 -q short", ("class short", "00:01:00", "MAX.WCLIMIT"))):
        job = daemon.ok("msub", "-l", *resources.split(), "--", "true").strip()
        daemon.wait(lambda: held(daemon, job, "defer"), "the deferral")
        reason = daemon.ok("checkjob", job).split("Reason:")[1].splitlines()[0]
        assert all(word in reason for word in words), reason


def test_what_the_cluster_never_has_is_named_with_its_numbers(daemon):
    """Licences count for each task; of several requests it is said which."""
    daemon.configure("NODECFG[GLOBAL] GRES=lic:3\nENABLEMULTIREQJOBS TRUE\n")
    daemon.start()
    for resources, words in (
            ("procs=4,walltime=60,gres=lic:1", "asks for 4 of generic resource 'lic' in all its "
             "tasks together and the cluster has 3"),
            ("nodes=1:ppn=1+9:ppn=1,walltime=60", "request 2 of this job asks for 9 processors "
             "and no partition has more than 8")):
        job = submit(daemon, resources, "true")
        daemon.wait(lambda: held(daemon, job, "defer"), "the deferral")
        reason = daemon.ok("checkjob", job).split("Reason:")[1].splitlines()[0]
        assert words in reason, reason


def test_checkjob_counts_the_nodes_that_a_job_could_use_for_any_of_its_requests(daemon):
    daemon.configure("ENABLEMULTIREQJOBS TRUE\nNODECFG[node01] FEATURES=a\n"
                     "NODECFG[node02] FEATURES=b\n")
    daemon.start()
    daemon.ok("setres", "-n", "shut", "-s", "+0:30", "ALL")
    job = submit(daemon, "nodes=1:ppn=2:a+1:ppn=2:b,walltime=100", "true")
    text = daemon.ok("checkjob", "-v", job)
    assert "reservation 'shut.0' keeps 2 nodes" in text, text
    daemon.ok("releaseres", "shut.0")
    daemon.ok("schedctl", "-s")
    job = submit(daemon, "nodes=1:ppn=2:a+1:ppn=2:b,walltime=100", "true")
    text = daemon.ok("checkjob", "-v", job)
    assert re.search(r"node01 +accepted : 2 tasks", text) and \
        re.search(r"node02 +accepted : 2 tasks", text), text
    assert "(4 procs available.  4 procs required)" in text, text
    daemon.ok("setres", "-n", "shut", "node02")
    text = daemon.ok("checkjob", "-v", job)
    assert "2 of 4 procs found" in text and "keeps 1 node" in text, text
    listed = submit(daemon, "nodes=node02,walltime=100", "true")
    daemon.ok("setres", "-n", "all", "-s", "+1:00", "ALL")
    assert "'all.0' keeps 1 node " in daemon.ok("checkjob", listed)


def test_a_qos_out_of_reach_never_runs_as_another(daemon):
    daemon.configure("DEFERTIME 1\nDEFERCOUNT 1\nQOSCFG[special] PRIORITY=1\n"
                     "USERCFG[DEFAULT] QLIST=DEFAULT QDEF=DEFAULT\n")
    daemon.start()
    job = submit(daemon, "nodes=1,walltime=100,qos=special", "true")
    daemon.wait(lambda: held(daemon, job, "batch"), "the hold", 30)
    assert "QOSAccess" in daemon.ok("checkjob", job)


def test_a_hold_by_hand_keeps_the_reason_of_the_deferral(live):
    job = submit(live, "procs=18,walltime=100", "true")
    live.wait(lambda: held(live, job, "defer"), "the deferral")
    live.ok("sethold", "-b", job)
    shown = live.ok("checkjob", job)
    assert "set by " in shown and "NoResources, the job asks for more" in shown


# ---- queue time ----

def test_only_limits_of_idle_jobs_stop_the_clock(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=9 MAXIJOB=1\n")
    daemon.start()
    running(daemon)
    waits, idle = (submit(daemon, f"procs={n},walltime=100", "true") for n in (8, 7))

    def eligible(job):
        return re.search(r"Eligible: ([\d:]+)", daemon.ok("checkjob", job))[1]

    def total(job):
        return re.search(r"Total: ([\d:]+)", daemon.ok("checkjob", job))[1]

    daemon.wait(lambda: total(idle) >= "00:00:03", "three seconds")
    assert eligible(idle) == "00:00:00"  # over MAXIJOB: the other one is eligible
    daemon.ok("changeparam", "USERCFG[DEFAULT]", "MAXJOB=1", "MAXIJOB=9")
    daemon.ok("schedctl", "-S")
    begun = eligible(idle)
    daemon.wait(lambda: eligible(idle) > begun, "its clock, with MAXJOB alone in the way")
    assert eligible(waits) >= eligible(idle) and begun < "00:00:03"


def test_an_owner_who_ends_a_deferral_is_not_let_past_the_class(site, users):
    site.configure(LEVELS + "CLASSCFG[small] MAX.PROC=2\n")
    site.ok("schedctl", "-R")
    job = users.submit("nobody", requests=[{"tasks": 4}], wclimit_s=100,
                       **{"class": "small"})
    site.wait(lambda: held(site, job, "defer"), "the deferral")
    users.run("nobody", "releasehold", "-a", job)
    assert held(site, job, "defer") and site.state(job) == "Idle"
    site.ok("releasehold", "-a", job)  # an administrator may let it pass
    site.wait(lambda: site.state(job) == "Running", "the start")


# ---- processor equivalents, standing reservations, deferrals for want of nodes ----

def test_processor_equivalents_count_in_parts_of_one(daemon):
    """3.2 of them are more than 3: two of 3.2 are over 6."""
    daemon.nodes = "1x8"
    daemon.configure("USERCFG[DEFAULT] MAXPE=6\nNODECFG[DEFAULT] CFGMEM=1000\n")
    daemon.start()
    request = {"requests": [{"tasks": 1, "per_task": {"mem_mb": 400}}]}
    first, second = daemon.submit(**request), daemon.submit(**request)
    daemon.wait(lambda: daemon.state(first) == "Running", "the start")
    assert daemon.job(first)["pe"] == 3.2
    daemon.wait(lambda: "MAXPE" in daemon.ok("checkjob", second), "the reason")
    assert "has 3.2 of MAXPE 6 (hard) processor equivalents active and this job asks " \
        "for 3.2" in daemon.ok("checkjob", second)
    assert [daemon.job(second)["reason"][key] for key in ("used", "limit")] == [3.2, 6]
    daemon.ok("changeparam", "USERCFG[DEFAULT]", "MAXPE=7")
    daemon.wait(lambda: daemon.state(second) == "Running", "the start of the second")


def reserved_nodes(live, name):
    return [place["node"] for place in live.api(f"/v1/reservations/{name}")[1]["places"]]


def test_of_standing_reservations_the_higher_priority_goes_first(daemon):
    """The first in the file would have three of four nodes, the other one."""
    daemon.configure("SRCFG[low] PERIOD=INFINITY TASKCOUNT=3 USERLIST=a PRIORITY=1\n"
                     "SRCFG[high] PERIOD=INFINITY TASKCOUNT=3 USERLIST=b PRIORITY=100\n")
    daemon.start()
    daemon.wait(lambda: len(daemon.lines("showres")) >= 2, "the reservations")
    assert len(reserved_nodes(daemon, "high.0.0")) == 3
    assert len(reserved_nodes(daemon, "low.0.0")) == 1


def test_a_list_with_no_host_too_many_is_these_nodes(daemon):
    """HOSTLIST and TASKCOUNT float within the list where there is a choice only."""
    daemon.configure("SRCFG[a] PERIOD=INFINITY HOSTLIST=node01 TASKCOUNT=1 USERLIST=a\n"
                     "SRCFG[b] PERIOD=INFINITY HOSTLIST=node01 TASKCOUNT=1 USERLIST=b\n"
                     "SRCFG[c] PERIOD=INFINITY HOSTLIST=node01,node02 TASKCOUNT=1 USERLIST=c\n")
    daemon.start()
    daemon.wait(lambda: len(daemon.lines("showres")) >= 3, "the reservations")
    assert reserved_nodes(daemon, "a.0.0") == reserved_nodes(daemon, "b.0.0") == ["node01"]
    assert reserved_nodes(daemon, "c.0.0") == ["node02"]


def test_a_deferral_for_want_of_nodes_ends_when_they_come_back(daemon):
    """No instant is free while reservations without an end have the nodes; with one less
    there is none yet, and the deferral is the same; without them the job starts."""
    daemon.start()
    for node in ("node01", "node02"):
        daemon.ok("setres", "-n", f"shut{node[-1]}", node)
    job = submit(daemon, "procs=8,walltime=100", "sleep", "30")
    daemon.wait(lambda: held(daemon, job, "defer"), "the deferral")
    until, deferrals = daemon.job(job)["defer_until"], daemon.log().count("is deferred")
    daemon.ok("releaseres", "shut1.0")
    daemon.ok("canceljob", running(daemon))
    assert held(daemon, job, "defer") and daemon.job(job)["defer_until"] == until
    assert daemon.log().count("is deferred") == deferrals
    daemon.ok("releaseres", "shut2.0")
    daemon.wait(lambda: daemon.state(job) == "Running", "the start")
