# SPDX-License-Identifier: Apache-2.0
"""What people do: commands drawn by lot, whether they may, and what must hold when they
were told that it was done."""
import world


class Act:
    """`may`: True, False, None = depends on more than is known here. `check(before, after,
    told)` complains with a sentence."""

    def __init__(self, who, words, may=None, check=None, asks=False):
        self.who, self.words, self.may = who, [str(w) for w in words], may
        self.check = check
        self.asks = asks  # changes nothing


class Scene:
    """What the dice choose from."""

    def __init__(self, dice, site, persons, snapshot, apart):
        self.dice, self.world, self.persons = dice, site, persons
        self.snapshot = snapshot
        self.jobs = {k: v for k, v in snapshot["jobs"].items() if k not in apart}
        self.who = dice.choice(persons)

    def job(self, *states):
        """One of those; mostly the person's own."""
        fit = [j for j in self.jobs.values() if not states or j["state"] in states]
        own = [j for j in fit if j["user"] == self.who.name]
        return self.dice.choice(own if own and self.dice.random() < 0.6 else fit) if fit else None

    def may(self, command, job=None):
        return world.may(command, self.who, job and job["user"])


def _after(after, job):
    return after["jobs"].get(job["id"])


def _says(member, value, job):
    def check(_, after, __):
        now = _after(after, job)
        if now is None:
            return f"job {job['id']} has gone"
        if now.get(member) != value:
            return f"{member} of job {job['id']} is {now.get(member)}, not {value}"
        return None
    return check


# ---- jobs ------------------------------------------------------------------------------

def cancel(s):
    job = s.job()
    if not job:
        return None

    def check(_, after, __):
        return f"job {job['id']} is still there" if _after(after, job) else None
    return Act(s.who, ["canceljob", job["id"]], s.may("canceljob", job), check)


KINDS = {"-u": "user", "-b": "batch", "-s": "system"}


def hold(s):
    job = s.job("Idle", "Hold")
    if not job:
        return None
    letter = s.dice.choice(list(KINDS))

    def check(_, after, __):
        holds = (_after(after, job) or {}).get("holds", ())
        return None if KINDS[letter] in holds else f"{KINDS[letter]} is not among {holds}"
    allowed = s.may("sethold", job) and (letter == "-u" or 0 < s.who.level <= 2)
    return Act(s.who, ["sethold", letter, job["id"]], allowed, check)


def release(s):
    held = [j for j in s.jobs.values() if j.get("holds")]
    job = s.dice.choice(held) if held and s.dice.random() < 0.8 else s.job("Idle", "Hold")
    if not job:
        return None
    letter = s.dice.choice(["-a", "-a", *KINDS])
    administrates = 0 < s.who.level <= 2
    mine = {"user", "defer"} if not administrates else {"user", "batch", "system", "defer"}
    asked = {KINDS.get(letter)} if letter != "-a" else {"user", "batch", "system"}

    def check(before, after, told):
        was = set((_after(before, job) or {}).get("holds", ()))
        now = set((_after(after, job) or {}).get("holds", ()))
        if now & asked & mine:
            return f"released, and yet there are {now}"
        # nothing was done, and nobody says what remains
        if was and was == now and was & asked and not any(h in told[1] + told[2] for h in now):
            return f"exit 0, and nothing was released of {was}"
        return None
    allowed = s.may("releasehold", job)
    if allowed and not administrates and letter not in ("-a", "-u"):
        allowed = False
    if allowed and not set(job.get("holds", ())) & asked & mine:
        allowed = None  # nothing to be released is told as a refusal
    return Act(s.who, ["releasehold", letter, job["id"]], allowed, check)


def system_priority(s):
    job = s.job("Idle", "Hold")
    if not job:
        return None
    value = s.dice.choice([0, 1, 7, 1000])
    check = _says("system_priority", value or None, job)
    relative = s.dice.random() < 0.3
    return Act(s.who, ["setspri", *(["-r"] if relative else []), value, job["id"]],
               s.may("setspri", job), None if relative else check)


def user_priority(s):
    job = s.job("Idle", "Hold")
    value = s.dice.randint(1, 100)
    return job and Act(s.who, ["setupri", value, job["id"]], s.may("setupri", job),
                       _says("user_priority", value, job))


def qos(s):
    job = s.job("Idle", "Hold")
    value = s.dice.choice([*world.QOS, "nosuch"])
    if not job:
        return None
    allowed = s.may("setqos", job)
    return Act(s.who, ["setqos", value, job["id"]],
               False if value == "nosuch" else allowed, _says("qos", value, job))


def run(s):
    job = s.job("Idle")
    if not job:
        return None
    how = s.dice.choice([[], [], ["-f"], ["-x"], ["-n", s.dice.choice(list(s.world.procs))]])

    def check(_, after, __):
        state = (_after(after, job) or {}).get("state")
        return None if state in world.ON_NODES else f"job {job['id']} is {state}"
    return Act(s.who, ["runjob", *how, job["id"]], None if s.may("runjob", job) else False,
               check)


def suspend(s):
    job = s.job("Running")
    return job and Act(s.who, ["mjobctl", "-s", job["id"]], s.may("suspend", job),
                       _says("state", "Suspended", job))


def resume(s):
    job = s.job("Suspended")
    return job and Act(s.who, ["mjobctl", "-r", job["id"]],
                       None if s.may("resume", job) else False)


def requeue(s):
    job = s.job("Running")
    if not job:
        return None

    def check(_, after, __):
        state = (_after(after, job) or {}).get("state")
        return None if state in ("Idle", "Hold") else f"job {job['id']} is {state}"
    return Act(s.who, ["mjobctl", "-R", job["id"]], s.may("requeue", job), check)


def modify(s):
    job = s.job("Idle", "Hold")
    if not job:
        return None
    limit = job["wclimit_s"] + s.world.poll * s.dice.randint(0, 9)  # it is not cut short
    other = s.dice.choice(sorted(s.jobs))
    change, member, value = s.dice.choice([
        (f"wclimit={limit}", "wclimit_s", limit),
        (f"wclimit={limit}", "wclimit_s", limit),
        ("account=geo", "account", "geo"), ("class=long", "class", "long"),
        (f"depend=afterany:{other}", None, None), ("userprio=9", "user_priority", 9)])
    unchanged = member == "wclimit_s" and limit > job["wclimit_s"] and s.who.level not in (1, 2)
    allowed = s.may("modify", job)
    return Act(s.who, ["mjobctl", "-m", change, job["id"]], allowed and None,
               _says(member, value, job) if member and not unchanged else None)


def deadline(s):
    job = s.job("Idle")
    if not job:
        return None
    if s.dice.random() < 0.4:
        return Act(s.who, ["releasedeadline", job["id"]],
                   None if s.may("releasedeadline") else False)
    return Act(s.who, ["setdeadline", job["id"], f"+{s.world.poll * s.dice.randint(5, 60)}"],
               None if s.may("setdeadline") else False)


# ---- reservations ----------------------------------------------------------------------

def _people(s):
    return s.dice.choice([["-u", s.dice.choice(s.persons).name], ["-q", "short"],
                          ["-a", "chem"], []])


def reserve(s):
    where = s.dice.choice([s.dice.choice(list(s.world.procs)), "ALL",
                           f"TASKS=={s.dice.randint(1, 3)}"])
    begin = s.dice.choice([0, 0, 2, 5]) * s.world.poll
    words = ["setres", *_people(s), "-s", f"+{begin}", "-d",
             s.world.poll * s.dice.randint(2, 20), *(["-r", "PROCS=1"] * ("TASKS" in where)),
             where]
    allowed = s.may("setres")
    anybody = "RESCTLPOLICY ANY" in s.world.config

    def check(before, after, _):
        new = set(after["reservations"]) - set(before["reservations"])
        return None if new else "there is no new reservation"
    return Act(s.who, words, None if allowed or anybody else False, check)


def _reservation(s):
    names = [n for n, r in s.snapshot["reservations"].items() if r["type"] != "Job"]
    return s.dice.choice(names) if names else "nosuch.1"


def release_reservation(s):
    name = _reservation(s)
    anybody = "RESCTLPOLICY ANY" in s.world.config

    def check(_, after, __):
        gone = name not in after["reservations"]
        return None if gone else f"reservation {name} is still there"
    return Act(s.who, ["releaseres", name],
               None if s.may("releaseres") or anybody else False, check)


def change_reservation(s):
    change = s.dice.choice([f"duration+={s.world.poll}", f"endtime+={s.world.poll}",
                            "user+=games", f"starttime+={s.world.poll}"])
    anybody = "RESCTLPOLICY ANY" in s.world.config
    return Act(s.who, ["mrsvctl", "-m", change, _reservation(s)],
               None if s.may("mrsvctl") or anybody else False)


# ---- the scheduler ---------------------------------------------------------------------

def change_parameter(s):
    name, value = s.dice.choice([
        ("RESERVATIONDEPTH", "1"), ("RESERVATIONDEPTH", "3"), ("BACKFILLPOLICY", "NONE"),
        ("BACKFILLPOLICY", "FIRSTFIT"), ("QUEUETIMEWEIGHT", "2"), ("NOSUCHPARAMETER", "1"),
        ("NODEALLOCATIONPOLICY", "FIRSTAVAILABLE"), ("USERCFG[games]", "PRIORITY=50")])
    good = name != "NOSUCHPARAMETER"
    return Act(s.who, ["changeparam", name, value], s.may("changeparam") and good)


def reset_statistics(s):
    return Act(s.who, ["resetstats"], s.may("resetstats"))


def ask(s):
    """Every command that only tells, in its forms; by anybody."""
    job = s.job()
    name = job["id"] if job else "424242"  # nobody's
    node = s.dice.choice(list(s.world.procs))
    words = s.dice.choice([
        ["showq"], ["showq", "-i"], ["showq", "-r"], ["showq", "-b"], ["showq", "-u", "games"],
        ["checkjob", name], ["checkjob", name], ["checkjob", "-v", name],
        ["showstart", name], ["showstart", name], ["showstart", "2@10:00"],
        ["showbf"], ["showbf", "-S"], ["showbf", "-D"], ["showbf", "-r", "2"], ["showbf", "-A"],
        ["showres"], ["showres", "-n"], ["showhold"], ["showdeadline"],
        ["showtasks", "games"], ["mshow"], ["checknode", node],
        *(["diagnose", f"-{letter}"] for letter in "afgpQu"),
        ["mjobctl", "-q", "starttime", name], ["showstate"], ["showgrid", "JOBCOUNT"]])
    allowed = None
    if words[0] in world.RIGHTS and words[0] != "checkjob":
        allowed = s.may(words[0])
    elif words[0] == "checkjob" and job:
        allowed = s.may("checkjob", job)
    return Act(s.who, words, allowed, asks=True)


ACTS = ([cancel] * 4 + [hold] * 3 + [release] * 4 + [system_priority] * 2 + [user_priority]
        + [qos] * 2 + [run] * 2 + [suspend] * 2 + [resume] * 2 + [requeue] * 2 + [modify] * 3
        + [deadline] + [reserve] * 4 + [release_reservation] * 2 + [change_reservation] * 2
        + [change_parameter] * 2 + [reset_statistics] + [ask] * 12)
