# SPDX-License-Identifier: Apache-2.0
"""Commands of anybody on any machine, without MAUIHOMEDIR: a home of this machine, the
site's file, DNS. What lies in /etc and /var is put there in a mount namespace."""
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import textwrap

import pytest

from live_users import Users, need_users
from tcp_test import munge  # noqa: F401

THREE = ("nobody", "games", "bin")


@pytest.fixture
def elsewhere(munge, daemon):  # noqa: F811
    """The daemon answers at another address of this machine: (users, port)."""
    need_users()
    with socket.socket() as free:
        free.bind(("127.0.0.2", 0))
        port = free.getsockname()[1]
    daemon.start("--host", "127.0.0.2", "--port", str(port))
    users = Users(daemon)
    env = dict(daemon.env)
    daemon.env = {k: v for k, v in env.items() if not k.startswith(("MAUI", "SERVER"))}
    daemon.env["MAUICLIENTCFG"] = "/no/such"
    yield users, port
    daemon.env = env


def site_file(users, text):
    """Where everybody can read it."""
    path = pathlib.Path(users.live.home, "client.cfg")
    path.write_text("# of this site\n" + text)
    path.chmod(0o644)
    users.live.env["MAUICLIENTCFG"] = str(path)
    return path


def test_the_sites_file_names_the_daemon_for_everybody(elsewhere):
    users, port = elsewhere
    path = site_file(users, f"SERVERHOST 127.0.0.2\nSERVERPORT {port}\n")
    for user in THREE:
        about = users.ok(user, "showq", "--about")
        assert f"server: '127.0.0.2' port {port}\n" in about
        assert f"named:  {path}\n" in about
        users.ok(user, "showq")
    assert "'nobody' is not authorized" in users.refused("nobody", "diagnose", "-c")
    job = subprocess.run([users.live.program, "msub"], input="sleep 9\n", text=True,
                         env=users.live.env, capture_output=True, cwd=users.live.home)
    assert job.returncode == 0, job.stderr
    assert "games" in users.refused("games", "canceljob", job.stdout.strip())


def test_words_and_environment_come_before_the_sites_file(elsewhere, tmp_path):
    users, port = elsewhere
    path = site_file(users, "SERVERHOST 127.0.0.2\nSERVERPORT 1\n")
    assert "named:  --host" in users.ok("nobody", "showq", "--about", "--host", "127.0.0.3")
    users.live.env.update(SERVERHOST="127.0.0.2", SERVERPORT=str(port))
    users.ok("nobody", "showq")
    del users.live.env["SERVERHOST"], users.live.env["SERVERPORT"]
    refused = users.refused("nobody", "showq")
    assert f"cannot connect to '127.0.0.2' port 1 ({path})" in refused
    # who names a home means that one
    users.live.env["MAUIHOMEDIR"] = str(tmp_path)
    assert f"cannot connect to '{tmp_path}/api.sock'" in users.refused("nobody", "showq")


def test_what_was_looked_at_is_said(elsewhere):
    users, _ = elsewhere
    said = users.refused("nobody", "checkjob", "1")
    for place in ("/var/lib/maui/api.sock", "/no/such", "SRV _maui._tcp in DNS"):
        assert place in said, said


def test_a_host_that_does_not_exist_is_said(elsewhere):
    users, _ = elsewhere
    site_file(users, "SERVERHOST no.such.invalid\n")
    assert "no such host: 'no.such.invalid'" in users.refused("nobody", "showq")


def in_namespace(script, env, *options):
    done = subprocess.run(["unshare", "-m", *options, "sh", "-ec", textwrap.dedent(script)],
                          env=env, capture_output=True, text=True, timeout=60)
    if "unshare failed" in done.stderr:
        pytest.skip("no namespaces here")
    return done


def test_the_daemon_of_this_machine_is_found_in_var(live, tmp_path):
    need_users()
    users = Users(live)
    env = {k: v for k, v in live.env.items() if not k.startswith(("MAUI", "SERVER"))}
    env["MAUICLIENTCFG"] = "/no/such"
    os.chmod(tmp_path, 0o755)
    os.mkdir(tmp_path / "maui")
    done = in_namespace(f"""
        mount --bind {live.home} {tmp_path}/maui
        cp {users.bin}/maui-client {tmp_path}
        mount --rbind {tmp_path} /var/lib
        for uid in {' '.join(str(pwd.getpwnam(u).pw_uid) for u in THREE)} 0; do
            setpriv --reuid=$uid --clear-groups /var/lib/maui-client showq --about
            setpriv --reuid=$uid --clear-groups /var/lib/maui-client showq >/dev/null
        done
        """, env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("server: '/var/lib/maui/api.sock'\n") == 4


DNS = """
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 53))
print("up", flush=True)
def name(text):
    return b"".join(bytes([len(p)]) + p.encode() for p in text.split(".")) + b"\\0"
while True:
    q, who = s.recvfrom(512)
    asked = q[12:q.index(b"\\0", 12)]
    good = asked.endswith(b"\\x07example\\x03org")
    rr = [(10, 0, 1111, "second.example.org"), (0, 5, 2222, "light.example.org"),
          (0, 9, 40123, "sched.example.org")] if good else []
    end = q.index(b"\\0", 12) + 5
    out = q[:2] + (b"\\x84\\0" if good else b"\\x84\\3") + struct.pack(">HHHH", 1, len(rr), 0, 0)
    out += q[12:end]
    for p, w, port, host in rr:
        data = struct.pack(">HHH", p, w, port) + name(host)
        out += b"\\xc0\\x0c" + struct.pack(">HHIH", 33, 1, 60, len(data)) + data
    s.sendto(out, who)
"""


def test_dns_names_the_daemon(daemon, tmp_path):
    need_users()
    if not shutil.which("ip"):
        pytest.skip("ip is not installed")
    env = {k: v for k, v in daemon.env.items() if not k.startswith(("MAUI", "SERVER"))}
    env["MAUICLIENTCFG"] = "/no/such"
    (tmp_path / "dns.py").write_text(DNS)
    (tmp_path / "resolv").write_text("nameserver 127.0.0.1\nsearch example.org\n")
    done = in_namespace(f"""
        ip link set lo up
        mount --bind {tmp_path}/resolv /etc/resolv.conf
        {sys.executable} {tmp_path}/dns.py >{tmp_path}/up & server=$!
        trap 'kill $server' EXIT
        while ! grep -q up {tmp_path}/up; do sleep 0.05; done
        {daemon.program} showq --about
        {daemon.program} showq --about --port 7
        """, env, "-n")
    assert done.returncode == 0, done.stderr
    assert "server: 'sched.example.org' port 40123\n" in done.stdout
    assert "server: 'sched.example.org' port 7\n" in done.stdout
