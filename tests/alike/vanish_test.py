# SPDX-License-Identifier: Apache-2.0
"""A job that its resource manager lists no longer, and of whose end nothing is known: it went
while nobody looked. Its nodes are free, it is paid for once, and one event tells of it."""
import json
import os
import pathlib
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import alike_sites  # noqa: E402

SECONDS = 90
BANK = ("AMCFG[bank] TYPE=BUILTIN CHARGEPOLICY=DEBITALLWC\nUSERCFG[DEFAULT] ADEF=chem\n"
        "RMPOLLINTERVAL 1\nRESERVATIONPOLICY NEVER\n")


def adapter(site):
    """The process that speaks with the resource manager."""
    children = pathlib.Path(f"/proc/{site.maui.pid()}/task/{site.maui.pid()}/children")
    for pid in children.read_text().split():
        try:
            if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith(f"maui-{site.name}"):
                return int(pid)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile
    return None


def unseen(site, victim, go):
    """`go()` while the victim is not there to see it."""
    if victim == "adapter":
        pid = site.maui.wait(lambda: adapter(site), "the adapter")
        os.kill(pid, signal.SIGSTOP)
        go()
        os.kill(pid, signal.SIGKILL)
    elif victim == "daemon":
        site.maui.kill()
        go()
        site.begin()
    else:
        site.world.kill()
        go()
        site.world.start()


def events(maui, job):
    """Those that tell of its end."""
    lines = pathlib.Path(maui.home, "log", "events.log").read_text().splitlines()
    return [e for e in map(json.loads, lines) if e.get("object") == job and e["event"] in ("JOBEND", "JOBCANCEL")]


@pytest.mark.parametrize("kind, victim", [
    ("Native", "adapter"), ("Native", "daemon"), ("Wiki", "adapter"), ("Wiki", "daemon"), ("Wiki", "server")])
def test_a_job_that_went_unseen_frees_its_nodes_and_is_paid_for_once(build, kind, victim):
    site = getattr(alike_sites, kind)(build)
    maui, user = site.maui, site.users[0]
    try:
        with open(f"{maui.home}/maui.cfg", "a") as f:
            f.write(BANK)
        site.begin()
        maui.wait(lambda: maui.run("showq").returncode == 0, "an answer", SECONDS)
        maui.ok("mam-create-account", "chem")
        maui.ok("mam-deposit", "chem", "1000000")
        runs = [site.submit(user, procs=2) for _ in site.nodes]
        for job in runs:
            maui.wait(lambda job=job: maui.state(job) == "Running", f"the run of {job}", SECONDS)
        gone, *others = runs
        node = maui.job(gone)["allocation"][0]["node"]
        waits = site.submit(user, procs=2)
        maui.wait(lambda: maui.state(waits) == "Idle", "one that waits", SECONDS)
        maui.wait(lambda: maui.api("/v1/scheduler")[1]["at"] > maui.job(gone)["start_at"] + 4,
                  "some seconds that it is seen to run")
        unseen(site, victim, lambda: site.vanish(gone))
        maui.wait(lambda: maui.state(waits) == "Running", "its turn", SECONDS)
        assert maui.job(waits)["allocation"][0]["node"] == node
        assert [maui.state(job) for job in others] == ["Running"] * len(others)
        ended = [j for j in maui.lines("showq", "-c") if j["id"] == gone]
        assert [j["user"] for j in ended] == [user] and ended[0]["start_at"] > 0, ended
        maui.wait(lambda: gone not in [lien["job"] for lien in maui.lines("mam-list-liens")], "the charge")
        moves = json.loads(maui.ok("mam-statement", "chem", "--format", "json"))["moves"]
        paid = [m for m in moves if m["kind"] == "charge" and m["run"].split(".")[0] == gone]
        # of a life before no more is known than what was noted once a minute
        assert len(paid) == 1 or (victim == "daemon" and not paid), moves
        told = events(maui, gone)
        assert [e.get("reason") for e in told] == ["vanished"], told
    finally:
        site.end()
