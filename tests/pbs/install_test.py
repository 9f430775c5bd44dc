# SPDX-License-Identifier: Apache-2.0
"""`maui pbs`, before a server that is a file: qmgr, as far as it is asked."""
import json
import os
import subprocess
import time

import pytest

QMGR = '''#!/usr/bin/python3
import json, re, shutil, sys
if sys.argv[1] == "--version":
    sys.exit(print("{version}"))
path = "{state}"
o = json.load(open(path))
line = sys.argv[2]
o["lines"].append(line)
def end(text="", status=0):
    json.dump(o, open(path, "w"))
    print(text, file=sys.stderr if status else sys.stdout, end="")
    sys.exit(status)
words = line.split()
if o["refuses"] and o["refuses"] in line:
    end("qmgr obj= svr=default: Unauthorized Request\\n", 160)
if line == "list server":
    end("Server head\\n    scheduling = %s\\n    job_history_enable = True\\n\\n" % o["scheduling"])
if words[:2] == ["set", "server"]:
    o["scheduling"] = words[-1]
elif words[:2] == ["list", "hook"]:
    end("".join("Hook %s\\n    enabled = %s\\n" % (n, h["enabled"]) for n, h in o["hooks"].items()
                if len(words) == 2 or n == words[2]))
elif words[0] == "create":
    o["hooks"][words[2]] = {{"enabled": "false", "text": ""}}
elif words[0] == "import":
    o["hooks"][words[2]]["text"] = open(words[5]).read()
elif words[0] == "export":
    end(o["hooks"][words[2]]["text"])
elif words[0] == "delete":
    del o["hooks"][words[2]]
elif words[:2] == ["set", "hook"]:
    o["hooks"][words[2]]["enabled"] = words[3].split("=")[1].lower()
else:
    end("qmgr: Syntax error\\n", 1)
end()
'''


class Server:
    def __init__(self, folder, maui, version="pbs_version = 23.06.06"):
        self.state, self.home, self.maui = folder / "state", folder / "home", maui
        self.home.mkdir()
        self.write(scheduling="True", hooks={}, lines=[], refuses="")
        (folder / "qmgr").write_text(QMGR.format(state=self.state, version=version))
        (folder / "qmgr").chmod(0o755)
        self.env = dict(os.environ, PATH=f"{folder}:/usr/bin:/bin", MAUIHOMEDIR=str(self.home))

    def write(self, **o):
        self.state.write_text(json.dumps(o))

    def __getitem__(self, name):
        return json.loads(self.state.read_text())[name]

    def set(self, **changes):
        self.write(**dict(json.loads(self.state.read_text()), **changes))

    def pbs(self, *words):
        return self.maui("pbs", *words, check=False, env=self.env)


@pytest.fixture
def server(tmp_path, maui):
    return Server(tmp_path, maui)


def test_a_dry_run_tells_the_steps_and_takes_none(server):
    done = server.pbs("install", "--dry-run")
    assert done.returncode == 0 and "set server scheduling = False" in done.stdout
    assert "nothing was changed" in done.stdout
    assert server["scheduling"] == "True" and server["hooks"] == {}
    assert list(server.home.iterdir()) == []


def test_installed_checked_let_go_and_undone(server):
    assert server.pbs("check").returncode == 1  # two schedulers
    assert server.pbs("install").returncode == 0
    assert server["scheduling"] == "False" and server["hooks"]["maui"]["enabled"] == "true"
    assert server["hooks"]["maui"]["text"] == server.pbs("hook").stdout
    done = server.pbs("check")
    assert done.returncode == 0 and "has not given a sign" in done.stdout
    (server.home / "pbs.heartbeat").write_text(f"{int(time.time())} free\n\n")
    assert server.pbs("check").stdout == "the server has what is needed\n"
    assert server.pbs("letgo").returncode == 0
    assert server["scheduling"] == "True" and server["hooks"]["maui"]["enabled"] == "false"
    assert server.pbs("check").returncode == 1
    assert server.pbs("install").returncode == 0  # again: what was before is not forgotten
    assert server.pbs("install", "--undo").returncode == 0
    assert server["scheduling"] == "True" and server["hooks"] == {}
    assert not (server.home / "pbs.saved").exists()
    done = server.pbs("install", "--undo")
    assert done.returncode == 0 and "nothing was installed" in done.stdout


def test_what_was_off_before_is_off_afterwards(server):
    server.set(scheduling="False")
    assert server.pbs("install").returncode == 0
    assert server.pbs("install", "--undo").returncode == 0
    assert server["scheduling"] == "False"


def test_a_fallback_leaves_the_other_scheduler_on(server):
    server.set(scheduling="False")
    assert server.pbs("install", "--fallback").returncode == 0
    assert server["scheduling"] == "True"
    done = server.pbs("check")
    assert done.returncode == 0 and "takes over when this one is away" in done.stdout


def test_a_refusal_is_told_and_ends_it(server):
    """Without the hook the other scheduler is not switched off."""
    server.set(refuses="create hook")
    done = server.pbs("install")
    assert done.returncode == 1 and "Unauthorized Request" in done.stderr
    assert "installed" not in done.stdout and server["scheduling"] == "True"


def test_torque_has_no_hook(tmp_path, maui):
    server = Server(tmp_path, maui, "Version: 6.1.3")
    assert server.pbs("check").returncode == 1
    assert server.pbs("install").returncode == 0
    assert server["scheduling"] == "False" and not any("hook" in l for l in server["lines"])
    assert server.pbs("check").returncode == 0
    done = server.pbs("install", "--fallback")
    assert done.returncode == 1 and "TORQUE has no hooks" in done.stderr


def test_what_the_hook_decides(server, tmp_path):
    """As the server runs it, with a module `pbs` of ours."""
    (tmp_path / "pbs.py").write_text(
        "import sys\n"
        "class Event:\n"
        "    requestor = sys.argv[1]\n"
        "    def reject(self, text): print('no'); sys.exit()\n"
        "    def accept(self): print('yes'); sys.exit()\n"
        "def event(): return Event()\n")
    heartbeat = server.home / "pbs.heartbeat"

    def says(who, *options):
        (tmp_path / "hook.py").write_text(server.pbs("hook", *options).stdout)
        done = subprocess.run(["/usr/bin/python3", tmp_path / "hook.py", who], text=True,
                              capture_output=True, check=True)
        return done.stdout.strip()
    assert says("Scheduler") == "yes"  # there was never a sign
    heartbeat.write_text(f"{int(time.time())} free\n\n")
    assert says("Scheduler") == "no" and says("root") == "yes"
    heartbeat.write_text(f"{int(time.time()) - 100} free\n\n")
    assert says("Scheduler") == "yes"
    assert says("Scheduler", "--open-after", 200) == "no"
    assert says("Scheduler", "--open-after", 0) == "no"
    heartbeat.write_text("rubbish")
    assert says("Scheduler") == "yes"


def test_usage_errors(server, tmp_path):
    assert server.pbs().returncode == server.pbs("chek").returncode == 2
    assert server.pbs("install", "--open-after", "1").returncode == 2
    assert server.pbs("hook", "--home", f'{tmp_path}/a"b').returncode == 2
    server.env["PATH"] = str(server.home)
    done = server.pbs("check")
    assert done.returncode == 1 and "no commands of PBS" in done.stderr
