# SPDX-License-Identifier: Apache-2.0
"""Which level may give which order: the matrix of the commands that act."""
import pytest

# command: (words behind it, the lowest level of an administrator, may owners)
ORDERS = {
    "resetstats": ((), 1, False),
    "schedctl": (("-r",), 1, False),
    "changeparam": (("RESERVATIONDEPTH", "3"), 1, False),
    "setdeadline": (("{job}", "+9:00:00"), 1, False),
    "releasedeadline": (("{job}",), 1, False),
    "setspri": (("3", "{job}"), 2, False),
    "runjob": (("{job}",), 2, False),
    "setupri": (("3", "{job}"), 2, True),
    "setqos": (("DEFAULT", "{job}"), 2, True),
    "sethold": (("-u", "{job}"), 2, True),
    "releasehold": (("-u", "{job}"), 2, True),
    "mjobctl": (("-m", "userprio=4", "{job}"), 2, True),
    "setres": (("-d", "1:00:00", "TASKS==1"), 2, False),
    "releaseres": (("{rsv}",), 2, False),
    "mrsvctl": (("-m", "duration+=1", "{rsv}"), 2, False),
    "canceljob": (("{job}",), 2, True),
    "showdeadline": ((), 3, False),
}
WHO = {"root": 1, "bin": 2, "daemon": 3, "games": 9, "nobody": 0}  # nobody owns the job


@pytest.mark.parametrize("user", WHO)
@pytest.mark.parametrize("command", ORDERS)
def test_an_order_is_for_its_level_and_owners(matrix, command, user):
    daemon, users = matrix
    words, level, owners = ORDERS[command]
    daemon.ok("schedctl", "-s")
    job = users.submit("nobody")
    rsv = daemon.ok("mrsvctl", "-c", "-t", "1", "-R", "PROCS=1", "-s", "+1:00:00", "-d",
                    "1:00:00").split("'")[1]
    allowed = WHO[user] <= level if WHO[user] else owners
    words = [w.format(job=job, rsv=rsv) for w in words]
    done = daemon.run(command, *words) if user == "root" else users.run(user, command, *words)
    daemon.run("canceljob", job)
    daemon.run("releaseres", rsv)
    if allowed:
        assert done.returncode == 0, done
        return
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.startswith("ERROR:    ")
    assert any(s in done.stderr for s in (
        "is not authorized to ", "may not reserve", "may not release", "may not change",
        "cannot locate reservation")), done
    assert user in done.stderr or rsv in done.stderr, done
