# SPDX-License-Identifier: Apache-2.0
"""A recorded session done again in the simulation: the same jobs at the same instants from
a trace, the same commands by the same people. What both tell has to be the same."""
import re

from driven import Simulated

# Measured, or of processes: a simulation has none.
JOB_FIELDS = (
    "state", "shown_state", "section", "user", "group", "account", "class", "qos", "procs",
    "nodes", "wclimit_s", "submit_at", "queue_at", "start_at", "end_at", "remaining_s",
    "priority", "system_priority", "user_priority", "xfactor", "partition", "holds",
    "hold_reason", "hold_text", "defer_until", "defer_count", "reservation_at", "allocation",
    "reason", "bypass", "start_count", "preempt_count", "suspended_s", "backfilled",
    "preemptible", "soft_violation", "flags", "requests", "release_at", "deadline_at",
    "dependencies", "eligible_s", "pe")
RESERVATION_FIELDS = ("type", "state", "job_state", "start_at", "end_at", "nodes", "tasks",
                      "places", "acl", "flags", "procs", "per_task", "user")
NODE_FIELDS = ("dedicated", "jobs", "reservations", "configured")


class Difference(AssertionError):
    pass


def trace_line(job):
    """A record of a workload trace: what the simulation knows of a job."""
    none = "[NONE]"
    start = job["at"]
    fields = [
        job["id"], job["nodes"], job["tasks"], job["user"], job["group"], job["wclimit"],
        "Completed", f"[{job['class'] or 'DEFAULT'}:1]", job["at"], start, start,
        start + job["run"], none, none, none, ">=", "0M", ">=", "0M",
        "".join(f"[{f}]" for f in job["features"]) or none, job["at"], job["tasks"],
        job["tpn"] or -1, job["qos"] or none, "[RESTARTABLE]", job["account"] or none, none,
        none, -1, "0.00", "DEFAULT", 1, "0M", "0M", "0M", 0, 0, none, none,
        ":".join(job["hosts"]) or none, none, none, none, none]
    return " ".join(map(str, fields))


def workload(jobs, far):
    """All of them, and one at the end of days, which keeps the simulation going."""
    last = dict(id="999999", nodes=0, tasks=1, user="nobody", group="nogroup", wclimit=60,
                at=far, run=60, features=(), tpn=0, qos=None, account=None, hosts=())
    return "VERSION 230\n" + "".join(
        trace_line({"class": None, **j}) + "\n" for j in (*jobs, last))


def _differences(what, name, fields, live, twin):
    for field in fields:
        if field == "allocation" and live.get("state") == "Idle":
            continue  # where it ran before it was requeued
        if live.get(field) != twin.get(field):
            yield f"{what} {name}: {field}: live {live.get(field)}, simulated {twin.get(field)}"


def _sorted(record):
    """Lists of names without an order of their own, in one."""
    return {k: sorted(v, key=str) if k in ("jobs", "reservations") else v
            for k, v in record.items()}


def differences(live, twin, apart, unlike):
    """Between two snapshots; `apart`: jobs that were never in the trace, `unlike`: fields
    that may differ."""
    for what, fields in (("jobs", JOB_FIELDS), ("reservations", RESERVATION_FIELDS),
                         ("nodes", NODE_FIELDS)):
        one, other = ({k: _sorted(v) for k, v in side[what].items() if k not in apart}
                      for side in (live, twin))
        for name in sorted(set(one) ^ set(other)):
            side = "simulated" if name in other else "live"
            yield f"{what[:-1]} {name} is there only {side}: {one.get(name) or other.get(name)}"
        for name in sorted(set(one) & set(other)):
            yield from _differences(what[:-1], name, [f for f in fields if f not in unlike],
                                    one[name], other[name])


def _plain(text):
    """Without what tells the two apart in any case."""
    text = re.sub(r"/tmp/maui-\w+", "HOME", text)
    text = re.sub(r"(?m)^NOTE: +scheduling is stopped until .*; the order and .*\n", "",
                  text)  # of a simulation that stands still nobody needs to be told
    text = re.sub(r"Load: +[\d.]+", "", text)  # there are no processes
    text = re.sub(r"(?m)^(State: .*\(in current state for|Expected State:).*\n", "",
                  text)  # as the resource manager has it, and since when it does
    return re.sub(r"(?m)^(IWD|Messages|Utilized  *Resources|Max Utilized Memory|"
                  r"Average Utilized Procs):.*\n", "", text)


def play(program, session):
    """Raises Difference at the first instant where the simulation and the recorded
    session part. Returns how many instants and commands were compared."""
    recording = session.recording
    first = recording.begin_at
    twin = Simulated(program, session.world.config, recording.machine,
                     workload(recording.jobs, first + 10**8), first)
    compared = [0, 0]
    try:
        twin.begin()
        for entry in recording.entries[:recording.alike]:
            _do(twin, entry, recording, compared)
            compared[entry.words is not None] += 1
    except Exception:
        session.story.append("# --- log of the simulation\n" + twin.log()[-3000:])
        raise
    finally:
        twin.clean()
    return compared


def _do(twin, entry, recording, compared):
    if entry.words is None:
        twin.iterate()
    else:
        told = twin.command(entry.who, entry.words)
        for name, ours, theirs in zip(("exit status", "output", "errors"), entry.told, told):
            if name != "exit status" and recording.apart:
                continue  # lists tell of those that the simulation does not know
            one, other = _plain(str(ours)), _plain(str(theirs))
            if entry.words[0] in ("diagnose", "showres", "checkjob"):
                one, other = (sorted(sorted(line.split()) for line in t.splitlines())
                              for t in (one, other))  # equals come as they were first met
            if one != other:
                raise Difference(f"{entry}: {name}:\n--- live\n{ours}\n--- simulated\n{theirs}")
    unlike = {"reason"} if entry.words else set()  # numbers of the last cycle
    found = list(differences(entry.snapshot, twin.snapshot(), recording.apart, unlike))
    if found:
        raise Difference(f"{entry}, after {compared[0]} instants and {compared[1]} commands:\n"
                         + "\n".join(found[:40]))
