#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scheduler on Grid Engine beside Grid Engine's own at an interval of one second, on the
same jobs, one after the other:

  gridengine_bench.py MAUI [JOBS]      500 one-second jobs of one slot, three hosts of 8

On a Grid Engine of its own, in name spaces that go away. As root; jobs are those of alice."""
import os
import pathlib
import shutil
import sys
import time
from statistics import median

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "gridengine"))
from gridengine_cluster import GridEngine, Maui, missing  # noqa: E402

HOSTS, SLOTS = 3, 8


def flow(name, ge, jobs):
    """All are there before the first may start."""
    out = pathlib.Path(ge.dir, "home", "alice", name)
    ge.run("mkdir", out, user="alice")
    script = f"date +%s.%N >{out}/$JOB_ID.b; sleep 1; date +%s.%N >{out}/$JOB_ID.e"
    submit = pathlib.Path(ge.dir, "submit")
    submit.write_text(f"script='{script}'\nfor n in $(seq {jobs}); do qsub -terse -h -o /dev/null -j y "
                      "-b y sh -c \"'$script'\" >/dev/null || exit 1; done\n")
    for _ in range(10):  # a command may take a minute
        submit.write_text(submit.read_text().replace(f"seq {jobs})", f"seq {max(jobs // 10, 1)})"))
        ge.run("sh", submit, user="alice")
    time.sleep(5)
    begin = time.time()
    ge.run("qrls", "-u", "alice", user="alice")
    while sum(p.stat().st_size > 0 for p in out.glob("*.e")) < jobs // 10 * 10:
        time.sleep(0.2)
    begins, ends = (sorted(float(p.read_text()) for p in out.glob(f"*.{x}")) for x in "be")
    slots, last = HOSTS * SLOTS, ends[-1]
    gaps = [b - e for b, e in zip(begins[slots:], ends)]
    print(f"{name}: {len(ends)} jobs of 1 s on {slots} slots in {last - begin:.1f} s (floor "
          f"{len(ends) / slots:.0f} s), {len(ends) / (last - begin):.1f} starts/s; a free slot has "
          f"its next job after {median(gaps):.2f} s", flush=True)
    shutil.rmtree(out)


def main():
    if len(sys.argv) < 2 or missing():
        sys.exit(__doc__ + (missing() or ""))
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    ge = GridEngine(HOSTS, SLOTS, gate=None)
    try:
        conf = pathlib.Path(ge.dir, "sched")
        conf.write_text("\n".join(
            "schedule_interval 0:0:1" if line.startswith("schedule_interval") else line
            for line in ge.run("qconf", "-ssconf").splitlines()) + "\n")
        ge.run("qconf", "-Msconf", conf)
        flow("grid-engine", ge, jobs)
        maui = Maui(os.path.abspath(sys.argv[1]), ge)
        maui.configure("RMCFG[ge] TYPE=SGE\nADMIN1 root\n")  # as it is where nothing is said
        maui.ok("gridengine", "install")
        maui.start()
        flow("maui", ge, jobs)
        maui.clean()
    finally:
        ge.end()


if __name__ == "__main__":
    main()
