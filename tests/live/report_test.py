# SPDX-License-Identifier: Apache-2.0
"""maui report: one file that tells of a scheduler, and of no secret."""
import pathlib
import tarfile

CONFIG = """RMCFG[local] TYPE=LOCAL NODES=2x2
BYPASSWEIGHT 7
# CLIENTCFG[peer] CSKEY=sesame1
# password: sesame2
AMCFG[bank] TYPE=NONE
#INCLUDE more.cfg
"""

SECRETS = """OAUTH2_TOKEN=sesame10
S3SECRET=sesame11
GOLD_KEY2=sesame12
ENV=DB_PASS=sesame13 MYPASS=sesame14
{"password":"sesame15"} 'token' : 'sesame16' <secret>sesame17</secret>
{\\"password\\":\\"sesame18\\"}
Authorization: Bearer sesame19
https://sesame20:p@sesame21@host/path
CSKEY=\\
sesame22 and
a line without any
"""


def contents(path):
    with tarfile.open(path) as tar:
        return {m.name: tar.extractfile(m).read().decode() for m in tar if m.isfile()}


def test_a_report_has_what_is_needed_and_no_secret(daemon):
    home = pathlib.Path(daemon.home)
    daemon.configure(CONFIG, plain=True)
    (home / "more.cfg").write_text("")
    (home / "maui.cfg.d").mkdir()
    (home / "maui.cfg.d" / "site.cfg").write_text("QUEUETIMEWEIGHT 3\n# token = sesame3\n")
    (home / "maui-private.cfg").write_text("CLIENTCFG[peer] CSKEY=sesame4\n")
    (home / "maui-private.cfg").chmod(0o600)
    daemon.ok("serve")
    job = daemon.submit("echo sesame5; sleep 60", environment=["SECRET=sesame6"])
    with open(home / "log" / "maui.log", "a") as f:
        f.write(SECRETS)
    told = daemon.ok("report", "-o", "r.tar.gz")
    assert told.startswith("r.tar.gz: ") and "Not in this report:" in told
    assert (home / "r.tar.gz").stat().st_mode & 0o077 == 0
    found = contents(home / "r.tar.gz")
    parts = {name.removeprefix("maui-report/") for name in found}
    assert {"LEFT-OUT", "about", "check", "config/maui.cfg", "config/site.cfg", "machine", "maui.log",
            "managers", "nodes", "queue", "scheduler"} <= parts
    everything = "\n".join(found.values())
    assert "sesame" not in everything
    log = found["maui-report/maui.log"]
    assert "OAUTH2_TOKEN=(left out)" in log and "https://(left out)@host/path" in log
    assert "a line without any" in log
    assert "BYPASSWEIGHT 7" in found["maui-report/config/maui.cfg"]
    assert "CSKEY=(left out)" in found["maui-report/config/maui.cfg"]
    assert "QUEUETIMEWEIGHT 3" in found["maui-report/config/site.cfg"]
    assert job in found["maui-report/queue"] and "Mode: NORMAL" in found["maui-report/scheduler"]
    done = daemon.run("report", "-o", "r.tar.gz")
    assert done.returncode == 1 and "is there already" in done.stderr


def test_a_report_of_a_scheduler_that_is_away_has_what_there_is(daemon):
    daemon.configure("QUEUETIMEWIEGHT 1\nCLIENTCFG[peer] CSKEY=sesame\n", plain=True)
    logs = pathlib.Path(daemon.home) / "log"
    logs.mkdir(exist_ok=True)
    (logs / "events.log").symlink_to("/etc/passwd")
    daemon.ok("report", "-o", "away.tar.gz")
    found = contents(f"{daemon.home}/away.tar.gz")
    assert "did you mean QUEUETIMEWEIGHT" in found["maui-report/check"]
    assert "[exit status 1]" in found["maui-report/queue"]
    assert "QUEUETIMEWIEGHT" in found["maui-report/config/maui.cfg"]
    assert "sesame" not in "\n".join(found.values())
    assert "maui-report/events.log" not in found
    assert f"no plain file: {logs}/events.log" in found["maui-report/LEFT-OUT"]
