# SPDX-License-Identifier: Apache-2.0
"""Which instances of standing reservations are wanted, and which of them are there."""
import pytest

from driven_clock import DrivenClock
from live_daemon import ME
from live_users import LEVELS, Users, need_users

BEGIN, HOUR, DAY = 1800000000, 3600, 86400  # a Friday, 8:00 UTC
MONDAY = BEGIN + 3 * DAY
CONFIG = LEVELS + f"""RMPOLLINTERVAL 10:00:00
SRCFG[lunch] STARTTIME=11:00:00 ENDTIME=14:00:00 HOSTLIST=node02 USERLIST={ME} DEPTH=3 PERIOD=DAY
SRCFG[weekly] STARTTIME=1:08:00:00 ENDTIME=1:12:00:00 HOSTLIST=node01 USERLIST=games DEPTH=3 PERIOD=WEEK
SRCFG[crew] TASKCOUNT=1 RESOURCES=PROCS:1 CLASSLIST=batch DEPTH=2
"""


@pytest.fixture
def site(daemon):
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env | {"TZ": "UTC"})
    clock.stand(BEGIN)
    daemon.configure(CONFIG)
    daemon.start()
    daemon.clock = clock
    daemon.wait(lambda: states(daemon)["crew"] == ["there", "there"], "the instances")
    return daemon


def standing(site, query=""):
    status, answer = site.api("/v1/standing" + query)
    assert status == 200, answer
    return {s["name"]: s for s in ([answer] if isinstance(answer, dict) else answer)}


def states(site, query=""):
    return {name: [w["state"] for w in s["wanted"]] for name, s in standing(site, query).items()}


def release(site, name):
    assert site.ok("releaseres", name) == f"released Standing reservation '{name}'\n"


def test_the_scheduler_tells_what_is_wanted_and_what_of_it_was_released(site):
    told = standing(site)
    weekly = told["weekly"]
    assert (weekly["period"], weekly["depth"], told["lunch"]["period"]) == ("WEEK", 3, "DAY")
    assert weekly["times"]["start_s"] == DAY + 8 * HOUR
    # this week's Monday is over
    assert [(w["slot"], w["start_at"], w["end_at"]) for w in weekly["wanted"]] == [
        (1, MONDAY, MONDAY + 4 * HOUR), (2, MONDAY + 7 * DAY, MONDAY + 7 * DAY + 4 * HOUR)]
    assert {w["reservation"] for s in told.values() for w in s["wanted"]} == {
        r["name"] for r in site.api("/v1/reservations?type=Standing")[1]}
    site.clock.stand(BEGIN + 60)
    # all of one, the last of another
    for w in told["lunch"]["wanted"] + weekly["wanted"][1:] + told["crew"]["wanted"][:1]:
        release(site, w["reservation"])
    # one that is on no list of hosts comes back at once
    site.wait(lambda: states(site)["crew"] == ["there", "there"], "one that floats")
    told = standing(site)
    assert states(site) == {"lunch": ["released"] * 3, "weekly": ["there", "released"], "crew": ["there"] * 2}
    assert told["weekly"]["wanted"][1] == {
        "slot": 2, "start_at": MONDAY + 7 * DAY, "end_at": MONDAY + 7 * DAY + 4 * HOUR, "state": "released"}
    # as it was before, and after a restart
    past = site.api("/v1/past", {"at": BEGIN})[1]["past"]
    assert states(site, f"?past={past}") == {"lunch": ["there"] * 3, "weekly": ["there"] * 2, "crew": ["there"] * 2}
    site.ok("schedctl", "-k")
    site.start()
    assert states(site)["weekly"] == ["there", "released"]
    # the next day it is wanted anew
    site.clock.stand(BEGIN + DAY)
    site.submit("true")  # a cycle
    site.wait(lambda: states(site)["lunch"] == ["there"] * 3, "the next period")


def test_users_are_told_of_what_they_may_use(site):
    need_users()
    users = Users(site, programs=False)
    assert {s["name"] for s in [users.api("games", "/v1/standing")[1]]} == {"weekly"}
    assert users.api("nobody", "/v1/standing") == (200, "")
