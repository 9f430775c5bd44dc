# SPDX-License-Identifier: Apache-2.0
"""Three people and an administrator, in an order nobody planned: the same is done on a site
with the scheduler and on Slurm alone, and after each step the same jobs wait and run. A job
that runs here and waits there is one that started sooner; it is cancelled on both sites, so
that they stay alike."""
import random
import threading
import time

PEOPLE = ("daemon", "games", "nobody")
SETTLED, PATIENCE, LIMITS = 2, 12, 45  # seconds
SHAPES = ("-n 1", "-n 2", "-n 3", "-n 5", "-n 8", "-N 1", "-N 2", "-N 3", "-N 2 -n 4",
          "-n 1 -c 3", "-n 1 --gres=gpu:1", "-n 2 --exclusive", "-a 1-3%1", "-a 1-5%2",
          "-n 1 : -n 2", "-w n1 -n 1", "-w n3 -n 1", "--mem=2000", "-n 1 -L lic_a:3")
MORE = ("--qos=fast", "--qos=over", "--qos=part", "-p short", "-p dear", "-p short,all",
        "--nice=100", "-H", "--begin=now+5", "--begin=now+3600", "-d singleton")
CHANGES = ("timelimit=30", "nice=50", "partition=short", "comment=hello", "starttime=now",
           "starttime=now+3600", "qos=fast", "account=phys", "reqnodelist=n3", "name=xx",
           "minmemorynode=300", "priority=5000", "dependency=")
LIMIT = (("account", "chem", "GrpTRES=cpu", (4, 8, -1)), ("user", "games", "MaxJobs", (1, 3, -1)),
         ("qos", "fast", "MaxTRESPerUser=cpu", (2, -1)))


def next_step(rnd, jobs):
    """(what, ...): of a job by its place in the order of submissions."""
    what = rnd.choices(
        ("submit", "scancel", "hold", "release", "requeue", "update", "suspend", "resume",
         "node", "partition", "limit", "reservation", "all"),
        (42, 16, 5, 6, 4, 5, 2, 2, 4, 3, 4, 3, 2))[0]
    if what == "submit" or jobs < 4:
        words = rnd.choice(SHAPES).split()
        if ":" not in words and rnd.random() < 0.5:
            words += rnd.choice(MORE).split()
        return ("submit", rnd.choice(PEOPLE), ["-A", rnd.choice(("chem", "phys")), *words])
    if what == "node":
        return (what, rnd.choice(("n1", "n2", "n3")), rnd.choice(("drain", "resume", "resume")))
    if what == "partition":
        return (what, rnd.choice(("short", "dear")), rnd.choice(("down", "inactive", "up", "up")))
    if what == "limit":
        kind, name, word, values = rnd.choice(LIMIT)
        return (what, kind, name, f"{word}={rnd.choice(values)}")
    if what == "reservation":
        return (what, rnd.choice(("create", "delete")))
    if what == "all":
        return (what, rnd.choice(PEOPLE))
    return (what, rnd.randrange(jobs), rnd.choice((True, False)), rnd.choice(CHANGES))


def take_step(s, step):
    """What it answers, in plain words."""
    what, *rest = step
    if what == "submit":
        who, words = rest
        done = s.run("sbatch", "--parsable", "-o", "/dev/null", *words, user=who,
                     stdin="#!/bin/sh\nsleep 900\n")
        job = done.stdout.strip()
        s.made.append((job, who))
        if job:
            s.jobs[job] = f"job{len(s.made) - 1}"
        return "" if job else s.plain(done.stderr)
    if what == "limit":
        s.manage("modify", rest[0], rest[1], "set", rest[2])
        return ""
    if what == "node":
        done = s.run("scontrol", "update", f"nodename={rest[0]}", f"state={rest[1]}",
                     "reason=x")
    elif what == "partition":
        done = s.run("scontrol", "update", f"partitionname={rest[0]}", f"state={rest[1]}")
    elif what == "reservation":
        done = s.run("scontrol", rest[0], *(
            ("reservationname=some",) if rest[0] == "delete" else
            ("reservation", "reservationname=some", "starttime=now", "duration=60",
             "nodes=n2", "users=games", "flags=ignore_jobs")))
    elif what == "all":
        done = s.run("scancel", "-u", rest[0])
    else:
        job, owner = s.made[rest[0]]
        if not job:
            return ""
        who = owner if rest[1] else None
        words = ("update", f"jobid={job}", rest[2]) if what == "update" else (what, job)
        done = s.run(*(("scancel", job) if what == "scancel" else ("scontrol", *words)),
                     user=who)
    return s.plain(f"{done.returncode} {done.stdout}{done.stderr}")


def picture(s):
    """Which jobs wait and run, of arrays how many tasks."""
    out = {}
    for line in s.cluster.ok("squeue", "-h", "-r", "-t", "PD,R,S", "-o", "%i %T").splitlines():
        name, state = line.split()
        number = name.split("_")[0].split("+")[0]
        key = s.jobs.get(number, number) + ("[]" if "_" in name else name[len(number):])
        out.setdefault(key, []).append(state)
    return {key: sorted(states) for key, states in out.items()}


def both(sites, do):
    answers = [None, None]

    def work(i):
        answers[i] = do(sites[i])
    threads = [threading.Thread(target=work, args=(i,)) for i in (0, 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return answers


def compare(sites, patience):
    """What differs when it has settled: {job: (alone, here)}."""
    begin = time.monotonic()
    while True:
        time.sleep(1)
        alone, here = both(sites, picture)
        passed = time.monotonic() - begin
        if passed > patience or (alone == here and passed > SETTLED):
            return {k: (alone.get(k), here.get(k)) for k in sorted({*alone, *here})
                    if alone.get(k) != here.get(k)}


def is_sooner(alone, here):
    return (alone or []).count("RUNNING") < (here or []).count("RUNNING")


def mix(sites, seed, steps, tell=print):
    """Differences that are none of a job that started sooner."""
    rnd, wrong = random.Random(seed), 0
    for s in sites:
        s.made = []
        for who in PEOPLE:
            for account in ("chem", "phys"):
                s.manage("add", "user", who, f"account={account}")
            s.manage("modify", "user", who, "set", "qos+=fast,over,deny,part")
    for i in range(steps):
        step = next_step(rnd, len(sites[0].made))
        answers = both(sites, lambda s, step=step: take_step(s, step))
        differ = compare(sites, LIMITS if step[0] == "limit" else PATIENCE)
        tell(i, *step)
        if answers[0] != answers[1]:
            wrong += 1
            tell(f"  Slurm answers: {answers[0]}\n  here:          {answers[1]}")
        for job, (alone, here) in differ.items():
            wrong += not is_sooner(alone, here)
            tell(f"  {job}: Slurm: {alone} here: {here}"
                 f"{' (sooner)' if is_sooner(alone, here) else ''}")
            if not is_sooner(alone, here):
                tell(sites[1].cluster.story()[:3000])
            at = int(job[3:].split("+")[0].rstrip("[]"))
            both(sites, lambda s, at=at: s.run("scancel", s.made[at][0]))
    return wrong
