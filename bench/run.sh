#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measure: builds build/bench (as release, and optimised across files) and runs
# bench/measure.py with the arguments; `bench/run.sh --help` lists them.
# `bench/run.sh depth` is a study instead: RESERVATIONDEPTH against waits and use.
# What the numbers mean: docs/performance.md.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build bench
if [ "${1:-}" = depth ]; then
    shift
    exec /usr/bin/python3 bench/depth.py "$@"
fi
exec /usr/bin/python3 bench/measure.py "$@"
