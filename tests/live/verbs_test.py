# SPDX-License-Identifier: Apache-2.0
"""Orders about how jobs run: suspend, resume, requeue, checkpoint, signal, run, modify."""
import os
import time


def order(live, verb, *jobs, **more):
    """The results of an order, a dict a job."""
    status, answer = live.api(f"/v1/orders/{verb}", dict(more, jobs=list(jobs)))
    assert status == 200, answer
    return answer["results"]


def done(live, verb, *jobs, **more):
    results = order(live, verb, *jobs, **more)
    assert results and all(r["ok"] for r in results), results
    return results[0]["message"]


def refused(live, verb, *jobs, **more):
    results = order(live, verb, *jobs, **more)
    assert results and not any(r["ok"] for r in results), results
    return results[0]["message"]


def running(live, script="sleep 60", **request):
    job = live.submit(script, **request)
    live.wait(lambda: live.state(job) == "Running", "the start")
    return job


def processes(live, job):
    """Numbers of the processes of a job."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ") as f:
                if f"PBS_JOBID={job}\0" not in f.read():
                    continue
            found.append(int(pid))
        except OSError:
            continue
    return found


def ticking(live):
    """A job that writes a dot ten times a second; what it has written."""
    job = running(live, f"while :; do printf . >>{live.home}/ticks; sleep 0.1; done")
    return job, lambda: os.path.exists(f"{live.home}/ticks") \
        and os.path.getsize(f"{live.home}/ticks")


def stands_still(ticks):
    before = ticks()
    time.sleep(0.5)
    return ticks() == before


def test_a_suspended_job_stands_still_until_it_is_resumed(live):
    job, ticks = ticking(live)
    live.wait(ticks, "its first word")
    assert done(live, "suspend", job) == f"job {job} successfully preempted"
    live.wait(lambda: stands_still(ticks), "the stop")
    assert live.state(job) == "Suspended"
    assert done(live, "resume", job) == f"job {job} successfully resumed"
    live.wait(lambda: not stands_still(ticks), "the return")
    assert live.state(job) == "Running"


def test_a_suspended_job_stays_so_over_a_restart(live):
    job, ticks = ticking(live)
    live.wait(ticks, "its first word")
    done(live, "suspend", job)
    live.wait(lambda: stands_still(ticks), "the stop")
    live.kill()
    live.start()
    live.wait(lambda: live.state(job) == "Suspended", "the job")
    assert stands_still(ticks) and live.state(job) == "Suspended"
    done(live, "resume", job)
    live.wait(lambda: not stands_still(ticks), "the return")


def test_a_requeued_job_runs_again_from_the_start(live):
    job = running(live, f"echo run >>{live.home}/runs; sleep 60")
    live.wait(lambda: os.path.exists(f"{live.home}/runs"), "the first run")
    done(live, "requeue", job)

    def twice():
        with open(f"{live.home}/runs") as f:
            return f.read() == "run\nrun\n"
    live.wait(twice, "the second run")
    live.wait(lambda: live.state(job) == "Running", "the second start")
    assert live.job(job)["start_count"] == 2


def test_a_requeued_job_starts_elsewhere_as_soon_as_it_has_ended(live):
    running(live)
    job = running(live, "trap 'sleep 0.3; exit' TERM; sleep 60 & wait")
    done(live, "requeue", job)
    live.wait(lambda: live.log().count(f"job '{job}': start") == 2, "the second start")
    live.wait(lambda: live.state(job) == "Running" or "did not start" in live.log(),
              "what becomes of it")
    assert live.state(job) == "Running" and "did not start" not in live.log()


def test_what_the_resource_manager_cannot_do_is_refused_at_once(live):
    job = running(live)
    assert refused(live, "checkpoint", job) == \
        "the resource manager LOCAL cannot checkpoint jobs"
    assert live.state(job) == "Running"


def test_orders_that_make_no_sense_are_refused(live):
    job = running(live)
    wide = live.submit(requests=[{"tasks": 8}])
    assert "expected Suspended" in refused(live, "resume", job)
    assert "cannot preempt non-active job" in refused(live, "suspend", wide)
    assert "expected Running" in refused(live, "signal", wide, signal="USR1")
    assert "is not a signal" in refused(live, "signal", job, signal="USR9")
    assert "0 - 100" in refused(live, "user-priority", job, priority=101)
    assert "has passed" in refused(live, "deadline", job, at=1)


def test_a_signal_reaches_the_job(live):
    job = running(live, f"trap 'touch {live.home}/caught; exit 0' USR1\n"
                        f"touch {live.home}/ready\nwhile :; do sleep 0.05; done")
    live.wait(lambda: os.path.exists(f"{live.home}/ready"), "the trap")
    done(live, "signal", job, signal="SIGUSR1")
    live.wait(lambda: os.path.exists(f"{live.home}/caught"), "the signal")


def test_user_priority_and_deadline_are_kept(live):
    job = live.submit(requests=[{"tasks": 8}])
    at = int(time.time()) + 3600
    done(live, "user-priority", job, priority=7)
    done(live, "deadline", job, at=at)
    live.kill()
    live.start()
    live.wait(lambda: live.job(job), "the job")
    assert live.job(job)["user_priority"] == 7
    assert live.job(job)["deadline_at"] == at
    done(live, "deadline", job, at=0)
    assert "deadline_at" not in live.job(job)


def test_run_starts_a_job_of_its_own_time_and_place(daemon):
    daemon.configure("USERCFG[DEFAULT] MAXJOB=1\n")
    daemon.start()
    first = running(daemon)
    second = daemon.submit()
    assert "rejected by policy MAXJOB" in refused(daemon, "run", second)
    assert done(daemon, "run", second, force=True, nodes=["node03"]) == \
        f"job '{second}' started on 1 proc"
    daemon.wait(lambda: processes(daemon, second), "its processes")
    assert [p["node"] for p in daemon.job(second)["allocation"]] == ["node03"]
    assert "state must be idle" in refused(daemon, "run", first)
    assert "is not one of policies" in refused(daemon, "run", second, ignore=["all"])


def test_run_says_how_much_is_missing(live):
    running(live, requests=[{"tasks": 7}])
    wide = live.submit(requests=[{"tasks": 4}])
    assert refused(live, "run", wide) == \
        "job cannot run  (insufficient idle procs:  4 needed  1 available)"
    held = live.submit(requests=[{"tasks": 2}])
    live.ok("sethold", "-u", held)
    assert "release it first" in refused(live, "run", held, ignore=["policies"])


def test_run_works_while_scheduling_is_stopped(live):
    live.api("/v1/scheduler", {"action": "stop"})
    job = live.submit()
    live.wait(lambda: live.job(job), "the job")
    done(live, "run", job)
    live.wait(lambda: processes(live, job), "its processes")


def changed(live, job, **changes):
    return done(live, "modify", job, changes=[
        {"attribute": k, "op": "=", "value": str(v)} for k, v in changes.items()])


def test_changes_of_a_waiting_job_survive_a_restart(live):
    live.api("/v1/scheduler", {"action": "stop"})
    job = live.submit(requests=[{"tasks": 1}])
    assert changed(live, job, proccount=6, wclimit="1:00:00", account="physics",
                   userprio=4) == f"job {job} successfully modified"
    done(live, "modify", job,
         changes=[{"attribute": "wclimit", "op": "+=", "value": "60"}])
    before = live.job(job)
    assert (before["procs"], before["wclimit_s"], before["account"],
            before["user_priority"]) == (6, 3660, "physics", 4)
    live.kill()
    live.start("--mode", "TEST")
    after = live.wait(lambda: live.job(job), "the job")
    for key in ("procs", "wclimit_s", "account", "user_priority"):
        assert after[key] == before[key], key


def test_a_running_job_is_ended_by_its_new_limit(daemon):
    daemon.configure("RMPOLLINTERVAL 1\nJOBMAXOVERRUN 0\n")
    daemon.start()
    job = running(daemon, "sleep 60", wclimit_s=600)
    changed(daemon, job, wclimit=1)
    daemon.wait(lambda: daemon.job(job) is None, "its end")


def test_changes_that_cannot_be_are_refused_with_the_reason(live):
    job = running(live)
    for attribute, value, says in (
            ("wclimt", "1", "did you mean 'wclimit'?"), ("proccount", "x", "no whole number"),
            ("class", "b", "is Running"), ("wclimit", "soon", "wclimit"),
            ("depend", "later:3", "is not one of after:JOB")):
        assert says in refused(live, "modify", job,
                               changes=[{"attribute": attribute, "value": value}])
    assert "a list of" in refused(live, "modify", job)
