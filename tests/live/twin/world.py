# SPDX-License-Identifier: Apache-2.0
"""What a site of a session is like, who may do what there, and what must hold at any
instant. Knows nothing of the scheduler but what it tells."""
import collections

FEATURES = ("big", "fast", "old")
CLASSES = ("short", "long", "batch")
ACCOUNTS = ("chem", "geo", "bio")
QOS = ("low", "high")

# command: (the lowest level of an administrator who may, may owners); docs/features.md
# and the classic documentation. Of holds and of what is only told see the session.
RIGHTS = {
    "canceljob": (2, True), "sethold": (2, True), "releasehold": (2, True),
    "setspri": (2, False), "setupri": (2, True), "setqos": (2, True), "runjob": (2, False),
    "suspend": (2, True), "resume": (2, False), "requeue": (2, False), "modify": (2, True),
    "setres": (2, False), "releaseres": (2, False), "mrsvctl": (2, False),
    "setdeadline": (1, False), "releasedeadline": (1, False), "changeparam": (1, False),
    "resetstats": (1, False), "schedctl": (1, False), "checkjob": (3, True),
    "diagnose": (3, False), "showstats": (3, False), "checknode": (3, False),
    "showstate": (3, False), "showconfig": (3, False), "showgrid": (3, False),
}


def may(command, person, owner=None):
    level, owners = RIGHTS[command]
    return 0 < person.level <= level or (owners and owner == person.name)


class World:
    """A site drawn by lot: its nodes, limits, policies."""

    def __init__(self, dice, persons):
        self.persons = persons
        self.poll = dice.choice([10, 60, 300])
        self.procs = {f"n{i}": dice.choice([1, 2, 2, 4]) for i in range(1, dice.randint(3, 5))}
        self.features = {n: [f for f in FEATURES if dice.random() < 0.3] for n in self.procs}
        self.evening = None  # a node reserved for class short, for good
        self.limits = []  # (kind, name; None: each, what, how much)
        self.config = "\n".join([*self._site(), *self._policies(dice), *self._creds(dice),
                                 *self._standing(dice)]) + "\n"

    def _site(self):
        for person in self.persons:
            if person.level:
                yield f"ADMIN{person.level} {person.name}"
        yield f"RMPOLLINTERVAL {self.poll}"
        yield "RMCFG[local] TYPE=LOCAL KILLGRACE=120"
        for node, procs in self.procs.items():
            labels = f" FEATURES={','.join(self.features[node])}" if self.features[node] else ""
            yield f"NODECFG[{node}] CFGPROCS={procs}{labels}"

    @staticmethod
    def _policies(dice):
        for name, values in {
                "BACKFILLPOLICY": ("FIRSTFIT", "BESTFIT", "GREEDY", "NONE"),
                "RESERVATIONPOLICY": ("CURRENTHIGHEST", "HIGHEST", "NEVER"),
                "RESERVATIONDEPTH": (1, 1, 2, 4),
                # not CPULOAD: load is measured, as of the last poll; in a simulation there
                # is none
                "NODEALLOCATIONPOLICY": ("FIRSTAVAILABLE", "LASTAVAILABLE", "MINRESOURCE",
                                         "FIRSTAVAILABLE", "MAXBALANCE", "CONTIGUOUS"),
                "NODEACCESSPOLICY": ("SHARED", "SHARED", "SINGLEUSER", "SINGLEJOB"),
                "QUEUETIMEWEIGHT": (0, 1, 1), "XFACTORWEIGHT": (0, 0, 10),
                "RESWEIGHT": (0, 1), "PROCWEIGHT": (0, 5), "CREDWEIGHT": (1,),
                "FSPOLICY": ("NONE", "DEDICATEDPS"), "FSINTERVAL": ("1:00:00",),
                "FSDEPTH": (3,), "FSDECAY": ("0.5",), "FSWEIGHT": (0, 1),
                "FSUSERWEIGHT": (10,), "QOSWEIGHT": (1,), "CLASSWEIGHT": (1,),
                "DEFERTIME": ("10:00", "1:00:00"), "DEFERCOUNT": (2, 24),
                "JOBNODEMATCHPOLICY": ("", "EXACTNODE"),
                "PREEMPTPOLICY": ("REQUEUE", "SUSPEND"),
                "RESCTLPOLICY": ("ADMINONLY", "ANY")}.items():
            value = dice.choice(values)
            if value != "":
                yield f"{name} {value}"

    def _limit(self, dice, kind, name, what, values):
        if dice.random() > 0.35:
            return ""
        value = dice.choice(values)
        self.limits.append((kind, name, what, value))
        return f" {what}={value}"

    def _creds(self, dice):
        yield ("USERCFG[DEFAULT] QLIST=low,high QDEF=low FSTARGET=30"
               + self._limit(dice, "user", None, "MAXJOB", (2, 3))
               + self._limit(dice, "user", None, "MAXPROC", (3, 4)))
        yield "QOSCFG[low]" + (" QFLAGS=PREEMPTEE" if dice.random() < 0.3 else " PRIORITY=1")
        yield (f"QOSCFG[high] PRIORITY={dice.choice([10, 1000])}"
               + (" QFLAGS=PREEMPTOR" if dice.random() < 0.3 else "")
               + self._limit(dice, "qos", "high", "MAXJOB", (1, 2)))
        yield "CLASSCFG[short] MAX.WCLIMIT=30:00 PRIORITY=5" + self._limit(
            dice, "class", "short", "MAXPROC", (2, 3))
        yield "CLASSCFG[long] PRIORITY=1" + self._limit(dice, "class", "long", "MAXJOB", (1, 2))
        limit = self._limit(dice, "account", "chem", "MAXPROC", (2, 3))
        if limit:
            yield "ACCOUNTCFG[chem]" + limit

    def _standing(self, dice):
        node = dice.choice(list(self.procs))
        if dice.random() < 0.25:
            self.evening = node
            yield f"SRCFG[evening] CLASSLIST=short HOSTLIST={node} PERIOD=INFINITY"
        if dice.random() < 0.25:
            yield (f"SRCFG[mine] USERLIST={dice.choice(self.persons).name} TASKCOUNT=1 "
                   "RESOURCES=PROCS:1 PERIOD=DAY STARTTIME=8:00:00 ENDTIME=17:00:00")


# ---- what must hold --------------------------------------------------------------------

ON_NODES = ("Starting", "Running")


def places(job):
    return {p["node"]: p["tasks"] for p in job.get("allocation", ())}


def task_procs(job):
    return job["requests"][0].get("per_task", {}).get("procs", 1)


def _crowded(world, snapshot):
    used = collections.Counter()
    for job in snapshot["jobs"].values():
        if job["state"] in ON_NODES:
            for node, tasks in places(job).items():
                used[node] += tasks * task_procs(job)
    for node, n in used.items():
        if n > world.procs[node]:
            yield f"{n} of the {world.procs[node]} processors of {node} are in use"


def _disagreeing(snapshot):
    """Lists, single records and nodes tell the same."""
    on = collections.defaultdict(dict)
    for job in snapshot["jobs"].values():
        brief = {k: v for k, v in job["brief"].items() if k != "tasks"}
        if "holds" in brief:  # a list tells all kinds, whoever set them
            brief["holds"] = [h for h in brief["holds"] if h in job.get("holds", ())]
        for key, value in brief.items():
            if key in job and job[key] != value:
                yield f"job {job['id']}: {key} is {value} in the list, {job[key]} alone"
        if job["state"] in ON_NODES:
            for node, tasks in places(job).items():
                on[node][job["id"]] = tasks
    for name, node in snapshot["nodes"].items():
        told = {j["id"]: j["tasks"] for j in node["jobs"]
                if snapshot["jobs"].get(j["id"], {}).get("state") in ON_NODES}
        if told != on[name]:
            yield f"{name} has {told}, its jobs say {dict(on[name])}"
    for job in snapshot["jobs"].values():
        if job["state"] in ON_NODES and job["id"] not in snapshot["reservations"]:
            yield f"job {job['id']} runs without a reservation"


def _unexplained(snapshot):
    for job in snapshot["jobs"].values():
        if job["section"] == "blocked" and not job.get("reason", {}).get("text"):
            yield f"job {job['id']} is blocked and nobody says why"


def violations(world, snapshot):
    """What may never be, whatever was asked for."""
    return [*_crowded(world, snapshot), *_disagreeing(snapshot), *_unexplained(snapshot)]


def _lets_in(reservation, job):
    names = {"USER": "user", "GROUP": "group", "ACCT": "account", "ACCOUNT": "account",
             "CLASS": "class", "QOS": "qos", "JOB": "id"}
    for entry in reservation.get("acl", ()):
        kind, _, value = entry.partition("==")
        if job.get(names.get(kind)) == value.rstrip("+-="):
            return True
        if kind not in names:
            return True  # what is not modelled here is not complained of
    return False


def exceeded(world, before, after, ordered):
    """Limits and reservations that a start of this cycle disregards. `ordered`: jobs that
    somebody started by order, and what may be otherwise meanwhile."""
    active = [j for j in after["jobs"].values() if j["state"] in ON_NODES]
    fresh = [j for j in active if j["id"] not in ordered
             and before["jobs"].get(j["id"], {}).get("state") not in (*ON_NODES, "Suspended")]
    for kind, name, what, value in world.limits:
        for who in {j.get(kind) for j in fresh} - {None}:
            if name not in (None, who):
                continue
            mine = [j for j in active if j.get(kind) == who]
            n = len(mine) if what == "MAXJOB" else sum(j["procs"] for j in mine)
            if n > value and not any(j["id"] in ordered for j in mine):
                yield f"{kind} {who}: {n} in use, {what} is {value}"
    for r in before["reservations"].values():
        if r["type"] == "Job" or r["name"] not in after["reservations"]:
            continue
        whole = r.get("per_task", {}).get("procs") == -1
        for job in fresh:
            end = job["start_at"] + job["wclimit_s"]
            overlap = job["start_at"] < (r.get("end_at") or end) and r["start_at"] < end
            nodes = {p["node"] for p in r.get("places", ())} & set(places(job))
            if whole and overlap and nodes and not _lets_in(r, job):
                yield f"job {job['id']} started on {nodes}, reserved as {r['name']} {r['acl']}"
