#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measure: replays of whole logs, single cycles on long queues, parts of a cycle.
# What the numbers mean: docs/performance.md. Arguments choose: replay, cycle, parts.
set -euo pipefail
cd "$(dirname "$0")/.."

maui=build/release/src/client/maui
shared=${MAUI_SHARED:-../shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

machine() {
    sed -n 's/^model name.*: /cpu: /p' /proc/cpuinfo | head -n 1
    printf 'compiler: %s\n' "$(${CC:-gcc} --version | head -n 1)"
}

# replay NAME CONFIG OPTIONS...: one row of the table, best wall time of three.
replay() {
    local name=$1 config=$2
    shift 2
    for _ in 1 2 3; do
        "$maui" sim -c "examples/$config.cfg" --stats-json "$tmp/stats" "$@" >/dev/null
        cat "$tmp/stats" && echo
    done >"$tmp/all"
    /usr/bin/python3 - "$name" "$config" "$tmp/all" <<'PY'
import json, sys
name, config, path = sys.argv[1:]
decoder, text, runs = json.JSONDecoder(), open(path).read().strip(), []
while text:
    run, end = decoder.raw_decode(text)
    runs.append(run)
    text = text[end:].strip()
best = min(runs, key=lambda run: run["wall_s"])
print(f"| {name} | {best['jobs']} | {config} | {best['cycles']} | {best['wall_s']:.3f} "
      f"| {best['jobs'] / best['wall_s']:,.0f} | {best['peak_rss_kb'] / 1024:.0f} |")
PY
}

replays() {
    echo "| log | jobs | configuration | cycles | seconds | jobs/s | MB |"
    echo "|---|---|---|---|---|---|---|"
    for config in fcfs easy conservative; do
        if [ -d "$shared/traces" ]; then
            replay SDSC-SP2 $config --trace "$shared"/traces/SDSC-SP2-*.swf.gz --nodes 128x1
            replay NASA-iPSC $config --trace "$shared"/traces/NASA-*.swf.gz --nodes 128x1
            replay lublin_256 $config --trace "$shared"/traces/lublin_256.swf.gz --nodes 256x1
        fi
        replay "60,000 generated" $config --generate 60000 --nodes 1024x8
    done
    replay "60,000 generated, 64x8" site --generate 60000 --nodes 64x8
}

cycles() {
    for jobs in 1000 10000 100000 1000000; do
        build/release/bench/cycle_bench easy $jobs 10000
    done
    build/release/bench/cycle_bench easy 1000000 160000
    for jobs in 10000 100000 1000000; do
        build/release/bench/cycle_bench plan $jobs 10000
    done
}

parts() {
    for source in bench/*.c; do
        name=$(basename "$source" .c)
        [ "$name" = cycle_bench ] || "build/release/bench/$name"
    done
}

machine
for what in "${@:-replay cycle parts}"; do
    for part in $what; do
        echo "== $part"
        case $part in
        replay) replays ;;
        cycle) cycles ;;
        parts) parts ;;
        *) echo "bench: no part '$part'; one of: replay, cycle, parts" >&2; exit 2 ;;
        esac
    done
done
