#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run every measuring program of this folder; see docs/performance.md.
set -euo pipefail
cd "$(dirname "$0")/.."

grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /cpu: /' || true
for source in bench/*.c; do
    [ -e "$source" ] || { echo "no measuring programs yet"; exit 0; }
    name=$(basename "$source" .c)
    echo "== $name"
    "build/release/bench/$name" "$@"
done
