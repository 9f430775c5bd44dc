# SPDX-License-Identifier: Apache-2.0
"""How many waiting jobs should have a reservation? RESERVATIONDEPTH from 1 (EASY) to
all (conservative) on public logs and a generated workload, as they are and at a raised
load: a table, docs/plots/depth.tsv, and with gnuplot docs/plots/depth-*.svg.

docs/studies.md says what the numbers show. The schedules, and so the numbers, are
the same on every machine.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAUI = ROOT / "build" / "bench" / "src" / "client" / "maui"
TRACES = pathlib.Path(os.environ.get("MAUI_SHARED", ROOT.parent / "shared")) / "traces"
PLOTS = ROOT / "docs" / "plots"

DEPTHS = (1, 2, 4, 8, 32, "all")
ALL = 1000000  # deeper than any queue
RAISED = 1.1  # more work than the machine can do: what it gets done tells how it packs

# name: options that make the workload and the machine
WORKLOADS = {
    "SDSC-SP2": ("--trace", TRACES / "SDSC-SP2-1998-4.2-cln.swf.gz", "--nodes", "128"),
    "KTH-SP2": ("--trace", TRACES / "KTH-SP2-1996-2.swf.gz", "--nodes", "100"),
    "lublin_256": ("--trace", TRACES / "lublin_256.swf.gz", "--nodes", "256"),
    "generated": ("--generate", "365d", "--nodes", "256", "--seed", "1", "--load", "0.95"),
}
COLUMNS = ("workload", "load", "depth", "jobs", "busy", "wait_mean_h", "wait_p99_h",
           "bsld_mean", "backfilled")


def configuration(folder, depth):
    """examples/easy.cfg with another depth."""
    text = (ROOT / "examples" / "easy.cfg").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("RESERVATIONDEPTH")]
    path = folder / f"depth-{depth}.cfg"
    path.write_text("\n".join(lines) + f"\nRESERVATIONDEPTH {ALL if depth == 'all' else depth}\n")
    return path


def replay(folder, options, depth, raised):
    words = [MAUI, "sim", *options, "-c", configuration(folder, depth), "--format", "json"]
    if raised:  # the last --load counts
        words += ["--load", RAISED]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"depth: failed: {' '.join(map(str, words))}\n{done.stderr}")
    return json.loads(done.stdout)


def row(name, raised, depth, stats):
    return (name, f"{RAISED}" if raised else "own", str(depth), stats["jobs"],
            f"{100 * stats['utilization_window']:.1f}", f"{stats['mean_wait_s'] / 3600:.2f}",
            f"{stats['p99_wait_s'] / 3600:.1f}", f"{stats['mean_bsld']:.1f}",
            f"{100 * stats['backfilled'] / stats['jobs']:.0f}")


def measure():
    print("Busy: processors in use while jobs came, %. Waits in hours. Slowdown bounded at"
          "\n10 s. By backfill: % of the jobs.\n")
    print("| workload | load | depth | busy | mean wait | p99 wait | mean slowdown |"
          " by backfill |\n|---|---|---|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for name, options in WORKLOADS.items():
            if options[0] == "--trace" and not options[1].exists():
                print(f"depth: SKIPPED {name}: no {options[1]} (set MAUI_SHARED)", file=sys.stderr)
                continue
            for raised in (False, True):
                for depth in DEPTHS:
                    found = row(name, raised, depth,
                                replay(pathlib.Path(tmp), options, depth, raised))
                    rows.append(found)
                    print("| " + " | ".join(map(str, found[:3] + found[4:])) + " |", flush=True)
    return rows


def promised(path):
    """(told at, start told) of each job's first reservation."""
    told = {}
    with open(path) as lines:
        for line in lines:
            if '"event":"reserve"' in line:
                event = json.loads(line)
                told.setdefault(event["job"], (event["time"], event["start"]))
    return told


def promises():
    """At their own load: who is told a start, and is it kept?"""
    print("\nOf the jobs that waited: told a start when submitted, told before they started,"
          "\nstarted later than first told; and how much earlier all that were told start on"
          "\naverage.\n\n| workload | depth | waited | told at once | told | later | earlier by |"
          "\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as tmp:
        events, jobs = f"{tmp}/events", f"{tmp}/jobs"
        for name, options in WORKLOADS.items():
            if options[0] == "--trace" and not options[1].exists():
                continue
            for depth in DEPTHS:
                more = ("--events-out", events, "--jobs-out", jobs)
                replay(pathlib.Path(tmp), options + more, depth, False)
                told = promised(events)
                rows = [line.split("\t") for line in pathlib.Path(jobs).read_text().splitlines()]
                waited = {row[0]: (int(row[1]), int(row[2])) for row in rows[1:]
                          if row[1] != row[2]}
                known = [(told[job], *when) for job, when in waited.items() if job in told]
                at_once = sum(at == submit for (at, _), submit, _ in known)
                later = sum(start > promise for (_, promise), _, start in known)
                sooner = sum(promise - start for (_, promise), _, start in known)
                print(f"| {name} | {depth} | {len(waited)} |"
                      f" {100 * at_once / len(waited):.0f} % | {100 * len(known) / len(waited):.0f} % |"
                      f" {100 * later / len(waited):.1f} % | {sooner / 3600 / len(known):.1f} h |",
                      flush=True)


def write(rows):
    PLOTS.mkdir(parents=True, exist_ok=True)
    with open(PLOTS / "depth.tsv", "w") as out:
        for found in [COLUMNS, *rows]:
            print(*found, sep="\t", file=out)


def plot(rows):
    """Each figure relative to depth 1, one plot for each load."""
    if not shutil.which("gnuplot"):
        print("depth: no gnuplot (Debian: gnuplot-nox); no plots", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as tmp:
        for name in sorted({found[0] for found in rows}):
            for load in ("own", str(RAISED)):
                mine = [found for found in rows if found[:2] == (name, load)]
                with open(f"{tmp}/{name}-{load}", "w") as out:
                    for place, found in enumerate(mine):
                        ratios = [float(found[k]) / float(mine[0][k]) for k in (4, 5, 6, 7)]
                        print(place, found[2], *ratios, file=out)
        subprocess.run(["gnuplot", "-e", f"in='{tmp}/'; raised='{RAISED}'",
                        str(ROOT / "bench" / "depth.gp")], check=True, cwd=ROOT)
    for path in PLOTS.glob("depth-*.svg"):
        # without the date and the program's version the same figures are the same file
        path.write_text("".join(line for line in path.read_text().splitlines(True)
                                if not line.startswith(("<title>", "<desc>"))))


def main():
    parser = argparse.ArgumentParser(
        prog="bench/run.sh depth", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", action="store_true",
                        help="only draw the plots again from docs/plots/depth.tsv")
    if parser.parse_args().plot:
        lines = (PLOTS / "depth.tsv").read_text().splitlines()[1:]
        plot([tuple(line.split("\t")) for line in lines])
        return
    rows = measure()
    write(rows)
    plot(rows)
    promises()


if __name__ == "__main__":
    main()
