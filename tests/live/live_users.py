# SPDX-License-Identifier: Apache-2.0
"""Other people at the same daemon."""
import functools
import json
import os
import shutil
import subprocess

import pytest

LEVELS = "ADMIN1 root\nADMIN2 bin\nADMIN3 daemon\n"


def need_users():
    """Called before anything is started that a skip would leave running."""
    if os.geteuid() != 0:
        pytest.skip("other users can only be played by root")


class Users:
    """Who plays whom: root is the administrator of level 1, others are made so by the
    configuration. Programs are copied, because others may not read the build."""

    NAMES = {"nobody": 65534, "bin": 2, "daemon": 1, "games": 5}

    def __init__(self, live, programs=True):
        need_users()
        self.live = live
        os.chmod(live.home, 0o755)
        if not programs: # for api() and submit()
            return
        self.bin = f"{live.home}/bin"
        os.makedirs(self.bin, exist_ok=True)
        for name in ("maui", "maui-client"):
            shutil.copy(os.path.join(os.path.dirname(live.program), name), self.bin)

    def call(self, user, *words):
        uid = self.NAMES[user]
        return subprocess.run(
            ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *words],
            env=self.live.env, cwd="/", capture_output=True, text=True, timeout=60,
            check=False)

    def run(self, user, *args):
        return self.call(user, f"{self.bin}/maui", *map(str, args))

    def ok(self, user, *args):
        done = self.run(user, *args)
        assert done.returncode == 0, f"{user} {args}: {done.stderr}{done.stdout}"
        return done.stdout

    def refused(self, user, *args):
        done = self.run(user, *args)
        assert done.returncode == 1 and done.stdout == "", (user, args, done)
        return done.stderr

    def fetch(self, user, path):
        """What that user gets of the API: (status, bytes)."""
        uid = self.NAMES[user]
        done = subprocess.run(
            ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "curl", "-s", "-w",
             "%{http_code}", "--unix-socket", f"{self.live.home}/api.sock", f"http://maui{path}"],
            capture_output=True, check=True, cwd="/")
        return done.stdout[-3:].decode(), done.stdout[:-3]

    def api(self, user, path, body=None, method=None):
        """The API as that user: (status, answer), the answer parsed if it is JSON."""
        words = ["curl", "-s", "-g", "--max-time", "30", "-w", "\n%{http_code}",
                 "--unix-socket", f"{self.live.home}/api.sock", f"http://maui{path}"]
        if method:
            words += ["-X", method]
        if body is not None:
            words += ["-H", "Content-Type: application/json",
                      "-d", body if isinstance(body, str) else json.dumps(body)]
        text, status = self.call(user, *words).stdout.rsplit("\n", 1)
        try:
            return int(status), json.loads(text)
        except ValueError:
            return int(status), text

    def submit(self, user, **request):
        request = dict({"script": "#!/bin/sh\nsleep 60\n", "wclimit_s": 300,
                        "directory": "/tmp", "output": "/dev/null",
                        "error": "/dev/null"}, **request)
        done = self.call(user, "curl", "-s", "--unix-socket", f"{self.live.home}/api.sock",
                         "http://maui/v1/jobs", "-H", "Content-Type: application/json",
                         "-d", json.dumps(request))
        return json.loads(done.stdout)["ids"][0]


class Other:
    """One of them: the same, without a name before each command."""

    def __init__(self, live, user="nobody"):
        users = Users(live)
        for verb in ("call", "run", "ok", "refused", "submit", "api"):
            setattr(self, verb, functools.partial(getattr(users, verb), user))
