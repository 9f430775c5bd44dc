# SPDX-License-Identifier: Apache-2.0
"""What does the search for a plan buy? A log replayed with a configuration, beside EASY
backfill in the same order of priority; 2 % of the jobs at both ends are left out.

    bench/search.py LOG.swf.gz ...                          examples/promises.cfg
    bench/search.py --policy examples/bands.cfg LOG ...     with the priorities of a site

With --policy one job in ten is drawn as high, two as low, and each belongs to one of four
groups. The draw and the schedules, and so the figures, are the same on every machine.
docs/studies.md says what they show.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAUI = pathlib.Path(os.environ.get("MAUI_BUILD", ROOT / "build" / "bench")) / "src/client/maui"
GROUP, QOS = 4, 23  # columns of a Maui workload trace
EDGE = 0.02


def draw_credentials(trace):
    """Each job of the trace has a group and a QOS."""
    draw = random.Random(19)
    lines = []
    for line in trace.read_text().splitlines():
        words = line.split(" ")
        if words[0].isdigit():
            words[GROUP] = draw.choice(("red", "green", "blue", "grey"))
            level = draw.choices(("high", "normal", "low"), (10, 70, 20))[0]
            words[QOS] = f"{level}:{level}"
        lines.append(" ".join(words))
    trace.write_text("\n".join(lines) + "\n")


def levels_of(trace):
    rows = (line.split(" ") for line in trace.read_text().splitlines())
    return {row[0]: row[QOS].partition(":")[0] for row in rows if row[0].isdigit()}


def simulate(*words):
    subprocess.run([str(word) for word in (MAUI, "sim", *words)], check=True,
                   stdout=subprocess.DEVNULL)


def replay(folder, workload, config, edge=EDGE):
    """The jobs, by submission, as (id, wait, run); and the simulator's figures, with the
    processor time that it took in seconds."""
    out, stats = folder / "jobs", folder / "stats"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    simulate(*workload, "-c", config, "--jobs-out", out, "--stats-json", stats)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = [line.split("\t") for line in out.read_text().splitlines()[1:]]
    rows.sort(key=lambda row: int(row[1]))
    edge = int(len(rows) * edge)
    jobs = [(row[0], int(row[2]) - int(row[1]), int(row[3]) - int(row[2]))
            for row in rows[edge:len(rows) - edge]]
    told = json.loads(stats.read_text())
    told["spent_s"] = sum(getattr(after, k) - getattr(before, k)
                          for k in ("ru_utime", "ru_stime"))
    return jobs, told


def figures(jobs, levels):
    waits = sorted(wait for _, wait, _ in jobs)
    found = {"slowdown": sum(max(1, (w + r) / max(r, 10)) for _, w, r in jobs) / len(jobs),
             "wait": sum(waits) / len(waits), "p95": waits[int(len(waits) * 0.95)],
             "p99": waits[int(len(waits) * 0.99)], "longest": waits[-1]}
    for level in sorted(set(levels.values())):
        some = [wait for job, wait, _ in jobs if levels[job] == level]
        found[level] = sum(some) / len(some)
    return found


def easy_of(config, folder):
    """The same order of priority, by EASY backfill."""
    drop = ("BACKFILLPOLICY", "PLAN", "PROMISE")
    lines = [line for line in config.read_text().splitlines() if not line.startswith(drop)]
    path = folder / "easy.cfg"
    path.write_text("\n".join(lines) + "\nBACKFILLPOLICY FIRSTFIT\nBACKFILLTYPE QUEUEORDER\n"
                    "RESERVATIONPOLICY CURRENTHIGHEST\nRESERVATIONDEPTH 1\n")
    return path


def compare(log, config, draw, folder):
    workload, levels = ("--trace", log, "--overrun", "extend"), {}
    if draw:
        trace = folder / "log.trace"
        simulate(*workload, "-c", config, "--trace-out", trace, "--until", "+1")
        draw_credentials(trace)
        levels = levels_of(trace)
        workload = ("--trace", trace, "--overrun", "extend")
    easy, before = replay(folder, workload, easy_of(config, folder))
    plan, told = replay(folder, workload, config)
    base, got = figures(easy, levels), figures(plan, levels)
    told["utilization_before"] = before["utilization_window"]
    return {key: got[key] / base[key] for key in got}, told


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--policy", type=pathlib.Path, metavar="FILE")
    words.add_argument("log", nargs="+", type=pathlib.Path)
    args = words.parse_args()
    config = args.policy or ROOT / "examples" / "promises.cfg"
    for log in args.log:
        with tempfile.TemporaryDirectory() as folder:
            ratios, told = compare(log, config, args.policy, pathlib.Path(folder))
        print(log.name, *(f"{key} {ratio:.3f}" for key, ratio in ratios.items()),
              f"busy {told['utilization_window']:.1%} for {told['utilization_before']:.1%}",
              f"broken promises {told['broken_promises']} ({told['spent_s']:.0f} s)",
              flush=True)


if __name__ == "__main__":
    sys.exit(main())
