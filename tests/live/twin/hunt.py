# SPDX-License-Identifier: Apache-2.0
"""Sessions one after the other, and what one that fails needs at least."""
import time

import compare
from session import Session


def attempt(program, seed, **options):
    """A session and its twin: (what was found or None, the session, what was compared)."""
    session = Session(program, seed, **options)
    try:
        session.run()
        return None, session, compare.play(program, session)
    except (AssertionError, OSError) as found:  # a daemon that is gone answers nobody
        return found, session, None


def shrink(program, seed, found, session, seconds=120, **options):
    """Leave out acts as long as a failure of the same kind remains: (what was found, the
    session)."""
    end = time.monotonic() + seconds
    drop, size = set(), max(session.number // 2, 1)
    while size:
        for first in range(1, session.number + 1, size):
            part = set(range(first, first + size)) - drop
            if not part or time.monotonic() > end:
                continue
            again, smaller, _ = attempt(program, seed, drop=drop | part, **options)
            if type(again) is type(found):
                drop |= part
                found, session = again, smaller
        size //= 2
    return found, session


def report(found, session):
    """The session as shell commands, and what was found."""
    return "\n".join(session.story) + f"\n# {type(found).__name__}: {found}\n"


def hunt(program, seconds, seed, say, **options):
    """Session after session until the time is over; how many found something."""
    begin, failures, sessions = time.monotonic(), 0, 0
    sums = [0, 0, 0, 0, 0]
    while time.monotonic() - begin < seconds:
        found, session, compared = attempt(program, seed, **options)
        sessions += 1
        if found:
            failures += 1
            say(f"seed {seed}: {type(found).__name__}: {found}")
            found, session = shrink(program, seed, found, session, **options)
            say(f"---- seed {seed}, no more than needed\n{report(found, session)}----")
        else:
            counts = (session.commands, len(session.jobs), session.restarts, *compared)
            sums = [a + b for a, b in zip(sums, counts)]
        seed += 1
    say("{} sessions, {} that found something; in the others {} commands, {} jobs, {} restarts,"
        " {} cycles and {} commands compared".format(sessions, failures, *sums))
    return failures
