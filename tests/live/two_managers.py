# SPDX-License-Identifier: Apache-2.0
"""A daemon with two resource managers: LOCAL, which is plain, and a WIKI server of ours.
Both have nodes and jobs of the same names."""
import os
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "wiki")]
from live_daemon import ME, Daemon  # noqa: E402
from server import World  # noqa: E402

USER = "nobody" if os.geteuid() == 0 else ME


class Both(Daemon):
    """Two nodes of two processors each: node01 and node02 of `here`, the same of `far`."""

    def __init__(self, build, more="", order=("here", "far")):
        super().__init__(build / "src" / "client" / "maui")
        self.world = World(f"{self.home}/world", {"node01": 2, "node02": 2})
        pathlib.Path(f"{self.home}/key").write_text("a secret of the site\n")
        os.chmod(f"{self.home}/key", 0o600)
        self.section(more, order)

    def section(self, more="", order=("here", "far")):
        lines = {"here": "RMCFG[here] TYPE=LOCAL NODES=2x2",
                 "far": f"RMCFG[far] TYPE=WIKI HOST=127.0.0.1 PORT={self.world.port} "
                        f"KEYFILE={self.home}/key CSALGO=HMAC POLLINTERVAL=1 TIMEOUT=2"}
        self.configure("\n".join([*(lines[name] for name in order), f"ADMIN1 {ME}",
                                  "RESERVATIONPOLICY NEVER", "DEFERTIME 1", "RMPOLLINTERVAL 2",
                                  more, ""]))

    def serve(self, *options):
        done = self.run("serve", "-L", "5", *options)
        assert done.returncode == 0, done.stderr
        return self

    def begin(self):
        self.serve()
        self.wait(lambda: self.run("showq").returncode == 0, "an answer", 60)
        return self

    def kill_world(self):
        self.world.kill()
        self.wait(lambda: self.manager("far") == "Down", "that far is away", 60)

    def manager(self, name):
        """Its state, by diagnose -R."""
        found = re.search(rf"RM\[{name}\] .*state: '(\w+)'", self.ok("diagnose", "-R"))
        return found and found.group(1)

    def nodes_of(self, job):
        found = self.job(job)
        return sorted(n["node"] for n in found.get("allocation", [])) if found else None

    def until(self, job, state):
        self.wait(lambda: self.state(job) == state, f"{state} of {job}", 60)

    def reason(self, job):
        return ((self.job(job) or {}).get("reason") or {}).get("code")

    def log(self):
        """Without who asked what."""
        return "\n".join(l for l in super().log().splitlines() if " GET /v1" not in l)

    def clean(self):
        super().clean()
        self.world.kill()
