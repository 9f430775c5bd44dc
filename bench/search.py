# SPDX-License-Identifier: Apache-2.0
"""What does the search for a plan buy? A log replayed with a configuration, beside EASY
backfill in the same order of priority; 2 % of the jobs at both ends are left out.

    bench/search.py LOG.swf.gz ...                          examples/promises.cfg
    bench/search.py --policy examples/bands.cfg LOG ...     with the priorities of a site
    bench/search.py --maxproc 0.25 LOG.swf.gz ...           no user may use more of the machine
    bench/search.py --reservations LOG.swf.gz ...   hours for maintenance, nodes for a group
    bench/search.py --plot LOG.swf.gz ...                   docs/plots/search.tsv and .svg

LOG@0.6 is a log whose submissions are nearer to one another, at 0.6 of their distances.
With --policy one job in ten is drawn as high, two as low, and each belongs to one of four
groups. With --maxproc, jobs wider than what a user may have belong to one who is not limited,
as they would never start otherwise; both schedules have the limit, and the cost of a plan is
the default one, in which short jobs count more. With --reservations the machine is kept for
maintenance on Tuesdays from 6 to 10, and a quarter of the nodes on weekdays from 8 to 18 for
one of four groups, which are drawn; the cost is the default one, too. With --first 12000 no more jobs of the log
are taken. The draw and the schedules, and so the figures, are the same on every machine.
docs/studies.md says what they show.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAUI = pathlib.Path(os.environ.get("MAUI_BUILD", ROOT / "build" / "bench")) / "src/client/maui"
GROUP, QOS = 4, 23  # columns of a Maui workload trace
SUBMITTED, USED, ASKED, USER, GROUP_OF_SWF = 1, 4, 7, 11, 12  # of SWF
UNLIMITED = "99999"  # whose jobs are wide
OF_THE_TAIL = ("PLANWAITEXPONENT", "PLANSHORTEXPONENT", "PROMISESLACKSHARE")
EDGE = 0.02
PLOTTED = ("slowdown", "wait", "p99", "longest")


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


def open_log(log):
    return gzip.open(log, "rt", errors="replace") if log.suffix == ".gz" else log.open()


def hasten(log, factor, folder):
    """The log with each submission at so much of its distance from the first second."""
    lines = []
    for line in open_log(log):
        words = line.split()
        if words and words[0].isdigit():
            words[SUBMITTED] = str(int(int(words[SUBMITTED]) * factor))
        lines.append(" ".join(words))
    hastened = folder / "log.swf"
    hastened.write_text("\n".join(lines) + "\n")
    return hastened


def limit_users(log, share, config, folder):
    """The log, and the configuration in which a user may have no more than that share of the
    processors active, but for one, to whom all jobs belong that are wider."""
    lines, most = [], 0
    for line in open_log(log):
        words = line.split()
        if line.startswith("; MaxProcs:"):
            most = int(int(words[-1]) * share)
        if words and words[0].isdigit() and max(int(words[USED]), int(words[ASKED])) > most:
            words[USER] = UNLIMITED
        lines.append(" ".join(words))
    owned, limited = folder / "owned.swf", folder / "limited.cfg"
    owned.write_text("\n".join(lines) + "\n")
    kept = [row for row in config.read_text().splitlines() if not row.startswith(OF_THE_TAIL)]
    limited.write_text("\n".join([*kept, f"USERCFG[DEFAULT] MAXPROC={most}",
                                  f"USERCFG[user{UNLIMITED}] MAXPROC=1000000"]) + "\n")
    return owned, limited


RESERVATIONS = """
SRCFG[repair] PERIOD=WEEK STARTTIME=2:06:00:00 ENDTIME=2:10:00:00 DEPTH=3 HOSTLIST=^n
SRCFG[day] PERIOD=DAY DAYS=Mon,Tue,Wed,Thu,Fri STARTTIME=8:00:00 ENDTIME=18:00:00 DEPTH=7
SRCFG[day] GROUPLIST=group1 HOSTLIST="""


def reserve_nodes(log, config, folder):
    """The log, each job of which belongs to one of four groups, and the configuration with
    reservations."""
    draw, lines, most = random.Random(19), [], 0
    for line in open_log(log):
        words = line.split()
        if line.startswith("; MaxProcs:"):
            most = int(words[-1])
        if words and words[0].isdigit():
            words[GROUP_OF_SWF] = str(draw.randint(1, 4))
        lines.append(" ".join(words))
    owned, reserved = folder / "groups.swf", folder / "reserved.cfg"
    owned.write_text("\n".join(lines) + "\n")
    kept = [row for row in config.read_text().splitlines() if not row.startswith(OF_THE_TAIL)]
    hosts = ",".join(f"n{i}" for i in range(1, most // 4 + 1))
    reserved.write_text("\n".join(kept) + RESERVATIONS + hosts + "\n")
    return owned, reserved


def compare(log, config, args, folder):
    workload, levels = ["--trace", log, "--overrun", "extend"], {}
    if args.first:
        workload += ["--jobs", args.first]
    if args.policy:
        trace, told = folder / "log.trace", folder / "told"
        simulate(*workload, "-c", config, "--trace-out", trace, "--until", "+1",
                 "--stats-json", told)
        draw_credentials(trace)
        levels = levels_of(trace)
        nodes = json.loads(told.read_text())["procs"]  # a workload trace does not say it
        workload = ["--trace", trace, "--nodes", nodes, "--overrun", "extend"]
    easy, before = replay(folder, workload, easy_of(config, folder))
    plan, told = replay(folder, workload, config)
    base, got = figures(easy, levels), figures(plan, levels)
    told["utilization_before"] = before["utilization_window"]
    return {key: got[key] / base[key] for key in got}, told


def short_name(log):
    """KTH-SP2 of KTH-SP2-1996-2.swf.gz."""
    return re.split(r"-[12]\d\d\d|\.", log.name)[0]


def plot(rows):
    lines = ["\t".join(("workload", *PLOTTED))]
    lines += ["\t".join((short_name(log), *(f"{ratios[key]:.3f}" for key in PLOTTED)))
              for log, ratios in rows]
    (ROOT / "docs" / "plots" / "search.tsv").write_text("\n".join(lines) + "\n")
    if not shutil.which("gnuplot"):
        sys.exit("search: no gnuplot (Debian: gnuplot-nox); no plot")
    subprocess.run(["gnuplot", "bench/search.gp"], cwd=ROOT, check=True)
    svg = ROOT / "docs" / "plots" / "search.svg"
    # Without the program's version the same figures are the same file.
    svg.write_text(re.sub(r"<(title|desc)>.*</\1>\n", "", svg.read_text()))


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--policy", type=pathlib.Path, metavar="FILE")
    words.add_argument("--maxproc", type=float, metavar="SHARE")
    words.add_argument("--reservations", action="store_true")
    words.add_argument("--first", type=int, metavar="JOBS")
    words.add_argument("--plot", action="store_true")
    words.add_argument("log", nargs="+", metavar="LOG[@FACTOR]")
    args = words.parse_args()
    config = args.policy or ROOT / "examples" / "promises.cfg"
    rows = []
    for word in args.log:
        log, _, factor = word.partition("@")
        log = pathlib.Path(log)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            used = hasten(log, float(factor), folder) if factor else log
            asked = config
            if args.maxproc:
                used, asked = limit_users(used, args.maxproc, config, folder)
            if args.reservations:
                used, asked = reserve_nodes(used, asked, folder)
            ratios, told = compare(used, asked, args, folder)
        rows.append((log, ratios))
        print(log.name, *(f"{key} {ratio:.3f}" for key, ratio in ratios.items()),
              f"busy {told['utilization_window']:.1%} for {told['utilization_before']:.1%}",
              f"broken promises {told['broken_promises']} ({told['spent_s']:.0f} s)",
              flush=True)
    if args.plot:
        plot(rows)


if __name__ == "__main__":
    sys.exit(main())
