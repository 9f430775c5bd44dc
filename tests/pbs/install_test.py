# SPDX-License-Identifier: Apache-2.0
"""`maui pbs`, before a server that is a file: qmgr, as far as it is asked."""
import json
import os
import socket
import subprocess
import time

import pytest

QMGR = '''#!/usr/bin/python3
import json, re, shutil, sys
if sys.argv[1] != "-c":
    sys.exit("qmgr: invalid option")  # TORQUE's; that of OpenPBS knows --version as well
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
        self.home.mkdir(parents=True)
        self.write(scheduling="True", hooks={}, lines=[], refuses="")
        (folder / "qmgr").write_text(QMGR.format(state=self.state))
        (folder / "qstat").write_text(f"#!/bin/sh\n[ $1 = --version ] && echo '{version}'\n")
        for name in ("qmgr", "qstat"):
            (folder / name).chmod(0o755)
        (folder / "lib").mkdir()
        (folder / "lib" / "libpbs.so.0").touch()
        self.env = dict(os.environ, PATH=f"{folder}:/usr/bin:/bin", MAUIHOMEDIR=str(self.home),
                        PBS_EXEC=str(folder))

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
    for name, word in (("maui", "hook"), ("maui_wake", "wake")):
        assert server["hooks"][name]["enabled"] == "true"
        assert server["hooks"][name]["text"] == server.pbs(word).stdout
    done = server.pbs("check")
    assert done.returncode == 0 and "has not given a sign" in done.stdout
    (server.home / "pbs.heartbeat").write_text(f"{int(time.time())} free\n\n")
    assert server.pbs("check").stdout == "the server has what is needed\n"
    assert server.pbs("letgo").returncode == 0
    assert server["scheduling"] == "True"
    assert [h["enabled"] for h in server["hooks"].values()] == ["false", "false"]
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


def test_a_server_without_such_events_has_the_rest(server):
    """That wakes the scheduler; it is a matter of seconds, and said."""
    server.set(refuses="create hook maui_wake")
    done = server.pbs("install")
    assert done.returncode == 0 and "each POLLINTERVAL" in done.stderr
    assert list(server["hooks"]) == ["maui"] and server["scheduling"] == "False"
    assert "no hook that wakes the scheduler" in server.pbs("check").stdout


def test_check_says_that_there_is_no_library(server):
    assert server.pbs("install").returncode == 0
    os.unlink(f"{server.env['PBS_EXEC']}/lib/libpbs.so.0")
    done = server.pbs("check")
    assert done.returncode == 0 and "libpbs.so.0: No such file" in done.stdout
    del server.env["PBS_EXEC"]
    server.env["PBS_CONF_FILE"] = "/nonexistent"
    assert "PBS's library is not found" in server.pbs("check").stdout


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


@pytest.mark.parametrize("kind, fields, news", [
    ("POSTQUEUEJOB", {}, True), ("MODIFYJOB", {"comment": None}, True),
    ("MODIFYJOB", {"comment": "waits"}, False),  # a note of the scheduler's own
    ("MODIFYVNODE", {"state": 1, "was": 1}, False), ("MODIFYVNODE", {"state": 1, "was": 0}, True),
    ("JOBOBIT", {"raises": True}, False)])
def test_what_wakes_the_scheduler(server, tmp_path, kind, fields, news):
    """Whatever happens in the hook, the request goes on: it ends well."""
    (tmp_path / "pbs.py").write_text(
        "MODIFYJOB, MODIFYVNODE, POSTQUEUEJOB, JOBOBIT = range(4)\n"
        f"fields = {fields!r}\n"
        "class Thing:\n"
        "    def __init__(self, **o): self.__dict__.update(o)\n"
        "def event():\n"
        "    if fields.get('raises'): raise RuntimeError('no event')\n"
        f"    return Thing(type={kind}, job=Thing(comment=fields.get('comment')),\n"
        "                 vnode=Thing(state=fields.get('state')),\n"
        "                 vnode_o=Thing(state=fields.get('was')))\n")
    (tmp_path / "wake.py").write_text(server.pbs("wake").stdout)

    def run():
        subprocess.run(["/usr/bin/python3", tmp_path / "wake.py"], check=True)
    run()  # nobody listens
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.bind(str(server.home / "pbs.wake"))
        s.setblocking(False)
        run()
        try:
            assert s.recv(10) == b"1" and news
        except BlockingIOError:
            assert not news
        for _ in range(500):  # it is full: nobody waits
            s2 = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s2.setblocking(False)
            try:
                s2.sendto(b"1", str(server.home / "pbs.wake"))
            except BlockingIOError:
                break
            finally:
                s2.close()
        run()


def test_of_several_servers_one_is_said(server, tmp_path):
    """Each has commands, a heartbeat and memory of what was there of its own."""
    other = Server(tmp_path / "other", server.maui)
    (server.home / "maui.cfg").write_text(
        f"RMCFG[old] TYPE=PBS\nRMCFG[new] TYPE=PBS BINDIR={tmp_path / 'other'}\nADMIN1 root\n")
    done = server.pbs("install")
    assert done.returncode == 1 and "several RMCFG[] TYPE=PBS: old, new" in done.stderr
    done = server.pbs("install", "--manager", "newer")
    assert done.returncode == 1 and "these are: old, new" in done.stderr
    (server.home / "maui.cfg").rename(server.home / "apart")
    done = server.pbs("install", "--manager", "new")
    assert done.returncode == 1 and "nobody knows what 'new' is" in done.stderr
    (server.home / "apart").rename(server.home / "maui.cfg")
    assert server["scheduling"] == other["scheduling"] == "True"
    assert server.pbs("install", "--manager", "new").returncode == 0
    assert server["scheduling"] == "True" and other["scheduling"] == "False"
    assert f"{server.home}/new.heartbeat" in other["hooks"]["maui"]["text"]
    assert f"{server.home}/new.wake" in other["hooks"]["maui_wake"]["text"]
    assert server.pbs("install", "--manager", "old").returncode == 0
    assert server.pbs("install", "--undo", "--manager", "new").returncode == 0
    assert server["scheduling"] == "False" and other["scheduling"] == "True"
    assert (server.home / "old.saved").exists() and not (server.home / "new.saved").exists()


def test_usage_errors(server, tmp_path):
    assert server.pbs().returncode == server.pbs("chek").returncode == 1
    assert server.pbs("install", "--open-after", "1").returncode == 1
    assert server.pbs("hook", "--home", f'{tmp_path}/a"b').returncode == 1
    server.env["PATH"] = str(server.home)
    done = server.pbs("check")
    assert done.returncode == 1 and "no commands of PBS" in done.stderr
