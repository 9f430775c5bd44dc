# Maui: while the scheduler gives signs of life PBS's own scheduler starts nothing. What a
# manager starts by hand (qrun) is started.
import time

import pbs

HEARTBEAT = "@HEARTBEAT@"
OPEN_AFTER = @OPEN_AFTER@  # seconds without a sign; 0: never

event = pbs.event()
if event.requestor == "Scheduler":
    try:
        with open(HEARTBEAT) as f:
            age = time.time() - int(f.read().split()[0])
    except (OSError, ValueError, IndexError):
        age = float("inf")
    if OPEN_AFTER == 0 or abs(age) < OPEN_AFTER:  # a clock may have been set
        event.reject("maui decides when it starts (checkjob)")
event.accept()
