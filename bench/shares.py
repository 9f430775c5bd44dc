# SPDX-License-Identifier: Apache-2.0
"""Are shares kept when twice as much comes as the machine can do? Three weeks of a log,
whose jobs are drawn together until they ask for two machines, belong to four groups that
each send half a machine's work; their targets are 40, 30, 20 and 10 percent.

    bench/shares.py LOG.swf.gz ...

How far the share that each has of the work done lies from its target, in points, the mean
of the four, over the weeks in which, by EASY, each group has jobs waiting at every hour: by EASY in
the order of examples/shares.cfg without its bands, and by the search for a plan, which
PLANFSDOUBLE 3, 2 and 1 (with PLANFSMAX 4, 8 and 256) makes stricter. The draw and the
schedules are the same on every machine. docs/studies.md says what they show.
"""
import argparse
import gzip
import pathlib
import sys
import tempfile

import search

TARGET = {"red": 40, "green": 30, "blue": 20, "grey": 10}
WEEK = 7 * 24 * 3600
WEEKS, MACHINES = 3, 2
SUBMITTED, RUN, USED, ASKED = 1, 3, 4, 7  # of SWF
STRICT = {"no factor": (0, 4), "3 / 4": (3, 4), "2 / 8": (2, 8)}


def overload(log, folder):
    """The first jobs of the log, in three weeks; and the processors of its machine."""
    rows, procs, work = [], 0, 0
    for line in gzip.open(log, "rt", errors="replace"):
        words = line.split()
        if line.startswith("; MaxProcs:"):
            procs = int(words[-1])
        elif words and words[0].isdigit() and work < MACHINES * procs * WEEKS * WEEK:
            rows.append(words)
            work += max(int(words[USED]), int(words[ASKED]), 0) * max(int(words[RUN]), 0)
    first = int(rows[0][SUBMITTED])
    span = int(rows[-1][SUBMITTED]) - first
    for words in rows:
        words[SUBMITTED] = str((int(words[SUBMITTED]) - first) * WEEKS * WEEK // span)
    path = folder / "overload.swf"
    path.write_text("\n".join([f"; MaxProcs: {procs}"] + [" ".join(r) for r in rows]) + "\n")
    return path, procs


def without_bands(folder, lines):
    """examples/shares.cfg where each QOS is like any other."""
    given = (search.ROOT / "examples" / "shares.cfg").read_text().splitlines()
    path = folder / "shares.cfg"
    path.write_text("\n".join([line for line in given if not line.startswith(
        ("QOSWEIGHT", "PLANBANDFACTOR"))] + ["QOSWEIGHT 0", *lines]) + "\n")
    return path


def groups_of(trace):
    rows = (line.split(" ") for line in trace.read_text().splitlines())
    return {row[0]: row[search.GROUP] for row in rows if row[0].isdigit()}


def backlogged(jobs, groups, start):
    """Has each group a job that waits, at every hour of that week?"""
    for at in range(start, start + WEEK, 3600):
        waiting = {groups[j["id"]] for j in jobs if j["submit"] <= at < j["start"]}
        if len(waiting) < len(TARGET):
            return False
    return True


def shares_of(jobs, groups, weeks):
    used = dict.fromkeys(TARGET, 0)
    for job in jobs:
        for start in weeks:
            inside = min(job["end"], start + WEEK) - max(job["start"], start)
            used[groups[job["id"]]] += max(0, inside) * job["procs"]
    all_used = sum(used.values())
    return {group: 100 * used[group] / all_used for group in used}, all_used


def replay(folder, workload, config):
    out = folder / "jobs"
    search.simulate(*workload, "-c", config, "--jobs-out", out)
    names = ("id", "submit", "start", "end", "procs")
    return [dict(zip(names, (row[0], *map(int, row[1:5]))))
            for row in (line.split("\t") for line in out.read_text().splitlines()[1:])]


def tell(name, jobs, groups, weeks, procs):
    shares, used = shares_of(jobs, groups, weeks)
    off = sum(abs(shares[g] - TARGET[g]) for g in TARGET) / len(TARGET)
    slowdown = sum(max(1, (j["end"] - j["submit"]) / max(j["end"] - j["start"], 10))
                   for j in jobs) / len(jobs)
    wait = sum(j["start"] - j["submit"] for j in jobs) / len(jobs)
    print(f"{name:12} {' / '.join(f'{shares[g]:.0f}' for g in TARGET)}  deviation {off:.1f}"
          f"  busy {used / (procs * WEEK * len(weeks)):.1%}  slowdown {slowdown:.1f}"
          f"  wait {wait / 3600:.1f} h", flush=True)


def study(log, folder):
    swf, procs = overload(log, folder)
    trace = folder / "log.trace"
    plain = without_bands(folder, ())
    search.simulate("--trace", swf, "--overrun", "extend", "-c", plain, "--trace-out", trace,
                    "--until", "+1")
    search.draw_credentials(trace)
    groups = groups_of(trace)
    workload = ("--trace", trace, "--nodes", procs, "--overrun", "extend")
    easy = replay(folder, workload, search.easy_of(plain, folder))
    begin = min(job["submit"] for job in easy)
    weeks = [start for start in range(begin, begin + WEEKS * WEEK, WEEK)
             if backlogged(easy, groups, start)]
    print(f"{log.name}: {len(easy)} jobs, {len(weeks)} weeks of backlog")
    tell("EASY", easy, groups, weeks, procs)
    for name, (double, most) in STRICT.items():
        config = without_bands(folder, (f"PLANFSDOUBLE {double}", f"PLANFSMAX {most}"))
        tell(name, replay(folder, workload, config), groups, weeks, procs)


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("log", nargs="+", type=pathlib.Path, metavar="LOG")
    for log in words.parse_args().log:
        with tempfile.TemporaryDirectory() as name:
            study(log, pathlib.Path(name))


if __name__ == "__main__":
    sys.exit(main())
