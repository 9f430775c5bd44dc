#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draw docs/plots/*.svg from the figures of the last `make bench`, which are kept
# beside them. Usage: bench/plot.sh [FIGURES.tsv]
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v gnuplot >/dev/null; then
    echo "plot: no gnuplot; Debian has it in the package gnuplot-nox" >&2
    exit 1
fi
figures=${1:-build/bench/results.tsv}
kept=docs/plots/figures.tsv
if [ ! -f "$figures" ]; then
    echo "plot: no $figures; run 'make bench' first" >&2
    exit 1
fi
mkdir -p docs/plots
[ "$figures" -ef "$kept" ] || cp "$figures" "$kept"

# points PART MODE COLUMN OTHER-COLUMN VALUE FIGURE: "x median" of the lines of one
# mode and figure whose other column (jobs or nodes) has the value.
points() {
    awk -F '\t' -v part="$1" -v mode="$2" -v x="$3" -v other="$4" -v value="$5" \
        -v figure="$6" '
        $1 == "part" { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $1 == part && $2 == mode && $5 == figure && $column[other] == value {
            print $column[x], $6 }' "$kept" | sort -g
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
points cycle easy jobs nodes 10000 cycle_ms >"$tmp/cycle-jobs"
points cycle easy jobs nodes 10000 p99_ms >"$tmp/cycle-jobs-p99"
points cycle easy nodes jobs 100000 cycle_ms >"$tmp/cycle-nodes"
points cycle easy nodes jobs 100000 p99_ms >"$tmp/cycle-nodes-p99"
points plan plan jobs nodes 10000 first_ms >"$tmp/plan-jobs"
points plan plan jobs nodes 160000 first_ms >"$tmp/plan-jobs-large"
points cycle easy jobs nodes 10000 queued_bytes >"$tmp/memory-queued"
points cycle easy jobs nodes 10000 job_bytes >"$tmp/memory-easy"
points plan plan jobs nodes 10000 job_bytes >"$tmp/memory-plan"

gnuplot -e "in='$tmp/'" bench/plots.gp
for plot in docs/plots/*.svg; do
    # Without the date and the program's version the same figures are the same file.
    sed -i -e '/^<title>/d' -e '/^<desc>/d' "$plot"
done
echo "plot: $(echo docs/plots/*.svg)"
