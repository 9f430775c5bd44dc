# SPDX-License-Identifier: Apache-2.0
"""A site with slurmdbd: limits of associations and QOS, defaults and flags, beside Slurm
alone. Probes as in twin_probes.py, on a pair of clusters of their own."""
import slurm_accounting
from slurm_cluster import SlurmCluster
from twin_probes import Probe
from twin_site import ALONE, Site

CONF = """\
AccountingStorageTRES=gres/gpu,license/lic_a
FirstJobId=70001
"""
REST = "DefaultTime=60 MaxTime=INFINITE State=UP"
PARTITIONS = [
    f"PartitionName=all Nodes=n[1-3] Default=YES {REST}",
    "PartitionName=short Nodes=n[1-3] DefaultTime=5 MaxTime=30 State=UP",
    f"PartitionName=dear Nodes=n[1-3] TRESBillingWeights=CPU=2.0,GRES/gpu=10.0 {REST}"]
SHAPE = {"nodes": 3, "cpus": 4, "partitions": PARTITIONS, "accounting": True}
PROBES = []


def probe(act, other=""):
    PROBES.append(Probe(act.__name__, act, " ".join(act.__doc__.split()), other))
    return act


def other(text):
    return lambda act: probe(act, text)


class AccountedSite(Site):
    """With accounts chem and phys, and QOS fast, over, deny, part, of whoever runs this."""

    def begin(self):
        super().begin()
        self.limits, self.untold = [], []

    def manage(self, *words):
        done = self.cluster.accounting.manage("-i", *words)
        text = done.stdout + done.stderr
        assert (done.returncode == 0 or "Nothing new added" in text
                or "Already existing" in text), (words, text)

    def prepare(self):
        # from then on slurmdbd tells slurmctld of each change before sacctmgr ends
        self.cluster.wait(lambda: self.cluster.accounting.manage(
            "-n", "-P", "show", "cluster", "format=controlhost").stdout.strip(),
            "its registration")
        for name in ("chem", "phys"):
            self.manage("add", "account", name, "Description=a", "Organization=o")
            self.manage("add", "user", self.cluster.user, f"account={name}")
        for name in ("fast", "over", "deny", "part"):
            self.manage("add", "qos", name)
        for name, flag in (("over", "OverPartQOS"), ("deny", "DenyOnLimit")):
            self.manage("modify", "qos", name, "set", f"flags={flag}")
        self.manage("modify", "user", self.cluster.user, "set",
                    "qos+=fast,over,deny,part")
        # slurmctld does not start with one that nobody has made yet
        self.order("scontrol", "update", "partitionname=short", "qos=part")

    def limit(self, kind, name, *limits, shown=None):
        """Until the end of the probe; `shown`: how the scheduler shows that it knows."""
        self.manage("modify", kind, name, "set", *limits)
        self.limits.append((kind, name, limits, shown))
        self.untold.append(shown)

    def submit(self, *options, **more):
        """Once the scheduler knows the limits that were set."""
        while self.untold:
            self.told(self.untold.pop(0), True)
        return super().submit(*options, **more)

    def told(self, shown, there):
        if self.ours and shown:
            self.cluster.wait(lambda: there == (shown in "".join(
                self.cluster.maui.ok("diagnose", w) for w in ("-a", "-Q", "-u"))),
                f"{shown} {'shown' if there else 'gone'}", 120)

    def unlimit(self):
        """All as it was."""
        self.untold = []
        for kind, name, limits, shown in self.limits:
            self.manage("modify", kind, name, "set",
                        *(l.rpartition("=")[0] + "=-1" for l in limits))
        for _, _, _, shown in self.limits:
            self.told(shown, False)
        self.limits = []

    def kept(self, *jobs):
        """Waits, and nobody tried to start it: what is known is not asked for."""
        self.waits(*jobs)
        for job in jobs if self.ours else ():
            self.cluster.wait(lambda job=job: "Slurm's limit" in self.cluster.maui.why(job),
                              f"the limit that keeps {job} back")
            shown = self.cluster.show(job)
            assert shown["Reason"] == "JobHeldUser" and shown["Restarts"] == "0", shown

    def end(self):
        self.unlimit()
        super().end()


def twin(program):
    alone = SlurmCluster(program, gate=False, conf=ALONE + CONF, **SHAPE)
    ours = SlurmCluster(program, conf=CONF, **SHAPE)
    ours.maui.configure("RMCFG[slurm] TYPE=SLURM\nRMPOLLINTERVAL 1\n", plain=True)
    return AccountedSite(alone, False), AccountedSite(ours, True)


missing = slurm_accounting.missing


# ---- limits ----

@probe
def gpus_of_an_account(s):
    """GrpTRES=gres/gpu: who is over it waits, others behind it do not, and it starts when
    there is room again; so of a type-free request, and by the limit that is raised."""
    s.limit("account", "chem", "GrpTRES=gres/gpu=2", shown="GrpTRES=gres/gpu")
    two = s.submit("-A", "chem", "--gres=gpu:2")
    s.starts(two, nodes=False)
    more = s.submit("-A", "chem", "--gres=gpu:1")
    s.kept(more)
    free = [s.submit("-A", "phys", "--gres=gpu:1"), s.submit("-A", "chem", "-n", 1)]
    s.starts(*free, nodes=False)
    s.cancel(two)
    s.starts(more, nodes=False)
    wide = s.submit("-A", "chem", "--gres=gpu:1", "-N", 2)
    s.kept(wide)
    s.unlimit()
    if s.ours:  # Slurm alone takes its time to notice: a minute and more were seen
        s.cluster.wait_state(wide, "RUNNING")


@probe
def gpus_of_each_user_of_a_qos(s):
    """MaxTRESPerUser=gres/gpu of a QOS, MaxTRESPerJob beside it."""
    s.limit("qos", "fast", "MaxTRESPerUser=gres/gpu=2", "MaxTRESPerJob=gres/gpu=1",
            shown="MaxTRESPerUser=gres/gpu")
    ones = [s.submit("--qos=fast", "--gres=gpu:1") for _ in range(3)]
    s.starts(*ones[:2], nodes=False)
    large = s.submit("--qos=fast", "--gres=gpu:2")
    s.kept(ones[2], large)
    s.starts(s.submit("--gres=gpu:1"), nodes=False)
    s.cancel(ones[0])
    s.starts(ones[2], nodes=False)


@probe
def licences_of_an_account(s):
    """GrpTRES=license/NAME, where the cluster has more of them."""
    s.limit("account", "chem", "GrpTRES=license/lic_a=1", shown="GrpTRES=license/lic_a")
    one = s.submit("-A", "chem", "-L", "lic_a:1")
    s.starts(one, nodes=False)
    more = s.submit("-A", "chem", "-L", "lic_a:1")
    s.kept(more)
    s.starts(s.submit("-A", "phys", "-L", "lic_a:2"), nodes=False)
    s.cancel(one)
    s.starts(more, nodes=False)


@probe
def by_the_minute(s):
    """GrpTRESRunMins of memory and devices, MaxTRESMins of devices."""
    s.limit("account", "chem", "GrpTRESRunMins=gres/gpu=25", "MaxTRESMins=gres/gpu=20",
            shown="MaxTRESMins=gres/gpu")
    first = s.submit("-A", "chem", "--gres=gpu:1", "-t", 20)
    s.starts(first, nodes=False)
    long = s.submit("-A", "chem", "--gres=gpu:2", "-t", 11)
    second = s.submit("-A", "chem", "--gres=gpu:1", "-t", 15)
    s.kept(long, second)
    s.starts(s.submit("-A", "chem", "-n", 1, "-t", 60), nodes=False)
    s.cancel(first)
    s.starts(second, nodes=False)


@probe
def jobs_time_and_nodes_of_an_account(s):
    """GrpJobs, GrpSubmitJobs (refused at submission), MaxWall, and MaxTRES=node."""
    s.limit("account", "chem", "GrpJobs=1", "GrpSubmitJobs=3", "MaxWall=30",
            "MaxTRES=node=2", shown="GrpJobs")
    first = s.submit("-A", "chem", "-t", 30)
    s.starts(first, nodes=False)
    second = s.submit("-A", "chem", "-t", 30)
    s.kept(second)
    third = s.submit("-A", "chem", "-t", 31)
    s.submit("-A", "chem", "-t", 30)
    s.cancel(first)
    s.starts(second, nodes=False)
    s.cancel(second)
    s.kept(third)


@probe
def billing_of_an_account(s):
    """GrpTRES=billing with TRESBillingWeights: Slurm's own, tried as soon as a job ended."""
    s.limit("account", "chem", "GrpTRES=billing=10")
    first = s.submit("-A", "chem", "-p", "dear", "-n", 4)
    s.starts(first, nodes=False)
    second = s.submit("-A", "chem", "-p", "dear", "-n", 2)
    s.waits(second)
    s.starts(s.submit("-A", "phys", "-n", 4), s.submit("-A", "phys", "-n", 2), nodes=False)
    s.cancel(first)
    s.starts(second, nodes=False)


@probe
def where_it_fits_best(s):
    """A job is on the node that has just enough for it, rather than on two; of stretches
    of free nodes the smallest."""
    first = s.submit("-n", 2)
    s.starts(first)
    s.starts(s.submit("-n", 4))
    s.starts(s.submit("-n", 3))
    s.starts(s.submit("-n", 1))
    s.starts(s.submit("-n", 2))
    s.cancel(*s.jobs)
    s.waits()
    held = [s.submit("-w", n, "-n", k) for n, k in (("n1", 3), ("n2", 2), ("n3", 1))]
    s.starts(*held)
    s.starts(*(s.submit("-n", k) for k in (3, 2, 1)))
    s.cancel(*list(s.jobs)[5:])
    s.waits()
    s.starts(s.submit("-w", "n2", "-n", 4))
    s.starts(s.submit("-n", 2), s.submit("-n", 5))


@probe
def on_each_node(s):
    """MaxTRESPerNode of a QOS: Slurm's own."""
    s.limit("qos", "fast", "MaxTRESPerNode=cpu=2")
    s.starts(s.submit("--qos=fast", "-n", 2, "-N", 1), nodes=False)
    large = s.submit("--qos=fast", "-n", 3, "-N", 1)
    s.waits(large)
    s.starts(s.submit("-n", 3, "-N", 1), nodes=False)


# ---- QOS, and what associations say when the job does not ----

@probe
def defaults_of_an_association(s):
    """Account and QOS of a job that names neither."""
    s.manage("modify", "user", s.cluster.user, "set", "DefaultAccount=phys")
    s.manage("modify", "user", s.cluster.user, "where", "account=phys", "set",
             "DefaultQOS=fast")
    job = s.submit()
    s.starts(job, nodes=False)
    s.field(job, "Account", "QOS")
    s.manage("modify", "user", s.cluster.user, "where", "account=phys", "set",
             "DefaultQOS=-1")
    s.manage("modify", "user", s.cluster.user, "set", "DefaultAccount=chem")


@probe
def refused_over_a_limit(s):
    """DenyOnLimit: sbatch says so; without it the job is taken and waits."""
    s.limit("qos", "deny", "MaxTRESPerJob=cpu=2", "MaxWall=10",
            shown="QOS deny")
    s.submit("--qos=deny", "-n", 3, "-t", 5)
    s.submit("--qos=deny", "-n", 1, "-t", 20)
    s.starts(s.submit("--qos=deny", "-n", 2, "-t", 5), nodes=False)


@probe
def of_the_partitions_qos(s):
    """The QOS of a partition goes before the job's, but not before one with OverPartQOS."""
    s.limit("qos", "part", "MaxTRESPerUser=cpu=2", shown="QOS part, each user")
    s.limit("qos", "fast", "MaxTRESPerUser=cpu=3", shown="QOS fast, each user")
    s.limit("qos", "over", "MaxTRESPerUser=cpu=3", shown="QOS over, each user")
    first = s.submit("-p", "short", "-n", 2)
    s.starts(first, nodes=False)
    by_part = s.submit("-p", "short", "--qos=fast", "-n", 1)
    s.kept(by_part)
    s.starts(s.submit("-p", "short", "--qos=over", "-n", 3, "-N", 1), nodes=False)
    s.cancel(first)


@probe
def time_limits_of_partition_and_qos(s):
    """A partition's MaxTime: over it a job waits, also where a QOS allows more."""
    long = s.submit("-p", "short", "-t", 40)
    s.waits(*filter(None, [long]))
    s.starts(s.submit("-p", "short"), nodes=False)
    s.field(list(s.jobs)[-1], "TimeLimit", "QOS")


# ---- what is counted of a job that waited ----

@other("Eligible is the start, but of who depends on others: Slurm takes no earlier instant "
       "of a job that leaves priority 0; Priority is what it was kept with")
def eligible_since_it_could_have_run(s):
    """sacct: Eligible is when a job could have started, so that Reserved (Planned) is how
    long it waited for room: plain, of an array, after a begin time, a dependency, a hold,
    below a limit."""
    s.limit("qos", "part", "maxjobsperuser=1")
    full = s.submit("-N", 3, "--exclusive")
    s.starts(full)
    of_one = s.submit("-n", 1, "-t", 5, "--qos=part")
    jobs = [s.submit(*o, "-n", 1, "-t", 5, script="true") for o in (
        [], ["-a", "1"], ["-b", "now+2"], ["-d", f"afterany:{full}"], ["-H"], ["--qos=part"])]
    never = s.submit("-H")
    jobs.append(s.submit("-n", 1, "-t", 5, "-d", f"afterany:{never}", script="true"))
    s.cancel(never)
    s.order("scontrol", "release", jobs[4])
    s.waits(*jobs)
    s.waits()
    s.cancel(full)
    s.starts(of_one, nodes=False)
    s.cancel(of_one)
    s.ends(*jobs)

    def record(job):
        text = s.cluster.ok("sacct", "-n", "-P", "-X", "-j", job, "-o",
                            "Submit,Eligible,Start,Priority", env={"SLURM_TIME_FORMAT": "%s"})
        words = text.strip().split("|")
        return [int(w) for w in words] if all(w.isdigit() for w in words) else None
    for job in jobs:
        submit, eligible, start, priority = s.cluster.wait(lambda: record(job), "its record", 30)
        s.see(s.name(job), "waited", start - submit >= 4, "and was eligible before",
              start - eligible >= 2, "with a priority", priority > 0)
