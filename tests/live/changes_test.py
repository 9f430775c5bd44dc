# SPDX-License-Identifier: Apache-2.0
"""GET /v1/changes: what is different since a revision."""
import json
import os
import subprocess
import threading

import pytest

from live_users import need_users


class Follower:
    """A client of /v1/changes, and what it makes of it: the lists as they are now."""

    def __init__(self, daemon, query="", user=None):
        self.daemon = daemon
        command = ["curl", "-s", "-N", "-g", "--unix-socket", f"{daemon.home}/api.sock",
                   f"http://maui/v1/changes{query}"]
        if user:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
                       *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/")
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()
        daemon.wait(self.revision, "the begin of the stream")

    def read(self):
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def ends(self):
        return [l for l in self.lines if "revision" in l]

    def revision(self):
        return self.ends()[-1]["revision"] if self.ends() else None

    def of(self, kind):
        """id -> its last record, None for what is gone."""
        return {l["id"]: l.get(kind) for l in self.lines if l.get("kind") == kind and "id" in l}

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def follow(live):
    made = []

    def begin(query="", user=None):
        made.append(Follower(live, query, user))
        return made[-1]
    yield begin
    for f in made:
        f.stop()


def test_a_job_is_told_as_it_comes_changes_and_goes(live, follow):
    f = follow()
    job = live.submit("sleep 600")
    live.wait(lambda: (f.of("job").get(job) or {}).get("section") == "active", "its start")
    before = len(f.lines)
    live.ok("sethold", "-u", live.submit("sleep 600"))
    live.ok("canceljob", job)
    live.wait(lambda: job in f.of("job") and f.of("job")[job] is None, "its end")
    assert len(f.lines) > before
    ends = f.ends()
    assert [e["revision"] for e in ends] == sorted(e["revision"] for e in ends)
    assert ends[-1]["plan"] > ends[0]["plan"]


def test_list_and_changes_have_no_gap(live, follow):
    """What was read first and what came since is what a list says in the end."""
    f = follow()
    jobs = [live.submit("sleep 600", wclimit_s=1000) for _ in range(6)]
    first = {j["id"]: j for j in live.api("/v1/jobs")[1][1:]}
    for job in jobs[:3]:
        live.ok("sethold", job)
    for job in jobs[3:5]:
        live.ok("canceljob", job)

    def same():
        known = dict(first)
        known.update(f.of("job"))
        now = {j["id"]: j["shown_state"] for j in live.api("/v1/jobs")[1][1:]
               if j["section"] != "completed"}
        return now == {i: j["shown_state"] for i, j in known.items() if j}
    live.wait(same, "the same picture")


def test_reservations_and_nodes_are_told(live, follow):
    f = follow("?kinds=node,reservation")
    name = live.ok("setres", "-n", "kept", "-u", "root", "-d", "1:00:00", "TASKS==1").strip()
    rsv = live.wait(lambda: [n for n in f.of("reservation") if n.startswith("kept")],
                    f"the reservation ({name})")[0]
    assert f.of("reservation")[rsv]["name"] == rsv
    live.ok("releaseres", rsv)
    live.wait(lambda: f.of("reservation")[rsv] is None, "its release")
    assert not f.of("job")


def test_an_old_revision_has_to_begin_again(live, follow):
    job = live.submit("true")
    live.wait(lambda: live.job(job) is None, "its end")
    f = follow("?since=1")
    assert f.lines[0]["event"] == "RESET", f.lines
    assert "job" not in {l.get("kind") for l in f.lines}


def test_who_comes_back_soon_gets_what_it_missed(live, follow):
    f = follow()
    since = f.revision()
    f.stop()
    job = live.submit("sleep 600")
    live.wait(lambda: live.state(job) == "Running", "its start")
    again = follow(f"?since={since}")
    live.wait(lambda: job in again.of("job"), "what was missed")
    assert not [l for l in again.lines if "event" in l], again.lines


def test_who_is_far_behind_gets_it_in_blocks(live, follow):
    """More than one block, of which some are left out."""
    f = follow()
    since = f.revision()
    jobs = [live.submit("sleep 600", hold=True) for _ in range(230)]
    live.ok("setres", "-n", "kept", "-u", "root", "-d", "1:00:00", "TASKS==1")
    live.wait(lambda: f.of("reservation"), "the reservation")
    assert set(jobs) <= set(f.of("job"))
    status, lines = live.api(f"/v1/changes?since={since}&kinds=reservation&follow=0")
    assert status == 200 and [l["kind"] for l in lines if "kind" in l] == ["reservation"], lines


def test_words_that_are_no_kinds_are_refused(live):
    status, answer = live.api("/v1/changes?kinds=job,nodse")
    assert status == 400 and "nodse" in answer["error"]["message"], answer


def test_another_user_is_told_what_lists_tell_them(live, follow):
    need_users()
    os.chmod(live.home, 0o755)
    f = follow(user=65534)
    job = live.submit("sleep 600", name="secret")
    live.wait(lambda: job in f.of("job"), "the job")
    record = f.of("job")[job]
    assert "name" not in record and "secret" not in json.dumps(f.lines), record
    live.ok("setres", "-n", "kept", "-u", "root", "-d", "1:00:00", "TASKS==1")
    other = live.submit("sleep 600")
    live.wait(lambda: other in f.of("job"), "another job")
    assert not f.of("reservation") and not f.of("node"), f.lines
