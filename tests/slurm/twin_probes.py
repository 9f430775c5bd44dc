# SPDX-License-Identifier: Apache-2.0
"""Everyday things of users and administrators that must work as under Slurm alone. Each
probe is done on both of two clusters (twin_site.py). Where ours is other on purpose, the
probe says in words how, and sees what is common to both."""
import calendar
import collections
import contextlib
import pathlib
import re
import shlex
import time

import slurm_release

Probe = collections.namedtuple("Probe", "name act text other users", defaults=(False,))
PROBES = []


def probe(act, other="", users=False):
    """`other`: what is other here, in words; then it is not compared in the tests.
    `users`: several people take part, whom only root can be."""
    PROBES.append(Probe(act.__name__, act, " ".join(act.__doc__.split()), other, users))
    return act


def without(words, *left_out):
    """All but those with which Slurm 26.05 alone does what is not this scheduler's."""
    return words if slurm_release.release() < (26, 5) else [w for w in words if w not in left_out]


def other(text):
    return lambda act: probe(act, text)


def several_users(act):
    return probe(act, users=True)


# ---- nodes that go and come ----

@probe
def drained_node_and_back(s):
    """A job bound to a drained node waits for it, and starts when it is resumed."""
    s.drained("n3")
    bound = s.submit("-w", "n3")
    other = s.submit("-n", 1)
    s.starts(other)
    s.waits(bound)
    s.back("n3")
    s.starts(bound)


@probe
def down_node_and_back(s):
    """The same of a node that was set down."""
    s.order("scontrol", "update", "nodename=n3", "state=down", "reason=power")
    s.asleep.append("n3")
    bound = s.submit("-w", "n3")
    s.waits(bound)
    s.back("n3")
    s.starts(bound)


@probe
def wider_than_what_is_up(s):
    """A job wider than what is up waits, and starts when the node is back."""
    s.drained("n1")
    wide = s.submit("-N", 6)
    s.waits(wide)
    s.back("n1")
    s.starts(wide)


# ---- generic resources ----

@probe
def gres_of_a_type(s):
    """gpu:a100:2 is of a node that has two of that type."""
    two = s.submit("--gres=gpu:a100:2")
    one = s.submit("--gres=gpu:a100:1")
    none = s.submit("--gres=gpu:a100:1")
    s.starts(two, one)
    s.waits(none)
    s.cancel(two)
    s.starts(none)
    s.details(none, "GRES")


@probe
def gres_of_any_type(s):
    """gpu:2 is of any node with two of whatever type; nothing is counted twice."""
    jobs = [s.submit("--gres=gpu:2") for _ in range(3)]
    s.starts(*jobs)
    more = s.submit("--gres=gpu:1")
    typed = s.submit("--gres=gpu:v100:1")
    s.waits(more, typed)


@probe
def gres_typed_after_any(s):
    """A typed request beside an untyped one on one node. That for the type which is left
    starts here, though one before it waits; Slurm alone may let it wait behind that one."""
    any_one = s.submit("--gres=gpu:1", "-w", "n2")
    s.starts(any_one)
    s.details(any_one, "GRES")
    taken = s.submit("--gres=gpu:a100:1", "-w", "n2")
    left = s.submit("--gres=gpu:v100:1", "-w", "n2")
    s.waits(taken)
    if s.ours:
        s.cluster.wait_state(left, "RUNNING")
        assert "gpu:v100:1" in s.cluster.ok("scontrol", "-d", "show", "job", left)
    s.cancel(any_one)
    s.starts(taken, left)


@probe
def gpus_of_a_job(s):
    """--gpus=N takes as many nodes as it needs."""
    jobs = [s.submit("--gpus=4"), s.submit("--gpus=1")]
    s.starts(*jobs, nodes=False)
    rest = s.submit("--gpus=2")
    s.waits(rest)
    s.cancel(jobs[0])
    s.starts(rest, nodes=False)


@probe
def gpus_typed_of_a_job(s):
    """--gpus=a100:3 is of two nodes: one has two of them, the other one."""
    job = s.submit("--gpus=a100:3")
    s.starts(job)
    s.details(job, "GRES")


@probe
def gpus_per_node(s):
    """--gpus-per-node."""
    job = s.submit("-N", 2, "--gpus-per-node=v100:1")
    s.starts(job)
    other = s.submit("-N", 2, "--gpus-per-node=1")
    s.starts(other)


@probe
def gpus_per_task(s):
    """--gpus-per-task: tasks and their devices over nodes."""
    job = s.submit("-n", 3, "--gpus-per-task=1")
    s.starts(job, nodes=False)
    more = s.submit("-N", 1, "-n", 2, "--gpus-per-task=v100:1")
    s.starts(more, nodes=False)
    rest = s.submit("-n", 2, "--gpus-per-task=1")
    s.waits(rest)


@probe
def gres_with_units(s):
    """Amounts with units: more than a number of 31 bits holds."""
    jobs = [s.submit("-n", 1, f"--gres=bandwidth:lustre:{n}") for n in ("3G", "1G", "1")]
    s.starts(*jobs[:2])
    s.waits(jobs[2])
    s.cancel(*jobs)
    jobs = [s.submit("-n", 1, f"--gres=disk:{n}") for n in ("600G", "307200M", "1K")]
    s.starts(*jobs[:2])
    s.waits(jobs[2])
    s.cancel(jobs[1])
    s.starts(jobs[2])


@probe
def gres_that_nobody_has(s):
    """More devices than a node or the cluster has are refused at submission."""
    s.submit("--gres=gpu:3")
    s.submit("--gpus=7")
    s.submit("--gres=gpu:h100:1")


# ---- which nodes ----

@probe
def weight(s):
    """Nodes of less weight first."""
    jobs = [s.submit("-n", 4) for _ in range(4)]
    s.starts(*jobs[:3])
    s.starts(jobs[3], nodes=False)


@probe
def small_jobs_fill_a_node(s):
    """Small jobs share a node before the next is begun."""
    jobs = []
    for _ in range(6):
        jobs.append(s.submit("-n", 1))
        s.starts(jobs[-1])


@probe
def most_cpus_per_node(s):
    """MaxCPUsPerNode of a partition: two of four, whoever has them."""
    jobs = [s.submit("-p", "narrow", "-n", 2) for _ in range(3)]
    s.starts(*jobs[:2])
    s.waits(jobs[2])
    beside = s.submit("-n", 2, "-w", "n5", "-t", 5)
    s.starts(beside)


@probe
def over_subscribed(s):
    """OverSubscribe=FORCE:2: a processor is of two jobs, of one each once."""
    jobs = [s.submit("-p", "twice", "-n", 4) for _ in range(3)]
    s.starts(*jobs[:2])
    s.waits(jobs[2])
    s.cancel(jobs[0])
    s.starts(jobs[2])
    s.cancel(jobs[1])
    small = [s.submit("-p", "twice", "-n", 1) for _ in range(5)]
    s.starts(*small[:4])
    s.waits(small[4])
    s.cancel(*jobs[2:], *small)
    s.starts(s.submit("-p", "twice", "-n", 3), s.submit("-p", "twice", "-c", 3))
    s.waits(s.submit("-p", "twice", "-n", 2))
    s.submit("-p", "twice", "-n", 6)


def these_start(s, *jobs):
    s.starts(*jobs)
    return jobs


def this_waits(s, *options):
    """And goes: it would keep off who comes later."""
    job = s.submit(*options)
    s.waits(job)
    s.cancel(job)


@probe
def forced_beside_others(s):
    """A node of several partitions: jobs that share its processors by force are not
    there together with those that do not."""
    own = s.submit("-p", "own", "-n", 1)
    s.starts(own)
    forced = s.submit("-p", "crowd", "-n", 1)
    either = s.submit("-p", "crowd,own", "-n", 1)
    s.waits(forced)
    s.cancel(own, either)
    s.starts(forced)
    this_waits(s, "-p", "own", "-n", 1)
    this_waits(s, "-p", "lent", "-n", 1)
    s.cancel(forced)
    whole = s.submit("-p", "own", "-n", 1, "--exclusive")
    s.starts(whole)
    this_waits(s, "-p", "crowd", "-n", 1)
    s.details(whole, "CPU_IDs")


@probe
def forced_in_two_partitions(s):
    """Each partition lets as many of its own jobs have a processor as it says, whatever
    those of the other have; a whole node is each processor once."""
    jobs = these_start(s, *(s.submit("-p", p, "-n", 4) for p in
                            ("crowd", "throng", "crowd", "throng", "throng")))
    this_waits(s, "-p", "crowd", "-n", 1)
    this_waits(s, "-p", "throng", "-n", 1)
    s.cancel(*jobs)
    whole = s.submit("-p", "crowd", "--exclusive")
    s.starts(whole, s.submit("-p", "crowd", "-n", 1))
    s.details(whole, "CPU_IDs")
    this_waits(s, "-p", "crowd", "-n", 4)


@probe
def lent_beside_others(s):
    """OverSubscribe=YES:2: who asks for it shares; where others of that partition are
    nobody of another one comes, but where they do not share under 26.05."""
    lent = s.submit("-p", "lent", "-n", 1)
    s.starts(lent)
    if slurm_release.release() >= (26, 5):
        own = s.submit("-p", "own", "-n", 1)
        s.starts(own)
        s.cancel(own)
    else:
        this_waits(s, "-p", "own", "-n", 1)
    this_waits(s, "-p", "lent", "-n", 1, "-s")
    s.starts(s.submit("-p", "lent", "-n", 3))
    s.cancel(*s.jobs)
    shared = [s.submit("-p", "lent", "-n", 4, "-s") for _ in range(2)]
    s.starts(*shared)
    this_waits(s, "-p", "lent", "-n", 1, "-s")
    s.cancel(shared[0])
    this_waits(s, "-p", "lent", "-n", 1)
    s.cancel(shared[1])
    s.starts(s.submit("-p", "own", "-n", 1), s.submit("-p", "lent", "-n", 1))
    this_waits(s, "-p", "own", "-n", 1)


@probe
def priority_tier(s):
    """Jobs of a partition of a higher tier go first."""
    first = s.submit("-N", 6, "--exclusive")
    s.starts(first)
    low = [s.submit("-N", 6, "--exclusive", "-t", 5, script="sleep 1") for _ in range(2)]
    high = s.submit("-N", 6, "--exclusive", "-t", 5, "-p", "urgent", script="sleep 1")
    s.waits(*low, high)
    s.cancel(first)
    s.order_of_starts(*low, high)


# ---- constraints ----

@probe
def features(s):
    """-C with and, or, parentheses."""
    for text in ("odd", "odd&at_n3", "at_n2|at_n4", "(at_n1|at_n2)&even"):
        s.starts(s.submit("-C", text, "-n", 4))


@probe
def counted_features(s):
    """[a*1&b*2]: so many nodes of each."""
    s.starts(s.submit("-C", "[odd*1&even*2]", "-N", 3), nodes=False)
    job = s.submit("-C", "[at_n1*1&at_n2*1]", "-N", 2)
    s.starts(job)
    s.waits(s.submit("-C", "[at_n1*1&at_n4*1]", "-N", 2, "--exclusive"))


@probe
def counted_features_wait(s):
    """A job of counted features waits until nodes of each are there."""
    full = s.submit("-C", "odd", "-N", 3, "--exclusive")
    s.starts(full)
    job = s.submit("-C", "[odd*2&even*1]", "-N", 3, "-t", 10)
    s.waits(job)
    s.cancel(full)
    s.starts(job, nodes=False)


@probe
def matching_features(s):
    """[a|b]: all nodes have the same of them."""
    s.drained("n5")
    s.drained("n6")
    job = s.submit("-C", "[odd|even]", "-N", 2)
    s.starts(job, nodes=False)
    names = s.cluster.where(job)
    s.see(len({int(n[1:]) % 2 for n in names}))


@probe
def features_of_nobody(s):
    """A feature that no node has is refused."""
    s.submit("-C", "nothing")
    s.submit("-C", "[odd*1&nothing*1]", "-N", 2)


SOONER = "starts where one switch has room; Slurm alone tries nodes of less weight, and waits"


@other(SOONER)
def switches(s):
    """--switches=1: all nodes below one switch."""
    s.starts(s.submit("-w", "n6", "--exclusive"))
    job = s.submit("-N", 3, "--switches=1", "--exclusive")
    s.starts(job)


@other(SOONER)
def switches_wait(s):
    """--switches=1 waits for a switch as long as it was told to."""
    blocks = [s.submit("-w", n, "--exclusive") for n in ("n1", "n6")]
    s.starts(*blocks)
    job = s.submit("-N", 3, "--switches=1@30", "--exclusive")
    s.waits(job)
    s.cancel(blocks[0])
    s.starts(job)


@probe
def switches_of_the_second_choice(s):
    """--switches=1 where the nodes that would be taken first are below two."""
    s.starts(s.submit("-w", "n5", "--exclusive"))
    jobs = [s.submit("-N", 2, "--switches=1", "--exclusive") for _ in range(2)]
    s.starts(*jobs, nodes=False)
    for job in jobs:
        s.see(sorted({int(n[1:]) > 3 for n in s.cluster.where(job)}) in ([False], [True]))
    s.starts(s.submit("-n", 4), nodes=False)


@probe
def switches_for_a_while(s):
    """--switches=1@0:06: after six seconds any nodes will do."""
    s.starts(*(s.submit("-w", n, "--exclusive") for n in ("n1", "n6")))
    job = s.submit("-N", 3, "--switches=1@0:06", "--exclusive")
    s.waits(job)
    s.starts(job, nodes=False)


@probe
def lists_of_nodes(s):
    """-w, -x and --nodefile, of more nodes than the job takes too."""
    name = s.cluster.write("nodes", "n2\nn3\n")
    s.starts(s.submit("-w", "n2", "-n", 1), s.submit("-x", "n[1-5]", "-n", 1))
    s.starts(s.submit("--nodefile", name, "-N", 2))
    s.starts(s.submit("-w", "n4,n5", "-N", 3, "-x", "n6"), nodes=False)
    s.submit("-w", "n[1-4]", "-N", 2)


@probe
def all_nodes_of_a_list(s):
    """Who names several nodes has all of them, however few tasks there are; more where
    these do not do; and waits while one is drained."""
    arbitrary = "-w n[1-3] -n 2 -m arbitrary"  # refused there
    for words in without(
            ("-w n[1-2] -n 2", "-w n[1-2]", arbitrary, "-w n[1-2] -n 5",
             "-w n[1-2] -n 2 --mem=500", "-w n[1-2] -n 2 --gres=gpu:1", "-w n[2-4] -c 2 -n 3",
             "-w n[1-2] -N 2-3 -n 2", "-w n[1-2] -a 1", "-w n[3-4] -O -n 8"), arbitrary):
        job = s.submit(*words.split())
        s.see(words)
        s.starts(job)
        s.cancel(job)
    s.starts(s.submit(*"-w n[1-2] -n 9".split()), nodes=False)
    s.drained("n4")
    job = s.submit("-w", "n[3-4]", "-n", 2)
    s.waits(job)
    s.back("n4")
    s.starts(job)


@probe
def contiguous(s):
    """--contiguous: nodes beside each other."""
    blocks = [s.submit("-w", n, "--exclusive") for n in ("n3", "n6")]
    s.starts(*blocks)
    job = s.submit("-N", 3, "--contiguous", "--exclusive")
    s.waits(job)
    s.cancel(blocks[1])
    s.starts(job)


# ---- what can never run ----

IMPOSSIBLE = (
    "-N 7", "-n 99", "-c 9", "-N 2 --ntasks-per-node=9", "--mincpus=9", "--tmp=99999",
    "--mem=99999", "--mem-per-cpu=99999", "-p gpu -N 4", "-p narrow -n 99", "-p nothing",
    "-p gpu,urgent -c 9", "-w n99", "-p gpu -w n5", "-x n[1-6]", "-w n2 -x n2",
    "-C odd&even", "-C at_n1 -w n2", "-C [at_n1*2] -N 2", "--gres=nothing:1",
    "--gres=gpu:v100:3", "-C at_n4 --gres=gpu:1", "-w n1 --gres=gpu:v100:1",
    "-N 4 --gres=gpu:1", "--gpus=a100:4", "-N 4 --exclusive -p gpu", "-L nothing",
    "-L lic_a:9", "--reservation=nothing", "-a 1-3 -N 7", "-a 1-3 -c 9", "-a 1-9%2 -c 9",
    "--begin=now+1hour -c 9", "--deadline=now+1hour -t 5 -c 9",
    "-t 5 --deadline=now+1minute", "--exclusive=user -c 9", "--nice=100 -c 9", "-H -c 9",
    "-A nothing", "--qos=nothing", "--mcs-label=nothing", "--contiguous -N 7",
    "-d afterany:1 -c 9", "-d afterok:nothing", "-d singleton -c 9", "-a 5-3", "-n 0",
    "-N 3-2", "-n 2147483647", "-N 1-2147483647 -n 1", "-c 65000", "-t 999999999",
    "--mem=99999999999999", "--tmp=4294967295", "--gres=gpu:99999999999", "-L lic_a:4294967295",
    "--nice=2147483645", "-C [all*99999999999]", "-C ((((((all))))))", "-C all*0",
    "-w n[1-9999999]", "-x n[1-5],n[1-5]", "-a 0-99999999", "-p all,gpu,all,gpu",
    "-d afterok:1_9999?singleton", "--switches=99999999 -c 9", "--signal=99@65535",
    "--nice=-5 -c 9", "--comment=x -c 9", "--requeue -c 9", "--switches=1 -N 4")


@probe
def what_could_never_run(s):
    """What no nodes could ever do is refused at submission, with Slurm's words; what is
    accepted all the same waits."""
    for words in IMPOSSIBLE:
        job = s.submit(*words.split())
        s.see(words, "refused" if job is None else "accepted")
        if job:
            s.cancel(job)
    script = "#!/bin/sh\ntrue\n"
    s.command("sbatch", "-n", 1, ":", "-c", 9, stdin=script)
    for words in (("srun", "-c", 9, "true"), ("salloc", "--gres=gpu:3", "true")):
        done = s.run(*words)
        # Slurm tells who waits that the refused job is over, too: whether that comes
        # before the refusal is Slurm's own race.
        s.see(words, done.returncode, sorted(line for line in done.stderr.splitlines()
                                             if "has been revoked" not in line))
    s.command("sbatch", "--test-only", "-c", 9, stdin=script)
    # One that ran for a moment may be leaving its node yet.
    s.see("left", s.cluster.ok("squeue", "-h", "-t", "pending,running", "-o", "%i"))


@several_users
def what_could_never_run_of_others(s):
    """The same of people who are nobody in particular."""
    for words in ("-N 7", "--gres=gpu:3", "-c 9 -a 1-2", "--nice=-5", "--priority=5 -c 9"):
        job = s.submit(*words.split(), user="games")
        s.see(words, "refused" if job is None else "accepted")
        if job:
            s.cancel(job)


# ---- whose turn it is ----

@probe
def dependencies(s):
    """-d of each kind, together and one of several."""
    first = s.submit(script="sleep 3; exit 0")
    bad = s.submit(script="sleep 6; exit 1")
    s.starts(first, bad, nodes=False)
    jobs = {kind: s.submit("-d", kind.format(first, bad)) for kind in (
        "afterok:{0}", "afternotok:{0}", "afterok:{1}", "afternotok:{1}", "afterany:{0}:{1}",
        "after:{0}", "afterok:{0},afterok:{1}", "afterok:{0}?afterok:{1}", "aftercorr:{0}")}
    s.starts(jobs["after:{0}"], nodes=False)
    s.ends(first, bad)
    s.waits()
    for kind, job in jobs.items():
        s.see(kind, s.cluster.state(job))
        s.field(job, "Dependency")
    s.submit("-d", f"afterok:{jobs['after:{0}']}")
    s.submit("-d", "afterok:1")


def running(s, array):
    return s.run("squeue", "-h", "-t", "R", "-j", array).stdout.count("\n")


@probe
def limit_of_an_array_beside_dependencies(s):
    """A task that waits for another job takes no place in the limit of its array; when it
    waits no more, it takes its turn."""
    first, late = s.submit("-H"), s.submit("-H")
    array = s.submit("-a", "1-5%2", "-H")
    s.order("scontrol", "update", f"jobid={array}_1", f"dependency=afterany:{first}")
    s.order("scontrol", "update", f"jobid={array}_2", f"dependency=afterany:{late}")
    s.order("scontrol", "release", array)
    s.starts(f"{array}_3", f"{array}_4", nodes=False)
    s.waits(f"{array}_1", f"{array}_2", f"{array}_5")
    s.cancel(first, late)
    s.waits(f"{array}_1", f"{array}_2", f"{array}_5")
    s.cancel(f"{array}_3", f"{array}_4")  # two of the rest, Slurm orders them by its records
    with contextlib.suppress(AssertionError):
        s.cluster.wait(lambda: running(s, array) == 2, "two tasks", 30)
    s.waits()
    s.see("running", running(s, array))
    s.cancel(array)


@probe
def dependencies_never_satisfied(s):
    """--kill-on-invalid-dep ends a job that can never start; without it, it stays."""
    bad = s.submit(script="sleep 2; exit 1")
    s.starts(bad, nodes=False)
    goes = s.submit("-d", f"afterok:{bad}", "--kill-on-invalid-dep=yes")
    stays = s.submit("-d", f"afterok:{bad}", "--kill-on-invalid-dep=no")
    s.ends(bad, goes)
    s.waits(stays)


@probe
def singleton(s):
    """-d singleton: one of a name at a time."""
    one = s.submit("-J", "alone", "-d", "singleton")
    two = s.submit("-J", "alone", "-d", "singleton")
    other = s.submit("-J", "other", "-d", "singleton")
    s.starts(one, other, nodes=False)
    s.waits(two)
    s.cancel(one)
    s.starts(two, nodes=False)


@probe
def held(s):
    """-H, and the owner's release; held again while it waits."""
    job = s.submit("-H")
    s.waits(job)
    s.field(job, "Reason", "Priority")
    s.command("scontrol", "release", job)
    s.starts(job, nodes=False)
    full = s.submit("-N", 6, "-n", 6, "-w", "n[1-6]", "--exclusive")
    s.cancel(job)
    s.starts(full)
    waiting = s.submit("-n", 1)
    s.command("scontrol", "hold", waiting)
    s.cancel(full)
    s.waits(waiting)
    s.field(waiting, "Reason", "Priority")
    s.command("scontrol", "release", waiting)
    s.starts(waiting, nodes=False)


@probe
def nice_among_own_jobs(s):
    """--nice, and nice= later, order the jobs of a user."""
    full = s.submit("-N", 6, "--exclusive")
    s.starts(full)
    jobs = [s.submit("-N", 6, "--exclusive", "-t", 5, f"--nice={n}", script="sleep 1.5")
            for n in (2000, 0, 1000, 3000)]
    s.command("scontrol", "update", f"jobid={jobs[3]}", "nice=500")
    s.waits(*jobs)
    s.cancel(full)
    s.order_of_starts(*jobs)


@probe
def priority_by_an_administrator(s):
    """scontrol update priority= goes before all that is worked out."""
    full = s.submit("-N", 6, "--exclusive")
    s.starts(full)
    jobs = [s.submit("-N", 6, "--exclusive", "-t", 5, script="sleep 1.5") for _ in range(3)]
    s.waits(*jobs)
    s.command("scontrol", "update", f"jobid={jobs[2]}", "priority=9000000")
    s.command("scontrol", "update", f"jobid={jobs[1]}", "priority=8000000")
    s.waits(*jobs)
    s.cancel(full)
    s.order_of_starts(*jobs)


@several_users
def priorities_that_users_ask_for(s):
    """What users may not do to priorities, theirs and those of others, in Slurm's words."""
    full = s.submit("-N", 6, "--exclusive")
    s.starts(full)
    job = s.submit("-N", 6, "-t", 5, user="games")
    s.waits(job)
    for change in ("priority=5000000", "nice=-5", "nice=5"):
        s.command("scontrol", "update", f"jobid={job}", change, user="games")
        s.command("scontrol", "update", f"jobid={job}", change, user="daemon")
    s.command("scontrol", "top", job, user="games")
    s.command("scontrol", "top", job, user="daemon")
    for verb in ("hold", "release", "requeue", "suspend"):
        s.command("scontrol", verb, job, user="daemon")
    s.command("scancel", job, user="daemon")
    s.waits(job)


# ---- nodes for oneself ----

@several_users
def exclusive_of_a_user(s):
    """--exclusive=user: nodes shared with own jobs alone."""
    mine = s.submit("-n", 1, "-w", "n4", "--exclusive=user", user="games")
    s.starts(mine)
    s.starts(s.submit("-n", 1, "-w", "n4", user="games"))
    s.starts(s.submit("-n", 1, "-w", "n4", "--exclusive=user", user="games"))
    stranger = s.submit("-n", 1, "-w", "n4", "-t", 5, user="daemon")
    s.starts(s.submit("-n", 1, "-w", "n5", user="daemon"))
    shut = s.submit("-n", 1, "-w", "n5", "-t", 5, "--exclusive=user", user="games")
    s.waits(stranger, shut)
    s.run("scancel", "-u", "games", "-w", "n4")
    s.starts(stranger)


# ---- heterogeneous jobs ----

@probe
def het_on_one_node(s):
    """Components that both need one node wait: Slurm gives no node to two of them."""
    job = s.submit("-n", 1, "-C", "at_n4", ":", "-n", 2, "-C", "at_n4")
    s.waits(job, f"{job}+1")


@probe
def het_over_nodes(s):
    """Components on several nodes, with devices on one."""
    job = s.submit("-N", 2, "-n", 2, ":", "-n", 1, "--gres=gpu:a100:1", ":", "-n", 4)
    s.starts(job, f"{job}+1", f"{job}+2", nodes=False)


@probe
def het_waits_for_all(s):
    """None of its components starts before all can."""
    full = s.submit("-N", 6, "--exclusive")
    s.starts(full)
    job = s.submit("-N", 2, "-t", 5, ":", "-N", 1, "-t", 5)
    s.waits(job, f"{job}+1")
    s.cancel(full)
    s.starts(job, f"{job}+1", nodes=False)


# ---- times ----

@probe
def time_min(s):
    """--time-min: a job may be cut to end before what comes."""
    s.order("scontrol", "create", "reservation", "reservationname=later",
            "starttime=now+20minutes", "duration=60", "nodes=ALL", "users=daemon")
    try:
        job = s.submit("-n", 1, "-t", 60, "--time-min=5")
        whole = s.submit("-n", 1, "-t", 60)
        s.starts(job)
        s.waits(whole)
        limit = s.cluster.show(job)["TimeLimit"]
        s.see("cut", "00:05:00" <= limit < "00:21:00")
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=later")


# ---- reservations ----

@probe
def reservation_by_name(s):
    """--reservation, and who does not name it; however long a job of it is."""
    s.order("scontrol", "create", "reservation", "reservationname=mine", "starttime=now",
            "duration=60", "nodes=n[5-6]", f"users={s.cluster.user}")
    try:
        s.starts(s.submit("-n", 4), s.submit("-n", 1, "--reservation=mine"),
                 s.submit("-n", 1, "-t", 90, "--reservation=mine"),
                 s.submit("-n", 1, "-t", "UNLIMITED", "--reservation=mine"))
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=mine")


@probe
def reservation_before_another(s):
    """A job of a reservation may outlast it, but not into the next one on its nodes."""
    s.order("scontrol", "create", "reservation", "reservationname=first", "starttime=now",
            "duration=60", "nodes=n[5-6]", f"users={s.cluster.user}")
    s.order("scontrol", "create", "reservation", "reservationname=next",
            "starttime=now+90minutes", "duration=60", "nodes=n[5-6]", "users=daemon")
    try:
        s.starts(s.submit("-n", 1, "-t", 30, "--reservation=first"),
                 s.submit("-n", 1, "-t", 80, "--reservation=first"))
        s.waits(s.submit("-n", 1, "-t", 120, "--reservation=first"))
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=first")
        s.order("scontrol", "delete", "reservationname=next")


@probe
def maintenance(s):
    """MAINT: who is let in runs on these nodes, and who needs them is told when it is over."""
    s.order("scontrol", "create", "reservation", "reservationname=mend", "starttime=now",
            "duration=10", "nodes=n[1-2]", f"users={s.cluster.user}",
            "flags=maint,ignore_jobs")
    try:
        s.starts(s.submit("--reservation=mend", "-n", 1, "-t", 1))
        s.starts(s.submit("-p", "gpu", "-n", 1, "-t", 5))
        wide = s.submit("-N", 6, "-n", 6, "-t", 5)
        s.waits(wide)

        def expected():
            told = s.cluster.ok("squeue", "--start", "-h", "-o", "%S", "-j", wide).strip()
            return told.startswith("2") and calendar.timegm(time.strptime(told, "%Y-%m-%dT%H:%M:%S"))

        wait = s.cluster.wait(expected, "an expected start") - time.time()
        s.see("within ten minutes and a bit", 5 * 60 < wait < 12 * 60)
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=mend")


@probe
def reservations_over_each_other(s):
    """A job of a MAINT reservation runs on nodes of others, one of an OVERLAP reservation
    on those of others that are not MAINT, any other on its own alone."""
    for name, nodes, flags in (("inner", "n[5-6]", ""), ("over", "n[4-5]", "overlap"),
                               ("mend", "n6", "maint,ignore_jobs"),
                               ("late", "n3", "maint,ignore_jobs"), ("early", "n3", "overlap")):
        s.order("scontrol", "create", "reservation", f"reservationname={name}", "starttime=now",
                "duration=60", f"nodes={nodes}", f"users={s.cluster.user}",
                *([f"flags={flags}"] if flags else []))

    def of(name, *options):
        return s.submit("-n", 1, "-t", 5, f"--reservation={name}", *options)
    try:
        s.starts(of("mend"), of("over", "-w", "n5"), of("over", "-w", "n4"), of("late"))
        s.waits(of("inner"), of("early"))
        s.starts(s.submit("-N", 2, "-n", 2, "-t", 5, "--reservation=over"))
        s.starts(s.submit("-n", 1, "-t", 5))
    finally:
        s.cluster.empty()
        for name in ("early", "late", "mend", "over", "inner"):
            s.order("scontrol", "delete", f"reservationname={name}")


@probe
def magnetic_reservation(s):
    """MAGNETIC: jobs of its users are in it without naming it."""
    s.order("scontrol", "create", "reservation", "reservationname=pull", "starttime=now",
            "duration=60", "nodes=n1", f"users={s.cluster.user}", "flags=magnetic")
    try:
        s.starts(s.submit("-n", 4, "-t", 5))
        s.starts(s.submit("-n", 4, "-t", 5))
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=pull")


@probe
def magnetic_too_short(s):
    """A job longer than a MAGNETIC reservation."""
    s.order("scontrol", "create", "reservation", "reservationname=pull", "starttime=now",
            "duration=60", "nodes=n1", f"users={s.cluster.user}", "flags=magnetic")
    try:
        job = s.submit("-n", 4, "-t", 120)
        s.starts(job)
        s.field(job, "Reservation", "TimeLimit")
        job = s.submit("-N", 6, "-n", 6, "-t", 5)
        s.waits(job)
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=pull")


@probe
def magnetic_for_others(s):
    """A MAGNETIC reservation of other users, and one of all but some."""
    s.order("scontrol", "create", "reservation", "reservationname=pull", "starttime=now",
            "duration=60", "nodes=n5", "users=daemon", "flags=magnetic")
    s.order("scontrol", "create", "reservation", "reservationname=not", "starttime=now",
            "duration=60", "nodes=n6", f"users=-{s.cluster.user}", "flags=magnetic")
    s.order("scontrol", "create", "reservation", "reservationname=all", "starttime=now",
            "duration=60", "nodes=n3", "users=-daemon", "flags=magnetic")
    try:
        s.starts(*(s.submit("-n", 4, "-t", 5) for _ in range(3)))
    finally:
        s.cluster.empty()
        for name in ("pull", "not", "all"):
            s.order("scontrol", "delete", f"reservationname={name}")


@probe
def flex_reservation(s):
    """FLEX: a job of it may take nodes outside too, and begin before it."""
    s.order("scontrol", "create", "reservation", "reservationname=bend", "starttime=now",
            "duration=60", "nodes=n5", f"users={s.cluster.user}", "flags=flex")
    s.order("scontrol", "create", "reservation", "reservationname=soon",
            "starttime=now+30minutes", "duration=60", "nodes=n6",
            f"users={s.cluster.user}", "flags=flex")
    try:
        s.starts(s.submit("-N", 2, "--reservation=bend"), nodes=False)
        s.starts(s.submit("-n", 1, "-t", 300, "--reservation=bend"))
        s.starts(s.submit("-n", 4, "-t", 60))
        s.starts(s.submit("-n", 4, "-t", 60, "-w", "n6", "--reservation=soon"))
    finally:
        s.cluster.empty()
        s.order("scontrol", "delete", "reservationname=bend")
        s.order("scontrol", "delete", "reservationname=soon")


@probe
def preferred_feature(s):
    """--prefer: nodes with that feature first, others where they are taken."""
    first = s.submit("--prefer=at_n2", "-N", 1, "-n", 3)
    s.starts(first)
    s.starts(s.submit("--prefer=at_n2", "-N", 1, "-n", 3), nodes=False)
    s.cancel(first)
    s.starts(s.submit("--prefer=at_n2", "-N", 1, "-n", 3))


@probe
def memory_of_uneven_tasks(s):
    """--mem is of each node, however many tasks lie there."""
    s.starts(s.submit("-p", "gpu", "-w", "n1", "-n", 2, "--mem=100"))
    s.starts(s.submit("-p", "gpu", "-n", 10, "--mem=100"))


@probe
def memory_of_tasks_beside_others(s):
    """--mem where each node has a job, and half of its memory or nearly all is used: on one
    node where there is room, else in parts of several."""
    for node in ("n1", "n2", "n3"):
        s.starts(s.submit("-w", node, "-n", 2, "--mem=1000"))
    for words in ("-n 4 --mem=600", "-n 2 -c 2 --mem=900", "-n 5 --mem=1000", "-N 2 -n 3 --mem=700",
                  "-n 6 --mem=1200", "-N 2 -n 4 --mem=500", "-n 2 --mem=2900",
                  "-N 3 -n 4 --mem=700", "-n 3 -N 2 -c 1 --mem=2000"):
        job = s.submit("-p", "gpu", *words.split())
        s.starts(job, nodes=False)
        s.cancel(job)
    s.starts(s.submit("-p", "gpu", "-w", "n1", "-n", 1, "--mem=2500"))
    s.starts(s.submit("-p", "gpu", "-n", 4, "--mem=600"))
    s.waits(s.submit("-p", "gpu", "-n", 3, "--mem=1000"))


# ---- all other options ----

@probe
def options_of_place(s):
    """Options that say how much and where: each alone, on an empty cluster."""
    for words in without(("--ntasks-per-node=2 -N 2", "-n 6", "-n 3 -c 2", "--mincpus=3", "--tmp=500",
                  "--mem=3000", "--mem-per-cpu=900", "--cpus-per-gpu=2 --gpus=2",
                  "--mem-per-gpu=500 --gpus=2", "--gpus=1 --gpu-bind=closest", "--gpus=1 --gpu-freq=low",
                  "--ntasks-per-gpu=1 --gpus=2", "--gres=gpu:1 --gres-flags=enforce-binding",
                  "--sockets-per-node=1", "--cores-per-socket=2", "--threads-per-core=1",
                  "--ntasks-per-core=1 -n 2", "--ntasks-per-socket=2 -n 2",
                  "--hint=nomultithread", "-O -n 8 -N 1", "-s", "--exclusive=user", "--exclusive=mcs",
                  "--nodelist=n2", "--exclude=n[4-6]", "-N 2-4 -n 2", "--prefer=at_n2",
                  "--use-min-nodes", "--spread-job -N 2 -n 2", "--gpus-per-socket=1 --sockets-per-node=1",
                  "-B 1:2", "-w n[1-2] -N 2", "-m cyclic -n 4 -N 2"),
                 "--spread-job -N 2 -n 2"):  # on more than two nodes there
        job = s.submit(*words.split())
        s.see(words)
        s.starts(job, nodes=False)
        if job:
            s.cancel(job)


# what says which job, nodes or machine it is, or when
NOT_ALIKE = re.compile("NODELIST|JOBID|JOB_ID|SUBMIT|CONF|HOST|PORT|_TIME|PID|ADDR|TOPOLOGY"
                       "|WORKING_CLUSTER|JOB_GPUS|SLUID")


@probe
def inside_of_a_job(s):
    """What a job finds around it: Slurm's variables, and on which of its nodes each task
    runs."""
    out = pathlib.Path(s.cluster.dir, "out", "inside")
    for words in without(("-n 6", "-n 3 -c 2", "-N 2 --ntasks-per-node=2", "-N 2-4 -n 2", "-N 1-3 -n 4",
                  "-m cyclic -n 4 -N 2", "-m block -n 4 -N 2", "-m plane=2 -n 6 -N 2",
                  "--spread-job -N 2 -n 4", "--use-min-nodes -N 1-3 -n 5", "-O -n 8 -N 1",
                  "--ntasks-per-socket=2 -n 2", "--ntasks-per-core=1 -n 2", "-B 1:2 -n 2",
                  "--sockets-per-node=1", "--cores-per-socket=2", "--threads-per-core=1 -n 3",
                  "--hint=nomultithread -n 2", "--core-spec=1 -n 2", "--gpus=2 --ntasks-per-gpu=1",
                  "--gpus=1 --gpu-bind=closest", "--gpus=1 --gpu-freq=low",
                  "--gres=gpu:1 --gres-flags=enforce-binding", "--cpus-per-gpu=2 --gpus=2",
                  "--mem-per-gpu=500 --gpus=2", "--gpus-per-socket=1 --sockets-per-node=1",
                  "-s -n 2", "--exclusive=user -n 2", "--exclusive=mcs -n 2",
                  "-C [(odd&at_n1)*1&even*1] -N 2", "--cpu-freq=low", "--wckey=x",
                  "--export=NONE", "--get-user-env", "-J name", "--mem-bind=none",
                  "-w n[1-2] -n 2", "--switches=2 -N 4 --exclusive"),
                 # on more than two nodes there; and of nodes of other Weight the lightest
                 # has the task that is over, of those that a start names the first
                 "--spread-job -N 2 -n 4", "-N 1-3 -n 4"):
        job = s.submit(*words.split(), "-t", 5, script=(
            f"env | grep ^SLURM_ >{out}.new; srun sh -c 'echo task $SLURM_PROCID on node "
            f"$SLURM_NODEID' >>{out}.new 2>&1; mv {out}.new {out}"))
        s.see(words)
        if not job:
            continue
        s.ends(job)
        if out.exists():
            s.see(*(line for line in sorted(out.read_text().splitlines())
                    if not NOT_ALIKE.search(line.split("=")[0])))
            out.unlink()


@probe
def options_of_all_else(s):
    """Options that the scheduler leaves to Slurm: the job starts and ends as it does."""
    for words in ("--acctg-freq=30", "--comment=x", "--cpu-freq=low", "--delay-boot=1",
                  "--export=NONE", "--get-user-env", "-J name", "-k", "--mail-type=NONE",
                  "--mem-bind=none", "--no-requeue", "--open-mode=append", "--priority=7",
                  "--profile=none", "--propagate=NONE", "--requeue", "--signal=USR1@60",
                  "--wait-all-nodes=1", "--wckey=x", "--nice=10", "--begin=now",
                  "--deadline=now+1hour -t 5", "--kill-on-invalid-dep=yes", "-t 1",
                  "--licenses=lic_a:1", "-D /tmp", "-e /dev/null", "-i /dev/null"):
        job = s.submit(*words.split(), script="exit 3")
        s.see(words)
        if job:
            s.ends(job)
    s.command("sbatch", "--test-only", "-n", "1", "--wrap", "true")
    s.command("sbatch", "--wait", "-o", "/dev/null", "--wrap", "exit 4")


@probe
def options_that_are_rare(s):
    """What few ask for: taken or refused in the same words, and ended in the same way."""
    for words in without(("--bb=x", "--bbf=/dev/null", "--cluster-constraint=x", "--network=x",
                  "--power=level", "--reboot", "--batch=at_n2", "--ignore-pbs", "-Q",
                  "--export-file=/dev/null", "--core-spec=1", "--thread-spec=1",
                  "--switches=2 -N 4 --exclusive", "--uid=0 --gid=0", "--container=/tmp",
                  "-M nobody", "-C [(odd&at_n1)*1&even*1] -N 2", "-C at_n1*1",
                  "--exclusive=user -N 2", "--mem=0", "-N 1-3", "-t 0", "--gres=none",
                  "--gpus=0", "--ntasks-per-node=2 -n 5", "--nodes=2 --ntasks=1", "-d ,"),
                 "--reboot"):  # its node stays away there
        job = s.submit(*words.split(), script="exit 3")
        s.see("with", words)
        if job:
            s.ends(job)


@probe
def options_of_the_command(s):
    """What sbatch says of itself, and the same job told at length."""
    for word in ("-V", "--version", "-h", "--help", "--usage"):
        s.command("sbatch", word)
    for word in ("-v", "--verbose"):
        done = s.run("sbatch", word, "-o", "/dev/null", "--wrap", "exit 3")
        job = done.stdout.split()[-1]
        s.jobs[job] = word
        s.see(word, done.returncode, done.stdout)
        s.ends(job)


@probe
def options_of_steps(s):
    """What srun is told inside of a job is between Slurm and the job. Steps overlap: one
    that has just ended has its share for a moment longer."""
    path = f"{s.cluster.dir}/out/steps"
    steps = ("--mpi=none -n 2", "-n 1", "-l -n 2", "-n 9", "-w n2 -N 1 -n 1",
             "--multi-prog /dev/null", "-K1 -n 1", "--label --unbuffered -n 1",
             "-r 1 -N 1 -n 1", "--pty", "--jobid=1 -n 1")
    script = "\n".join(f"echo with {w}; timeout 60 srun --overlap {w} sh -c 'echo $SLURM_NTASKS' 2>&1 "
                       f"</dev/null | sort; echo $?" for w in steps)
    job = s.submit("-N", 2, "-n", 2, "-w", "n[2-3]", script=f"({script}) >{path}")
    s.ends(job, seconds=180)
    for line in open(path):
        s.see(line)


@probe
def options_by_environment(s):
    """What SBATCH_ variables and #SBATCH lines say counts as on the command line."""
    for name, value, field in (
            ("SBATCH_PARTITION", "urgent", "Partition"), ("SBATCH_TIMELIMIT", "7", "TimeLimit"),
            ("SBATCH_GRES", "gpu:1", "TresPerNode"), ("SBATCH_EXCLUSIVE", "user", "OverSubscribe"),
            ("SBATCH_CONSTRAINT", "odd", "Features"), ("SBATCH_NO_REQUEUE", "1", "Requeue"),
            ("SBATCH_MEM_PER_NODE", "500", "MinMemoryNode"), ("SBATCH_GPUS", "2", "TresPerJob"),
            ("SBATCH_DELAY_BOOT", "3", "DelayBoot"), ("SBATCH_JOB_NAME", "x", "JobName"),
            ("SBATCH_RESERVATION", "z", "Reservation"), ("SBATCH_CPUS_PER_GPU", "1", "NumCPUs")):
        job = s.submit("-n", 1, script="exit 3", env={name: value})
        s.see(name)
        if job:
            s.ends(job)
            s.field(job, field)
    job = s.submit(script="#SBATCH -p urgent -N 2\n#SBATCH --comment='a'\n#SBATCH -t 9\n"
                          "sleep 300")
    s.starts(job)
    s.field(job, "Partition", "TimeLimit", "Comment", "NumNodes")
    job = s.submit(script="#PBS -l nodes=2\n#PBS -N nom\nsleep 300")
    s.starts(job)
    s.field(job, "NumNodes", "JobName")


@probe
def nodes_that_slurm_alone_knows(s):
    """A job that wants more of a node than it says is started where Slurm finds one."""
    job = s.submit("-n", 1, "--cpus-per-gpu=2")
    s.starts(job)


WAITING = "also says that the job was queued and has been allocated resources"


@other(WAITING)
def srun_and_salloc(s):
    """What they print, and how they end."""
    for words in ("srun -n 2 sh -c exit\\ 3", "srun -N 2 -n 2 -l echo hi", "salloc -n 1 --bell true",
                  "salloc --no-bell -n 1 true", "salloc -n 2 srun -n 2 echo x",
                  "salloc -n 1 sh -c exit\\ 5", "srun --immediate=5 echo y", "srun -I echo z",
                  "salloc -Q -n 1 echo q", "srun -n 1 -w n2 printenv SLURM_JOB_NODELIST",
                  "srun -n 1 : -n 2 echo het", "salloc -n 1 --no-shell"):
        done = s.run(*shlex.split(words))
        s.see(words, done.returncode, *sorted(done.stdout.splitlines()))
        s.see(*sorted(done.stderr.splitlines()))


# Last: Slurm 22.05 itself starts nothing on a node that was given back like this, once
# it is free again, until slurmctld is restarted.

@probe
def shrunk_job(s):
    """What a shrunk job gives back is there for others at once."""
    wide = s.submit("-N", 6, "--exclusive")
    s.starts(wide)
    next_one = s.submit("-N", 1, "--exclusive")
    s.waits(next_one)
    s.order("scontrol", "update", f"jobid={wide}", "numnodes=5")
    s.starts(next_one, nodes=False)
    s.starts(wide, nodes=False)
