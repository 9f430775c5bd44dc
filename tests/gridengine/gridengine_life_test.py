# SPDX-License-Identifier: Apache-2.0
"""The Grid Engine driver on a real one: the life of a job."""


def test_jobs_of_two_users_start_where_they_were_put_and_end(ge):
    ge.maui.start()
    jobs = {ge.submit(user, f"id -un; exit {status}"): (user, status)
            for status, user in enumerate(["alice", "bob", "alice", "bob"])}
    for job, (user, status) in jobs.items():
        ended = ge.maui.until(job, "Completed", "Removed")
        assert (ended["user"], ended["exit_status"]) == (user, status)
        runs = ge.accounted(job)
        assert len(runs) == 1 and runs[0][1] == ended["master_host"], runs


def test_nothing_starts_before_the_scheduler_says_so(ge):
    job = ge.submit("alice", "sleep 1")
    ge.wait(lambda: ge.state(job) == "hqw", "the gate's hold")
    ge.maui.start()
    ge.maui.ok("schedctl", "-s")  # it decides nothing any more
    second = ge.submit("bob", "sleep 1")
    ge.wait(lambda: second in ge.run("qstat", "-u", "*", "-s", "hs"), "our hold")
    ge.wait(lambda: second not in ge.run("qstat", "-u", "*", "-s", "hu"), "the gate's end")
    assert not ge.accounted(second)
