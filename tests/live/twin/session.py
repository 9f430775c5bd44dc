# SPDX-License-Identifier: Apache-2.0
"""A random session from a seed: several people at a live daemon whose clock is driven.
What is asked follows from the seed and from what was there; all of it is recorded."""
import os
import pwd
import random
import shlex

import world
from acts import ACTS, Scene
from driven import Live, Person

BEGIN = 1893456000  # 2030-01-01
USUAL = (("root", 1), ("bin", 2), ("daemon", 3), ("nobody", 0), ("games", 0))


def people():
    """As root several, else whoever runs this is everybody."""
    if os.geteuid() == 0:
        return [Person(*who) for who in USUAL]
    return [Person(pwd.getpwuid(os.geteuid()).pw_name, 1)]


class Violation(AssertionError):
    pass


class Entry:
    """A cycle, or a command with what it told; and what there was behind it."""

    def __init__(self, at, snapshot, restarts, who=None, words=None, told=None):
        self.at, self.who, self.words, self.told = at, who, words, told
        self.snapshot, self.restarts = snapshot, restarts

    def __str__(self):
        if self.words is None:
            return f"the cycle at {self.at - BEGIN} s"
        return f"{self.who.name} at {self.at - BEGIN} s: {shlex.join(self.words)}"


class Recording:
    def __init__(self):
        self.begin_at, self.machine, self.jobs, self.entries = BEGIN, "", [], []
        self.apart = set()  # jobs that the simulation is not told of
        self.alike = None   # so many entries are the simulation's; None: all

    def part(self):
        """From here on a job needs time to leave its nodes: in a simulation none does."""
        if self.alike is None:
            self.alike = len(self.entries)


class Job:
    """What is known of a job of ours: when it will end by itself."""

    def __init__(self, tag, owner, run, stubborn):
        self.tag, self.owner, self.run, self.stubborn = tag, owner, run, stubborn
        self.left, self.end, self.state, self.over = run, None, "Idle", False

    def observe(self, state, now):
        if state == "Running" and self.state != "Running":
            self.end = now + self.left
        elif state == "Suspended" and self.state == "Running":
            self.left = max(self.end - now, 1)
        elif state in ("Idle", "Hold", "Starting"):
            self.left, self.end = self.run, None
        self.state = state


class Session:
    """drop: numbers of acts that are left out, to see what a failure needs. without: names
    of acts that nobody does."""

    def __init__(self, program, seed, instants=25, drop=(), without=()):
        self.program, self.seed, self.instants = str(program), seed, instants
        self.drop, self.without, self.number = set(drop), set(without), 0
        self.dice = random.Random(seed)
        self.people = people()
        self.world = world.World(random.Random(f"{seed} world"), self.people)
        self.recording = Recording()
        self.forges = self.dice.random() < 0.3
        self.slow = self.dice.random() < 0.4  # jobs may be slow to leave their nodes
        self.jobs = {}
        self.ordered = set()  # jobs started by order; limits may be exceeded by them
        self.story = [f"# seed {seed}", "cat >maui.cfg <<END", self.world.config + "END"]
        self.live = None
        self.now = BEGIN
        self.snapshot = None
        self.commands = self.restarts = 0

    def die(self, what):
        """Dice of the next act alone: leaving one out changes no other."""
        self.number += 1
        if self.number in self.drop:
            return None
        return random.Random(f"{self.seed} {what} {self.number}")

    # ---- looking ----

    def look(self):
        """What there is, after everything has come to rest; complains of what may not be."""
        live = self.live
        for id in live.pending() - live.leaving:
            job = self.jobs.get(id)
            if job and job.stubborn and live.state(id) != "Suspended":
                live.finish(job.tag, 0, lambda i=id: i in live.pending())
        live.settle()
        snapshot = live.snapshot()
        for id, job in self.jobs.items():
            if id in snapshot["jobs"]:
                job.observe(snapshot["jobs"][id]["state"], self.now)
            elif not job.over:
                job.over = True
                self.tell(f"# job {id} is over")
                if id not in self.accounted():
                    raise Violation(f"job {id} was acknowledged, and nobody knows of it")
        found = world.violations(self.world, snapshot) if not live.leaving else []
        if found:
            raise Violation("\n".join(found))
        return snapshot

    def accounted(self):
        return [r["id"] for r in self.live.records("/v1/accounting") if "id" in r]

    def tell(self, line):
        self.story.append(line)

    # ---- what happens ----

    def run(self):
        self.live = live = Live(self.program, self.world.config, BEGIN)
        try:
            live.begin()
            live.wait(lambda: len(live.records("/v1/nodes")) == len(self.world.procs), "nodes")
            self.recording.machine = live.ok("schedctl", "-n")
            self.snapshot = live.snapshot()
            for instant in range(self.instants):
                self.instant(BEGIN + instant * self.world.poll)
            self.end()
        except Exception as e:
            self.tell(f"# --- log of the daemon\n{self.log()}")
            raise type(e)(f"{e}") from e
        finally:
            live.clean()

    def log(self):
        try:
            return self.live.log()[-4000:]
        except OSError:
            return ""

    def instant(self, at):
        dice = random.Random(f"{self.seed} instant {at}")
        self.now = at
        self.live.move(at)
        self.tell(f"# {at - BEGIN} s")
        self.finish_due()
        for _ in range(dice.choice([0, 0, 1, 1, 2, 3])):
            self.submit()
        self.cycle()
        for _ in range(dice.choice([0, 1, 1, 2, 3])):
            self.act()
        if dice.random() < 0.1:
            self.restart(dice.choice(["stop", "kill"]))

    def finish_due(self):
        due = [(j.end, i) for i, j in self.jobs.items()
               if j.state == "Running" and not j.over and j.end <= self.now]
        for _, id in sorted(due):
            job = self.jobs[id]
            self.tell(f"# the script of job {id} ends")
            self.live.finish(job.tag, 0, lambda i=id: self.live.job(i) is not None)
            self.live.wait(lambda i=id: self.live.state(i) in (None, "Completed"),
                           f"the end of job {id}")
            job.over = True

    def submit(self):
        dice = self.die("submit")
        if not dice:
            return
        who, w = dice.choice(self.people), self.world
        run = w.poll * dice.randint(1, 10)
        request = dict(user=who.name, group=who.group, at=self.now, run=run,
                       wclimit=run + w.poll * dice.choice([0, 1, 5, 20]), features=[],
                       hosts=[], nodes=0, tpn=0, account=None, qos=None)
        request["class"] = None
        if dice.random() < 0.5:
            request["tasks"] = dice.randint(1, min(4, sum(w.procs.values())))
            wanted = [f"procs={request['tasks']}"]
        else:
            nodes, ppn = dice.randint(1, len(w.procs)), dice.randint(1, 2)
            while nodes * ppn > sum(w.procs.values()):
                nodes -= 1
            request |= dict(nodes=nodes, tpn=ppn, tasks=nodes * ppn)
            wanted = [f"nodes={nodes}:ppn={ppn}"]
        if dice.random() < 0.15:
            request["features"] = [dice.choice(world.FEATURES)]
            wanted.append(f"feature={request['features'][0]}")
        wanted.append(f"walltime={request['wclimit']}")
        words = ["msub", "-d", "/tmp", "-o", "/dev/null", "-e", "/dev/null"]
        for letter, key, values in (("-q", "class", ("short", "long", None)),
                                    ("-A", "account", ("chem", "geo", None))):
            request[key] = dice.choice(values)
            words += [letter, request[key]] if request[key] else []
        request["qos"] = dice.choice(["low", "high", None])
        wanted += [f"qos={request['qos']}"] if request["qos"] else []
        tag = f"job{len(self.jobs)}"
        stubborn = dice.random() < 0.3
        words += ["-l", ",".join(wanted)]
        told = self.order(who, words, self.live.script(tag, stubborn))
        if told[0]:
            raise Violation(f"a submission was refused: {told}")
        id = told[1].strip()
        self.jobs[id] = Job(tag, who.name, run, stubborn)
        self.recording.jobs.append(dict(request, id=id))

    def order(self, who, words, stdin=None):
        self.commands += 1
        told = self.live.command(who, words, stdin)
        self.tell(f"{who.name}$ {shlex.join(words)}   # exit {told[0]}"
                  + (f"; its script runs {stdin.count('trap') and 'on when told to stop' or ''}"
                     if stdin else ""))
        if told[0] not in (0, 1, 2):
            raise Violation(f"exit status {told[0]}: {told}")
        return told

    def cycle(self):
        before = self.snapshot
        self.live.iterate()
        if self.live.leaving:
            self.nobody_is_put_off(before)
            self.let_go()
        self.snapshot = self.look()
        found = list(world.exceeded(self.world, before, self.snapshot, self.ordered))
        if found:
            raise Violation("\n".join(found))
        if self.preempted(before):
            self.recording.part()
        self.recording.entries.append(Entry(self.now, self.snapshot, self.restarts))

    def preempted(self, before):
        return any(j.get("preempt_count", 0) > before["jobs"].get(i, {}).get("preempt_count", 0)
                   for i, j in self.snapshot["jobs"].items())

    def act(self):
        dice = self.die("act")
        if not dice:
            return
        own = {0: self.forge if self.forges else None, 1: self.cancel_slowly if self.slow else None}.get(
            dice.randrange(8))
        if own and own.__name__ not in self.without and own(dice):
            return
        scene = Scene(dice, self.world, self.people, self.snapshot, self.recording.apart)
        kind = dice.choice(ACTS)
        act = kind.__name__ not in self.without and kind(scene)
        if not act:
            return
        told = self.order(act.who, act.words)
        before, self.snapshot = self.snapshot, self.look()
        self.recording.entries.append(
            Entry(self.now, self.snapshot, self.restarts, act.who, act.words, told))
        self.judge(act, told, before)

    def judge(self, act, told, before):
        entry = self.recording.entries[-1]
        done = told[0] == 0
        self.ordered |= {id for id, j in self.snapshot["jobs"].items()
                         if j["state"] in world.ON_NODES
                         and before["jobs"].get(id, {}).get("state") not in world.ON_NODES}
        if act.words[:2] == ["changeparam", "USERCFG[games]"] and done:
            self.world.limits = []
        if act.may is False and done:
            raise Violation(f"{entry} was done, but may not be: {told}")
        if act.may and not done:
            raise Violation(f"{entry} was refused: {told}")
        if not done and told[1] == "" and not told[2]:
            raise Violation(f"{entry} was refused without a word")
        if (not done and told[0] == 1 and "," not in "".join(act.words)) or act.asks:
            self.unchanged(entry, before)
        complaint = done and act.check and act.check(before, self.snapshot, told)
        if complaint:
            raise Violation(f"{entry}: exit 0, and yet {complaint}: {told}")

    def unchanged(self, entry, before):
        for what in ("jobs", "reservations"):
            for name in set(before[what]) | set(self.snapshot[what]):
                was, now = before[what].get(name), self.snapshot[what].get(name)
                if self.essence(was) != self.essence(now):
                    raise Violation(f"{entry} changed {what[:-1]} {name}: {was}\n-> {now}")

    @staticmethod
    def essence(record):
        """Without what goes with time, or is measured."""
        return record and {k: v for k, v in record.items()
                           if k not in ("brief", "cpu_s", "mem_used_mb", "efficiency", "usage",
                                        "reason", "used", "swap_used_mb", "disk_used_mb")}

    # ---- what only a live daemon has ----

    def cancel_slowly(self, dice):
        """A job that takes its time to go is cancelled: those who want its nodes wait, and
        are put off by nothing."""
        there = [i for i, j in self.jobs.items() if j.stubborn and j.state == "Running"
                 and not j.over and i in self.snapshot["jobs"]]
        if not there or self.live.leaving:
            return False
        id, who = dice.choice(there), self.people[0]
        self.live.leaving = {id}
        words = ["canceljob", id]
        self.tell(f"# job {id} will not go at once")
        told = self.order(who, words)
        if told[0]:
            raise Violation(f"{words}: {told}")
        self.jobs[id].over = True
        self.snapshot = self.look()
        self.recording.part()
        return True

    def nobody_is_put_off(self, before):
        for job in self.live.records("/v1/jobs"):
            was = before["jobs"].get(job.get("id"), {})
            if job.get("shown_state") == "Deferred" and was.get("shown_state") != "Deferred":
                record = self.live.job(job["id"])
                if record["hold_reason"] != "PolicyViolation" and self.fits(record):
                    raise Violation(f"while job {self.live.leaving} leaves its nodes, job "
                                    f"{job['id']} is put off: {record}")

    def fits(self, job):
        """On this machine, were it empty, beside what is reserved for good."""
        request = job["requests"][0]
        able = [(n != self.world.evening or job.get("class") == "short")
                and set(request.get("features", ())) <= set(self.world.features[n])
                and p >= (request.get("tasks_per_node") or 1)
                for n, p in self.world.procs.items()]
        runs = [[]]  # of nodes it may have together
        for ok, procs in zip(able, self.world.procs.values()):
            if ok:
                runs[-1].append(procs)
            elif "NODEALLOCATIONPOLICY CONTIGUOUS" in self.world.config:
                runs.append([])
        return any(request["tasks"] <= sum(run) and (request.get("nodes") or 1) <= len(run)
                   for run in runs)

    def let_go(self):
        for id in list(self.live.leaving):
            self.tell(f"# job {id} goes")
            self.live.finish(self.jobs[id].tag, 0, lambda i=id: i in self.live.pending())
            self.live.leaving.discard(id)

    def forge(self, dice):
        """A submission that claims to be what it is not, or says odd things. What is taken
        is to be found again; the simulation is not told of it. Administrators of level 1
        and 2 may name any group."""
        who = dice.choice([p for p in self.people if p.uid] or self.people)
        words, forged = dice.choice([
            (["-W", "group_list=root"], who.uid != 0), (["-W", "group_list=nosuch"], True),
            (["-A", "a b"], False), (["-q", "x y"], False), (["-l", "qos=a b"], False),
            (["-A", "ch\tem"], False), (["-N", "a\nb"], False), (["-A", "ünïcode"], False),
            (["-l", "qos=nowhere"], False), (["-W", "depend=afterok:99999"], False)])
        tag = f"job{len(self.jobs)}x{self.number}"
        told = self.order(who, ["msub", "-h", "-d", "/tmp", "-o", "/dev/null", "-e", "/dev/null",
                                *words], self.live.script(tag, False))
        if told[0]:
            return True
        id = told[1].strip()
        self.recording.apart.add(id)
        self.jobs[id] = Job(tag, who.name, 0, False)
        self.snapshot = self.look()
        if forged and who.level not in (1, 2):
            raise Violation(f"{who.name} is taken for another: {words}: {self.live.job(id)}")
        return True

    def restart(self, how):
        if "restart" in self.without or not self.die("restart") or self.live.leaving:
            return
        self.restarts += 1
        if "RESERVATIONPOLICY HIGHEST" in self.world.config:
            self.recording.part()  # what is kept may be foreseen on other nodes than before
        running = [i for i, j in self.jobs.items() if j.state == "Running" and not j.over]
        live = self.live
        self.tell(f"# the daemon: {how}")
        live.stop() if how == "stop" else live.kill()
        live.begin()
        # at once: what was acknowledged is in force when anything is answered
        first = {r["name"] for r in live.records("/v1/reservations")}
        lost = {n for n, r in self.snapshot["reservations"].items()
                if r["type"] != "Job" and not n.startswith(("evening.", "mine."))} - first
        if lost:
            raise Violation(f"the first answer after a restart does not know of {lost}")
        live.wait(lambda: all(live.job(i) for i in running), "what ran", 30)
        before, self.snapshot = self.snapshot, self.look()
        for name in set(before["reservations"]) & set(self.snapshot["reservations"]):
            was, now = (s["reservations"][name] for s in (before, self.snapshot))
            if was["type"] != "Job" and was.get("places") != now.get("places"):
                raise Violation(f"a restart ({how}) moved reservation {name}: {was}\n-> {now}")
        for id in set(before["jobs"]) | set(self.snapshot["jobs"]):
            was, now = (self.kept(s["jobs"].get(id)) for s in (before, self.snapshot))
            if was != now:
                raise Violation(f"a restart ({how}) changed job {id}: {was}\n-> {now}")

    def kept(self, job):
        """What a restart leaves as it was."""
        where = job and job["state"] in (*world.ON_NODES, "Suspended") and "allocation"
        # of others it is found anew in each cycle
        kept = "RESERVATIONPOLICY HIGHEST" in self.world.config and "reservation_at"
        left = [d for d in job and job.get("dependencies") or ()
                if d.split(":")[1] not in self.jobs or not self.jobs[d.split(":")[1]].over]
        return job and {"left": left} | {k: job.get(k) for k in (where, kept,
            "user", "group", "account", "class", "qos", "name", "state", "holds", "rm_holds",
            "system_priority", "user_priority", "wclimit_s", "submit_at", "start_at",
            "requests", "flags", "defer_until", "defer_count", "deadline_at",
            "start_count", "preempt_count")}

    def end(self):
        """Each job that is over has one row of accounting; the journal does it all again."""
        self.let_go()
        self.look()
        rows = self.accounted()
        twice = {i for i in rows if rows.count(i) > 1}
        missing = {i for i, j in self.jobs.items() if j.over} - set(rows)
        if twice or missing:
            raise Violation(f"accounted twice: {twice}; not at all: {missing}")
        self.live.stop()
        done = self.live.run("replay", "--verify")
        if done.returncode:
            raise Violation(f"the journal decides otherwise: {done.stdout[-2000:]}")
