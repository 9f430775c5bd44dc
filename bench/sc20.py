# SPDX-License-Identifier: Apache-2.0
"""The sequences that learned schedulers are measured by (RLScheduler, SC20): ten times
1,024 jobs of a log, on an empty machine; the mean bounded slowdown of each, and of all.

    bench/sc20.py lublin_256.swf.gz SDSC-SP2-1998-4.2-cln.swf.gz

EASY backfill in order of arrival, EASY in the order PSQF (Smith's rule by predicted
runs), and the search for a plan. A run beyond its estimate is cut; in the protocol it
goes on. The published learned scheduler has 58.6, 397.8 and, on a log that is not
here, 118.8. docs/studies.md says what this shows.
"""
import argparse
import gzip
import pathlib
import sys
import tempfile

from search import ROOT, figures, replay

STARTS = (1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085)
JOBS, FIRST = 1024, 10_000  # of a sequence; so many jobs of a log take part
NUMBER, RUN, USED, ASKED, ESTIMATE = 0, 3, 4, 7, 8  # columns of SWF


def jobs_of(log):
    """The header and the jobs, as the protocol reads them."""
    lines = gzip.open(log, "rt").read().splitlines()
    head = [line for line in lines if line.startswith(";")]
    jobs = []
    for words in (line.split() for line in lines if line and not line.startswith(";")):
        run = float(words[RUN])
        if run == 0:
            continue
        words[RUN] = words[RUN] if run > 0 else "10"
        words[ASKED] = words[USED] = str(max(int(words[USED]), int(words[ASKED])))
        words[ESTIMATE] = words[ESTIMATE] if float(words[ESTIMATE]) > 0 else words[RUN]
        jobs.append(words)
    jobs.sort(key=lambda words: int(words[NUMBER]))
    return head, jobs[:FIRST]


def slowdowns(log, ways, folder):
    head, jobs = jobs_of(log)
    sequence = folder / "sequence.swf"
    for start in STARTS:
        some = jobs[start:start + JOBS]
        sequence.write_text("\n".join(head + [" ".join(job) for job in some]) + "\n")
        found = []
        for config, order in ways.values():
            rows, _ = replay(folder, ("--trace", sequence, *order), config, edge=0)
            if len(rows) != JOBS:
                sys.exit(f"{log.name}: {len(rows)} of {JOBS} jobs from {start} ran")
            found.append(figures(rows, {})["slowdown"])
        yield start, found


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("log", nargs="+", type=pathlib.Path)
    args = words.parse_args()
    examples = ROOT / "examples"
    ways = {"EASY": (examples / "easy.cfg", ()),
            "PSQF": (examples / "easy.cfg", ("--order", "PSQF")),
            "PLAN": (examples / "promises.cfg", ())}
    for log in args.log:
        print(log.name, *ways)
        with tempfile.TemporaryDirectory() as folder:
            all_found = []
            for start, found in slowdowns(log, ways, pathlib.Path(folder)):
                print(f"  from {start}:", *(f"{value:.1f}" for value in found), flush=True)
                all_found.append(found)
        print("  mean:", *(f"{sum(column) / len(STARTS):.1f}" for column in zip(*all_found)),
              flush=True)


if __name__ == "__main__":
    sys.exit(main())
