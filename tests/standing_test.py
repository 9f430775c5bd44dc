# SPDX-License-Identifier: Apache-2.0
"""The examples of standing reservations keep what they promise, job by job, in a
simulated month. Trace time 0 is the midnight that begins a Friday."""
import json
import pathlib
import re
import typing

import pytest

pytestmark = pytest.mark.anybody

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "standing"
EXAMPLES = sorted(FOLDER.glob("*.cfg"))
HOUR, DAY = 3600, 86400
FRIDAY = 5  # Sunday is 0


class Job(typing.NamedTuple):
    user: str
    group: str
    account: str
    job_class: str
    start: int
    end: int
    procs: dict  # by number of the node


def nodes_of(event):
    """{7: 2, 8: 2}: tasks, which have one processor here, by number of the node."""
    procs = {}
    for run in event["nodes"]:
        first = int(run["node"][1:])
        for number in range(first, first + run["count"]):
            procs[number] = procs.get(number, 0) + run["tasks"]
    return procs


@pytest.fixture(scope="module")
def month(maui, tmp_path_factory):
    """Jobs, events and figures of the example of that name."""
    kept = {}

    def run(name):
        if name in kept:
            return kept[name]
        folder = tmp_path_factory.mktemp(name)
        done = maui("sim", "--generate", "30d", "--nodes", "64x8", "-c", FOLDER / f"{name}.cfg",
                    "--chart", "--trace-out", folder / "trace", "--jobs-out", folder / "jobs",
                    "--events-out", folder / "events", "--stats-json", folder / "stats")
        events = [json.loads(line) for line in (folder / "events").read_text().splitlines()]
        where = {event["job"]: nodes_of(event) for event in events if event["event"] == "start"}
        who = {}
        for line in (folder / "trace").read_text().splitlines():
            fields = line.split()
            if len(fields) == 44:
                who[fields[0]] = (fields[3], fields[4], fields[25], fields[7][1:].split(":")[0])
        jobs = []
        for line in (folder / "jobs").read_text().splitlines()[1:]:
            fields = line.split("\t")
            jobs.append(Job(*who[fields[0]], int(fields[2]), int(fields[3]), where[fields[0]]))
        kept[name] = jobs, events, json.loads((folder / "stats").read_text()), done.stdout
        return kept[name]

    return run


def windows(begin, end, weekdays=range(7), days=45):
    """[begin, end) seconds of each day that is one of the weekdays."""
    return [(day * DAY + begin, day * DAY + end) for day in range(days)
            if (FRIDAY + day) % 7 in weekdays]


def during(jobs, spans):
    return [job for job in jobs
            if any(job.start < end and begin < job.end for begin, end in spans)]


def on(jobs, first, last):
    return [job for job in jobs if any(first <= node <= last for node in job.procs)]


def most_at_once(jobs, spans, procs_of):
    """The largest sum of procs_of(job) at any instant of the spans."""
    most = 0
    instants = {job.start for job in jobs} | {begin for begin, _ in spans}
    for at in instants:
        if any(begin <= at < end for begin, end in spans):
            most = max(most, sum(procs_of(job) for job in jobs if job.start <= at < job.end))
    return most


def rsv(stats, name):
    return next(row for row in stats["reservations"] if row["name"] == name)


def test_there_are_five():
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize("config", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_no_finding_and_is_drawn(maui, month, config):
    done = maui("check", "-c", config)
    assert "warning" not in done.stdout + done.stderr
    _, _, stats, drawn = month(config.stem)
    assert stats["reservations"]
    for row in stats["reservations"]:
        assert row["kind"] == "standing" and row["windows"] > 0
        assert 0 < row["used_proc_hours"] <= row["proc_hours"]
        assert re.search(rf"^{row['name']} +standing +{row['windows']} ", drawn, re.M)
    assert "An average day" in drawn
    assert max(map(len, drawn.splitlines())) <= 120


def test_helpdesk_lists_are_alternatives_and_stacks_are_not(month):
    jobs, _, stats, _ = month("helpdesk")
    inside = on(jobs, 1, 4)
    assert inside and all(job.user == "user1" or job.group == "group2" for job in inside)
    interactive = during(on(jobs, 1, 2), windows(10 * HOUR, 15 * HOUR))
    assert interactive and all(job.job_class == "short" for job in interactive)
    # other classes are on n1 and n2 at other times, and on n3 and n4 at any
    assert any(job.job_class != "short" for job in on(jobs, 1, 2))
    assert rsv(stats, "debug")["windows"] == 1


def test_projects_keep_two_accounts_out_and_others_short(month):
    jobs, _, _, _ = month("projects")
    inside = on(jobs, 1, 4)
    assert {job.account for job in inside} == {"account1", "account2", "account3"}
    assert all(job.end - job.start <= 4 * HOUR for job in inside)
    assert any(job.end - job.start > 4 * HOUR for job in jobs)


def test_workdays_leave_room_for_short_jobs(month):
    jobs, _, stats, _ = month("workdays")
    others = [job for job in jobs if job.job_class != "short"]
    spans = windows(9 * HOUR, 17 * HOUR, weekdays=range(1, 6))
    assert most_at_once(others, spans, lambda job: sum(job.procs.values())) <= 512 - 16
    assert most_at_once(others, [(0, 45 * DAY)], lambda job: sum(job.procs.values())) > 512 - 16
    assert rsv(stats, "daytime")["proc_hours"] == pytest.approx(
        rsv(stats, "daytime")["windows"] * 16 * 8, rel=0.04)


def test_weekends_are_for_long_jobs(month):
    jobs, _, _, _ = month("weekend")
    spans = [(begin, begin + 60 * HOUR) for begin, _ in windows(18 * HOUR, DAY, [FRIDAY])]
    inside = during(on(jobs, 1, 39), spans)
    assert inside and all(job.job_class == "long" for job in inside)
    # some run from one reservation into the other
    midnights = [begin + 30 * HOUR for begin, _ in spans]
    assert any(job.start < midnight < job.end for job in inside for midnight in midnights)


def test_nights_are_mostly_for_one_account(month):
    jobs, events, stats, _ = month("night")
    spans = windows(0, 6 * HOUR) + windows(20 * HOUR, DAY)
    others = [job for job in on(jobs, 1, 8) if job.account != "account1"]
    for node in range(1, 9):
        assert most_at_once(others, spans, lambda job: job.procs.get(node, 0)) <= 3
    assert most_at_once(others, [(0, 45 * DAY)], lambda job: job.procs.get(1, 0)) > 3
    fired = [event for event in events if event["event"] == "trigger"]
    # once in each window, those after the last job that could run included
    assert len({event["reservation"] for event in fired}) == len(fired) == stats["triggers"]
    assert len(fired) >= rsv(stats, "evening")["windows"]
    for event in fired:
        assert event["time"] % DAY == 20 * HOUR
        assert (event["on"], event["action"]) == ("start", "exec")
        assert event["data"] == "/usr/bin/logger the night begins"
        assert event["reservation"].startswith("evening.")
