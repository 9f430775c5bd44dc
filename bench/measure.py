# SPDX-License-Identifier: Apache-2.0
"""Run the benchmarks several times each, print medians, keep them as a table.

Times are of the processor (user and system), of one core: with other programs on the
machine they are longer than alone, but not by the time waited. build/bench/results.tsv
has every figure with its spread; bench/plot.sh draws it.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
MAUI = BUILD / "src" / "client" / "maui"
TRACES = pathlib.Path(os.environ.get("MAUI_SHARED", ROOT.parent / "shared")) / "traces"

# name: (file, processors)
LOGS = {
    "SDSC-SP2": ("SDSC-SP2-1998-4.2-cln.swf.gz", 128),
    "lublin_256": ("lublin_256.swf.gz", 256),
    "NASA-iPSC": ("NASA-iPSC-1993-3.1-cln.swf.gz", 128),
}
POLICIES = ("easy", "conservative")

# mode, jobs, nodes, cycles. Growth with jobs, then with nodes, then first plans.
CYCLES = (
    [("easy", jobs, 10000, 200) for jobs in (1000, 3000, 10000, 30000)]
    + [("easy", 100000, 10000, 100), ("easy", 300000, 10000, 50),
       ("easy", 1000000, 10000, 20)]
    + [("easy", 100000, nodes, 100) for nodes in (100, 300, 1000, 3000, 30000, 160000)])
PLANS = (
    [("plan", jobs, 10000, 0)
     for jobs in (1000, 3000, 10000, 30000, 100000, 300000, 1000000)]
    + [("plan", jobs, 160000, 0) for jobs in (1000, 10000, 100000, 1000000)])
# mode, jobs, nodes, cycles; each without reservations, with standing ones, with both
WALLED = [("easy", 100000, 10000, 40), *(("plan", jobs, 10000, 0)
                                         for jobs in (1000, 4000, 10000, 100000)),
          ("plan", 1000000, 160000, 0)]
RESERVED = ((0, 0), (50, 0), (50, 1000))
CHUNKS = [(mode, jobs, nodes, 40) for mode in ("chunky", "chunky10")
          for jobs, nodes in ((10000, 1000), (10000, 10000), (100000, 10000))]

WIDER = 729  # 128 * 729 = 93,312 processors


class Figures:
    """What was measured, one line for a figure."""

    COLUMNS = "part what jobs nodes figure median min max runs".split()

    def __init__(self):
        self.rows = []

    def add(self, part, what, jobs, nodes, figure, values):
        median = statistics.median(values)
        self.rows.append((part, what, jobs, nodes, figure, f"{median:.6g}",
                          f"{min(values):.6g}", f"{max(values):.6g}", len(values)))
        return median

    def write(self, path, remarks):
        """Parts that were not measured this time keep their lines."""
        done = {row[0] for row in self.rows}
        if path.exists():
            old = [line.split("\t") for line in path.read_text().splitlines()]
            self.rows = [row for row in old if row[0] != self.COLUMNS[0]
                         and not row[0].startswith("#") and row[0] not in done] + self.rows
        with open(path, "w") as out:
            print(*(f"# {remark}" for remark in remarks), sep="\n", file=out)
            for row in [self.COLUMNS, *self.rows]:
                print(*row, sep="\t", file=out)


class Ran(typing.NamedTuple):
    output: str
    cpu_s: float  # of the whole process


def run(*command):
    """Fails loudly."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([str(word) for word in command], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"bench: failed ({child.returncode}): {' '.join(map(str, command))}")
        out.seek(0)
        return Ran(out.read(), usage.ru_utime + usage.ru_stime)


def repeat(runs, once):
    """Results of `runs` runs after one that warms up the caches."""
    once()
    return [once() for _ in range(runs)]


def table(*head):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def sim(stats, config, *options):
    """One replay: the figures of --stats-json and the processor time of all of it. The
    configuration is a file, or the name of an example."""
    if not isinstance(config, pathlib.Path):
        config = ROOT / "examples" / f"{config}.cfg"
    ran = run(MAUI, "sim", "-c", config,
              "--stats-json", stats, *options)
    return json.loads(stats.read_text()) | {"process_s": ran.cpu_s}


def yardstick(policy, trace, procs):
    ran = run(BUILD / "bench" / "countonly", policy, trace, procs)
    found = re.search(r"(\d+) jobs, .* replay ([\d.]+) s", ran.output)
    return {"jobs": int(found[1]), "cpu_s": float(found[2]), "process_s": ran.cpu_s}


def peak_mb(config, *options):
    """Of a child of a shell: a child of this program starts with the peak of its own."""
    words = [str(word) for word in (MAUI, "sim", "-c", ROOT / "examples" / f"{config}.cfg",
                                    "--format", "json", *options)]
    ran = run("sh", "-c", '"$@"; exit $?', "sh", *words)
    return json.loads(ran.output)["peak_rss_kb"] / 1024


def replay_row(figures, runs, tmp, name, policy, trace, procs):
    """One log under one policy next to the yardstick, alternating with it."""
    options = ("--trace", trace, "--nodes", f"{procs}x1")
    pairs = repeat(runs, lambda: (sim(tmp / "stats.json", policy, *options),
                                  yardstick(policy, trace, procs)))
    ours, bare = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    jobs = ours[0]["jobs"]
    assert jobs == bare[0]["jobs"], "the yardstick replayed other jobs"
    peak = figures.add("replay", f"{name} {policy}", jobs, procs, "peak_mb",
                       [peak_mb(policy, *options)])
    whole, replay, whole_bare, replay_bare = (
        figures.add("replay", f"{name} {policy}{suffix}", jobs, procs, key,
                    [sample[key] for sample in samples])
        for suffix, samples in (("", ours), (" bare", bare))
        for key in ("process_s", "cpu_s"))
    line(name, f"{jobs:,}", policy, f"{whole:.3f}", f"{replay:.3f}", f"{whole_bare:.3f}",
         f"{replay_bare:.4f}", f"{whole / whole_bare:.1f}", f"{replay / replay_bare:.1f}",
         f"{peak:.0f}")


def measure_replays(figures, runs, tmp):
    print("\nReplays: processor seconds of the whole program and of the replay alone;"
          "\nbare: the same schedule by counting processors only (countonly).")
    table("log", "jobs", "policy", "whole s", "replay s", "bare whole s", "bare replay s",
          "ratio whole", "ratio replay", "peak MB")
    made = tmp / "generated.swf"
    sim(tmp / "stats.json", "easy", "--generate", 20000, "--nodes", "128x1",
        "--trace-out", made)
    logs = [(name, TRACES / file, procs) for name, (file, procs) in LOGS.items()]
    for name, trace, procs in logs + [("generated", made, 128)]:
        if not trace.exists():
            print(f"bench: SKIPPED {name}: no {trace} (set MAUI_SHARED)", file=sys.stderr)
            continue
        for policy in POLICIES:
            replay_row(figures, runs, tmp, name, policy, trace, procs)


def widen(trace, wide):
    """The same jobs, each WIDER times as wide."""
    opener = gzip.open if trace.suffix == ".gz" else open
    with opener(trace, "rt") as lines, open(wide, "w") as out:
        for text in lines:
            words = text.split()
            if words and words[0][0] != ";":
                for field in (4, 7):
                    if float(words[field]) > 0:
                        words[field] = str(int(float(words[field])) * WIDER)
                text = " ".join(words) + "\n"
            elif re.match(r";\s*Max(Procs|Nodes):", text):
                continue
            out.write(text)


def starts(path):
    return [text.split("\t")[:4] for text in path.read_text().splitlines()]


def measure_size(figures, runs, tmp):
    print("\nThe same jobs, each 729 times as wide, on a machine 729 times as large: the"
          "\nschedule is the same to the second, so only the size can make a difference.")
    table("machine", "processors", "policy", "replay s", "us a job", "ratio to 128x1")
    narrow, wide, stats = tmp / "narrow.swf", tmp / "wide.swf", tmp / "stats.json"
    sim(stats, "easy", "--generate", 20000, "--nodes", "128x1", "--trace-out", narrow)
    widen(narrow, wide)
    machines = (("128x1", narrow), ("128x729", wide), ("1458x64", wide),
                ("11664x8", wide), ("93312x1", wide))
    for policy in POLICIES:
        first = schedule = None
        # in turn, so that a minute in which the host is busy is felt by all of them
        rounds = [{machine: sim(stats, policy, "--trace", trace, "--nodes", machine)
                   for machine, trace in machines} for _ in range(runs + 1)][1:]
        for machine, trace in machines:
            out = tmp / "jobs.tsv"
            samples = [of[machine] for of in rounds]
            sim(stats, policy, "--trace", trace, "--nodes", machine, "--jobs-out", out)
            schedule = schedule or starts(out)
            assert starts(out) == schedule, f"another schedule on {machine}"
            nodes, procs = (int(word) for word in machine.split("x"))
            jobs = samples[0]["jobs"]
            cpu = figures.add("size", f"{machine} {policy}", jobs, nodes, "replay_s",
                              [sample["cpu_s"] for sample in samples])
            first = first or cpu
            line(machine, f"{nodes * procs:,}", policy, f"{cpu:.3f}",
                 f"{1e6 * cpu / jobs:.2f}", f"{cpu / first:.2f}")


def one_cycle(mode, jobs, nodes, cycles, *reservations):
    output = run(BUILD / "bench" / "cycle_bench", mode, jobs, nodes, cycles,
                 *reservations).output
    pairs = (word.split("=") for word in output.split())
    return {key: float(value) for key, value in pairs if key != "mode"}


def measure_grid(figures, runs, part, grid, shown):
    table("mode", "jobs", "nodes", *shown)
    one_cycle(grid[0][0], 10000, 1000, 10)
    for mode, jobs, nodes, cycles in grid:
        samples = [one_cycle(mode, jobs, nodes, cycles) for _ in range(runs)]
        medians = {key: figures.add(part, mode, jobs, nodes, key,
                                    [sample[key] for sample in samples])
                   for key in samples[0] if key not in ("jobs", "nodes", "cycles")}
        line(mode, f"{jobs:,}", f"{nodes:,}", *(f"{medians[key]:,.6g}" for key in shown))


def measure_cycles(figures, runs, tmp):
    print("\nA cycle after one event, EASY, limits and fairshare in force: milliseconds;"
          "\nfirst: the first cycle of all, on an empty machine.")
    measure_grid(figures, runs, "cycle", CYCLES,
                 ["cycle_ms", "p99_ms", "max_ms", "first_ms", "queued_bytes", "job_bytes",
                  "node_bytes", "submit_us"])


def measure_plans(figures, runs, tmp):
    print("\nThe first full conservative plan: milliseconds.")
    measure_grid(figures, runs, "plan", PLANS,
                 ["first_ms", "reserved", "queued_bytes", "job_bytes"])


def measure_chunks(figures, runs, tmp):
    print("\nA cycle after one event where nodes must be planned one by one: milliseconds.")
    measure_grid(figures, runs, "chunky", CHUNKS,
                 ["cycle_ms", "p99_ms", "max_ms", "first_ms", "starts"])


def measure_reservations(figures, runs, tmp):
    """Ratios within a run: those without reservations alternate with the others."""
    print("\nStanding and administrative reservations of whole nodes: milliseconds, and"
          "\ntimes as long as without.")
    table("mode", "jobs", "nodes", "standing", "administrative", "ms", "ratio")
    for mode, jobs, nodes, cycles in WALLED:
        key = "cycle_ms" if cycles else "first_ms"
        samples = repeat(runs, lambda: [
            one_cycle(mode, jobs, nodes, cycles, *counts)[key] for counts in RESERVED])
        for i, (standing, admin) in enumerate(RESERVED):
            ms = figures.add("reservations", f"{mode} {standing}+{admin}", jobs, nodes, key,
                             [sample[i] for sample in samples])
            ratio = figures.add("reservations", f"{mode} {standing}+{admin}", jobs, nodes,
                                "ratio", [sample[i] / sample[0] for sample in samples])
            line(mode, f"{jobs:,}", f"{nodes:,}", standing, f"{admin:,}", f"{ms:,.6g}",
                 f"{ratio:.2f}")


def write_shifts(path):
    """EASY with 50 standing reservations: daily shifts of 8 hours from each hour of the
    day to 15:00 on, two days ahead, for two users, of four hosts that the next one shares
    two of."""
    shifts = "\n".join(
        f"SRCFG[s{i}] HOSTLIST={','.join(f'n{2 * i + k}' for k in (1, 2, 3, 4))} PERIOD=DAY "
        f"STARTTIME={i % 16}:00:00 ENDTIME={i % 16 + 8}:00:00 DEPTH=2 "
        f"USERLIST={4 * i},{4 * i + 1}" for i in range(50))
    path.write_text((ROOT / "examples" / "easy.cfg").read_text() + shifts + "\n")


def measure_shifts(figures, runs, tmp):
    """A log under EASY on its 128 nodes with and without standing reservations."""
    print("\nSDSC-SP2 under EASY with 50 standing reservations on 128 nodes, replay alone."
          "\nSome jobs never run then (they want all nodes), so the queue is long.")
    trace = TRACES / LOGS["SDSC-SP2"][0]
    if not trace.exists():
        print(f"bench: SKIPPED shifts: no {trace} (set MAUI_SHARED)", file=sys.stderr)
        return
    shifts, options = tmp / "shifts.cfg", ("--trace", trace, "--nodes", "128x1")
    write_shifts(shifts)
    samples = repeat(runs, lambda: [sim(tmp / "stats.json", config, *options)
                                    for config in ("easy", shifts)])
    table("standing", "cycles", "jobs that wait at the end", "replay s", "ratio")
    for i, standing in enumerate((0, 50)):
        first = samples[0][i]
        jobs = first["jobs"] + first["jobs_waiting"]
        cpu = figures.add("shifts", f"SDSC-SP2 {standing}", jobs, 128, "cpu_s",
                          [sample[i]["cpu_s"] for sample in samples])
        ratio = figures.add("shifts", f"SDSC-SP2 {standing}", jobs, 128, "ratio", [
            sample[i]["cpu_s"] / sample[0]["cpu_s"] for sample in samples])
        line(standing, f"{first['cycles']:,}", f"{first['jobs_waiting']:,}", f"{cpu:.3f}",
             f"{ratio:.1f}")


def measure_parts(figures, runs, tmp):
    print("\nParts of a cycle: start priorities.")
    print(run(BUILD / "bench" / "prio_bench").output, end="", flush=True)


def measure_store(figures, runs, tmp):
    print("\nThe store: changes made durable, on the disk of the build folder.")
    for _ in range(runs):
        print(run(BUILD / "bench" / "store_bench", BUILD, 1).output, end="", flush=True)


PARTS = {
    "replay": measure_replays,
    "size": measure_size,
    "cycle": measure_cycles,
    "plan": measure_plans,
    "chunky": measure_chunks,
    "reservations": measure_reservations,
    "shifts": measure_shifts,
    "parts": measure_parts,
    "store": measure_store,
}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def remarks():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return [f"cpu: {found[1] if found else 'unknown'}, {os.cpu_count()} cores",
            "compiler: " + output_of(os.environ.get("CC", "gcc"), "--version").split("\n")[0],
            "commit: " + output_of("git", "describe", "--always", "--dirty"),
            f"load when started: {os.getloadavg()[0]:.1f}"]


def main():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--runs", type=int, default=5, help="of each (5), after one more")
    args = parser.parse_args()
    unknown = [part for part in args.part if part not in PARTS]
    if unknown:
        parser.error(f"no part '{unknown[0]}'; one of: {', '.join(PARTS)}")
    about, figures = remarks(), Figures()
    print(*about, sep="\n")
    with tempfile.TemporaryDirectory() as tmp:
        for part in args.part or PARTS:
            PARTS[part](figures, args.runs, pathlib.Path(tmp))
    about.append(f"load at the end: {os.getloadavg()[0]:.1f}")
    figures.write(BUILD / "results.tsv", about)
    print(f"\n{about[-1]}\nall figures: {(BUILD / 'results.tsv').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
