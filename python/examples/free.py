#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a job of so many processors could have now, and when: free.py [PROCESSORS]"""
import datetime
import sys

import maui_scheduler

try:
    procs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    start = maui_scheduler.Client().start(procs=procs, duration_s=3600)
except ValueError:
    sys.exit(__doc__)
except maui_scheduler.MauiError as e:
    sys.exit(f"free.py: {e}")
at = start.get("start_at")
print(datetime.datetime.fromtimestamp(at) if at else "never, as things are")
