# SPDX-License-Identifier: Apache-2.0
"""msub: from the line, the script, stdin, or a command; what it asks reaches the job."""
import os

from live_users import Users


def lines_of(path):
    with open(path) as f:
        return f.read().splitlines()


def write(live, text, name="go.sh"):
    path = f"{live.home}/{name}"
    with open(path, "w") as f:
        f.write(text)
    return path


def test_a_script_runs_with_its_directives_and_arguments(live):
    script = write(live, "#!/bin/sh\n#PBS -N greet -j oe\n#PBS -l walltime=2:00\n"
                         "echo hello $1 $WHO; echo oops >&2\n")
    job = live.ok("msub", "-d", live.home, "-v", "WHO=mira", script, "dear").strip()
    live.wait(lambda: live.job(job) is None, "the end")
    assert lines_of(f"{live.home}/greet.o{job}") == ["hello dear mira", "oops"]


def test_stdin_and_commands_are_taken(live):
    job = live.ok("msub", "-d", live.home, "-N", "in", stdin="echo from stdin\n").strip()
    live.wait(lambda: live.job(job) is None, "the end")
    assert lines_of(f"{live.home}/in.o{job}") == ["from stdin"]
    job = live.ok("msub", "-d", live.home, "--", "echo", "a  b", "-l").strip()
    live.wait(lambda: live.job(job) is None, "the end")
    assert lines_of(f"{live.home}/echo.o{job}") == ["a  b -l"]


def test_the_request_is_what_was_asked(live):
    script = write(live, "#!/bin/sh\n#SBATCH -n 2 -J two --time=5 --comment=x\nsleep 60\n")
    done = live.run("msub", "-h", "-l", "qos=DEFAULT", "-p", "7", "-d", live.home, script)
    assert done.returncode == 0, done.stderr
    job = live.job(done.stdout.strip())
    assert (job["name"], job["procs"], job["wclimit_s"]) == ("two", 2, 300)
    assert job["rm_holds"] == ["user"] and job["user_priority"] == 7
    assert job["comment"] == "x"


def test_an_array_is_as_many_jobs_and_keeps_its_limit(live):
    ids = live.ok("msub", "-d", live.home, "-t", "1-4%1", "-o", "out.%a", "-N", "many",
                  stdin="echo $PBS_ARRAYID $PBS_JOBID; sleep 0.2\n").split()
    base = ids[0].split("[")[0]
    assert ids == [f"{base}[{i}]" for i in (1, 2, 3, 4)]
    assert "ArrayLimit: 1" in live.ok("checkjob", ids[3])
    more = live.ok("msub", "-h", "-t", "1%4294967297", stdin="true\n").strip()
    assert "ArrayLimit: 100000" in live.ok("checkjob", more), "more than there can be"
    live.ok("canceljob", more)
    live.wait(lambda: not any(live.job(i) for i in ids), "the end of all")
    for i, job in enumerate(ids, 1):
        assert lines_of(f"{live.home}/out.{i}") == [f"{i} {job}"]


def test_an_array_keeps_its_limit_whoever_is_cancelled(live):
    def running():
        return [i for i in ids if live.state(i) == "Running"]

    ids = live.ok("msub", "-d", live.home, "-t", "1-6%2", stdin="sleep 60\n").split()
    live.wait(lambda: running() == ids[:2], "two of them")
    live.ok("canceljob", ids[0], ids[3])
    live.wait(lambda: running() == ids[1:3], "the next")
    live.kill()
    live.start()
    assert "of its array 2 may be on nodes at once, and 2 are" in live.ok("showq", "-b")
    assert running() == ids[1:3]
    for number in ("-1", "100001"):
        done = live.run("mjobctl", "-m", f"arraylimit={number}", ids[1])
        assert done.returncode and f"arraylimit of mjobctl) is {number}" in done.stderr, done
    live.ok("mjobctl", "-m", "arraylimit=3", ids[0].split("[")[0])
    live.wait(lambda: running() == ids[1:3] + ids[4:5], "one more")


def test_dependencies_hold_the_later_job_back(live):
    first = live.ok("msub", "-d", live.home, stdin="sleep 60\n").strip()
    later = live.ok("msub", "-d", live.home, "-W", f"depend=afternotok:{first}",
                    stdin="echo ran\n").strip()
    live.wait(lambda: live.state(first) == "Running", "the start")
    assert live.state(later) == "Idle"
    live.ok("canceljob", first)
    live.wait(lambda: live.job(later) is None, "the end")
    assert lines_of(f"{live.home}/STDIN.o{later}") == ["ran"]


def test_what_is_wrong_is_told_and_nothing_submitted(live):
    script = write(live, "#!/bin/sh\n#PBS -l nodes=1,waltime=60\necho\n")
    for words, text in ((("msub", script), "go.sh: line 2: -l: resource 'waltime' is not "
                         "known; did you mean 'walltime'?"),
                        (("msub", "-W", "depend=before:1", script), "line 2"),
                        (("msub", "/nowhere/go.sh"), "cannot read"),
                        (("msub", "-l", "procs=many", "--", "date"), "procs"),
                        (("msub", "-l", "nodeset=SOMEOF:FEATURE", "--", "date"), "ONEOF")):
        done = live.run(*words)
        assert done.returncode == 1 and text in done.stderr and not done.stdout, done
    done = live.run("msub", stdin="")
    assert done.returncode == 1 and "empty" in done.stderr
    assert len(live.lines("showq")) == 1


def test_what_the_resource_manager_refuses_at_once_is_told(live):
    os.rename(f"{live.home}/spool/jobs", f"{live.home}/spool/away")
    live.wait(lambda: "spool" in live.log() and "has gone" in live.log(), "the note of it")
    status, answer = live.api("/v1/jobs", {"script": "#!/bin/sh\n"})
    assert status == 503 and "the spool has gone" in answer["error"]["message"]
    os.rename(f"{live.home}/spool/away", f"{live.home}/spool/jobs")
    assert len(live.lines("showq")) == 1


def test_another_user_submits_as_oneself(live):
    users = Users(live)
    done = users.run("nobody", "msub", "-d", "/tmp", "-o", "/dev/null", "-e",
                     "/dev/null", "--", "sleep", "60")
    assert live.job(done.stdout.strip())["user"] == "nobody" and not done.stderr
    done = users.run("nobody", "msub", "-h", "-d", live.home, "--", "sleep", "60")
    assert f"NOTE:     you may not write to '{live.home}': " in done.stderr
    assert live.job(done.stdout.strip())["directory"] == live.home


def test_lists_of_hosts_and_dependencies_are_taken_whole(daemon):
    """However long they are."""
    daemon.nodes = "300x1"
    daemon.start("--paused")
    hosts = [f"node{i:03}" for i in range(1, 301)]
    job = daemon.submit(requests=[{"tasks": 300, "hosts": hosts}])
    assert daemon.job(job)["requests"][0]["hosts"] == hosts
    after = [daemon.submit() for _ in range(70)]
    job = daemon.submit(dependencies=[f"afterany:{before}" for before in after])
    assert daemon.job(job)["dependencies"] == [f"afterany:{before}" for before in after]
