# SPDX-License-Identifier: Apache-2.0
"""Daemon, adapter, master and execution daemons are killed by turns while two users go on
submitting: no job is lost, none runs twice. MAUI_CHAOS_ROUNDS=200 for a long one."""
import os
import pathlib
import shutil
import subprocess
import time

ROUNDS = int(os.environ.get("MAUI_CHAOS_ROUNDS", "4"))
HOSTS = ("cn01", "cn02", "cn03")
# What the master hands to a host as it is killed stays `t` until it does so again: Grid Engine's
# own 5 minutes after the start.
HANDED_AGAIN_S = 300


def blow_daemon(ge, n):
    ge.maui.kill()
    ge.maui.ok("serve", "-L", "5")


def blow_adapter(ge, n):
    pid = ge.maui.adapter()
    if pid:
        ge.run("kill", "-9", pid, check=False)


def stands_still(ge):
    """Nothing is being handed to a host, nor will be: the adapter is stopped then."""
    adapter = ge.maui.adapter()
    if not adapter:
        return False
    ge.run("kill", "-STOP", adapter)
    states = [line.split()[4] for line in ge.run("qstat", "-u", "*").splitlines()[2:]]
    if not {"t", "qw"} & set(states):
        return True
    ge.run("kill", "-CONT", adapter)
    return False


def blow_master(ge, n):
    """A master that is killed while it hands a job to a host does so again: after 5 minutes, for
    which a short run does not wait, or at once, and then the job may run twice."""
    if ROUNDS < 20:  # nor for hosts that miss it, which try again after 30 s
        ge.wait(lambda: stands_still(ge), "that nothing is handed to a host")
        time.sleep(3)  # what has just ended it has written down by then, or it runs that again
        ge.kill_master()
        ge.run("kill", "-CONT", ge.maui.adapter(), check=False)
        ge.start_master()
        return
    ge.run("kill", "-9", *ge.master_pid(), check=False)
    ge.wait(lambda: not ge.master_pid(), "its end")
    ge.run("kill", "-CONT", ge.maui.adapter(), check=False)
    ge.run("sge_qmaster")
    ge.wait(lambda: ge.run("qstat", check=False).returncode == 0, "an answer")


def execd_pid(ge, host):
    return pathlib.Path(f"{ge.dir}/spool/execd/{host}/execd.pid").read_text().strip()


def blow_execd(ge, n):
    host = HOSTS[n % len(HOSTS)]
    pid = execd_pid(ge, host)
    ge.run("kill", "-9", pid, check=False)
    ge.wait(lambda: ge.run("kill", "-0", pid, check=False).returncode != 0, "its end")
    subprocess.run([f"{ge.dir}/on-{host}", "sge_execd"], check=True, capture_output=True, timeout=60)
    ge.wait(lambda: execd_pid(ge, host) not in ("", pid), "the next one")


def blow_host(ge, n):
    """Away longer than Grid Engine waits for it (10 s), with jobs on it; then it is back."""
    host = HOSTS[n % len(HOSTS)]
    pid = execd_pid(ge, host)
    ge.run("kill", "-STOP", pid)
    ge.maui.wait(lambda: "Down" in ge.maui.run("checknode", host).stdout, "the host is lost", 90)
    ge.run("kill", "-CONT", pid)
    ge.maui.wait(lambda: "Down" not in ge.maui.run("checknode", host).stdout, "it is back", 90)


def story(ge, jobs):
    """What everybody has of these jobs."""
    logs = [*pathlib.Path(f"{ge.dir}/spool").rglob("messages"), pathlib.Path(ge.maui.home, "log/maui.log")]
    return "\n".join([*(str(ge.accounted(job)) for job in sorted(jobs)), *(
        f"{log.parent.name}: {line}" for log in logs if log.exists()
        for line in log.read_text(errors="replace").splitlines()
        if any(word.strip("'.:,") in jobs for word in line.split()))])


BLOWS = (blow_daemon, blow_adapter, blow_master, blow_execd)


def beat(ge):
    """What came of it."""
    ge.maui.start()
    folder = pathlib.Path(f"{ge.dir}/home/runs")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o1777)
    jobs = {}  # what each is called here: a killed master gives the numbers of ended jobs again
    for n in range(ROUNDS):
        for user in ("alice", "bob"):
            options = ["-pe", "mpi", 2 + n % 3] if n % 4 == 1 else ["-q", "debug"] if n % 4 == 2 else []
            label = f"{user}-{n}"
            jobs[label] = ge.submit(user, f"echo x >> {folder}/{label}; sleep {1 + n % 2}", *options)
        BLOWS[n % len(BLOWS)](ge, n)
        if n % 20 == 7:
            blow_host(ge, n)
    ge.wait(lambda: not ge.run("qstat", "-u", "*", check=False).stdout.strip()
            and ge.run("qstat", check=False).returncode == 0, "the end of all jobs",
            HANDED_AGAIN_S + 120 + 3 * ROUNDS)
    runs = {label: (folder / label).read_text().count("x") if (folder / label).exists() else 0
            for label in jobs}
    assert set(runs.values()) == {1}, f"{runs} {story(ge, {jobs[j] for j, n in runs.items() if n != 1})}"
    ge.maui.wait(lambda: "0 Active Jobs" in ge.maui.run("showq").stdout
                 and "Total Jobs: 0" in ge.maui.run("showq").stdout, "an empty queue", 60)
    ended = {job: (ge.maui.job(job) or {}).get("state") for job in jobs.values()}
    assert not {job for job, state in ended.items() if state not in ("Completed", "Removed", "Vacated")}
    return f"{ROUNDS} blows, {len(jobs)} jobs, ends known: {list(ended.values()).count('Completed')}"


def test_no_job_is_lost_or_runs_twice(cell, beaten):
    print(beaten())
