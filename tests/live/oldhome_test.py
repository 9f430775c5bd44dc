# SPDX-License-Identifier: Apache-2.0
"""The home of a classic Maui: its configuration imported, its fairshare usage taken over."""
import pathlib
import re
import time

import pytest

from live_daemon import ME

CONFIG = """\
# ours since 2003
SERVERHOST            head1
RMPOLLINTERVAL        00:00:30
FSPOLICY              DEDICATEDPS
FSDEPTH 4
FSINTERVAL 86400
#INCLUDE creds.cfg
CLIENTCFG[RM:base] CSKEY=1234
QUEUETIMEWEIGHT       1
"""
CREDS = "USERCFG[ann] MAXJOB=3\n#INCLUDE maui.cfg\n"
SHARES = "# old\nUSER:joe FSTARGET=10.0+ QLIST=hi,low\nGROUP:staff FSFLAGS=NOQUEUE\nSYSTEM QLIST=hi\nNODE:n1 X=1\n"


def write_home(folder):
    folder.mkdir(exist_ok=True)
    (folder / "maui.cfg").write_text(CONFIG)
    (folder / "creds.cfg").write_text(CREDS)
    (folder / "fs.cfg").write_text(SHARES)
    (folder / "maui.ck").write_text("binary or not\n")
    write_usage(folder, 500, 300)


def write_usage(folder, mine, joes):
    (folder / "stats").mkdir(exist_ok=True)
    now = int(time.time())
    for back in (0, 1):
        (folder / f"stats/FS.{now - now % 86400 - back * 86400}").write_text(
            f"# FS data file\nUSER {ME} {mine}000.0\nUSER joe {joes}000.0\nTOTAL [NONE] {mine + joes}000.0\n")


def test_files_of_a_configuration_become_one_and_the_rest_is_told(maui, tmp_path):
    home = tmp_path / "old"
    write_home(home)
    done = maui("import", "maui", home)
    lines = done.stdout.splitlines()
    assert lines[0] == f"# From {home}/maui.cfg" and lines[1:8] == [
        *CONFIG.splitlines()[:6], "QUEUETIMEWEIGHT       1"]
    assert lines[8:10] == [f"# From {home}/creds.cfg", "USERCFG[ann] MAXJOB=3"]
    assert lines[10:14] == [f"# From {home}/fs.cfg", "USERCFG[joe] FSTARGET=10.0+ QLIST=hi,low",
                            "GROUPCFG[staff] JOBFLAGS=NOQUEUE", "SYSCFG QLIST=hi"]
    told = [f"{home}/maui.cfg:8", f"{home}/fs.cfg:5", f"{home}/maui.ck", f"{home}/stats"]
    assert [re.match("(.*?): not carried over: ", line)[1] for line in done.stderr.splitlines()] == told
    assert [re.match("# (.*?): ", line)[1] for line in lines[15:]] == told
    assert "1234" not in done.stdout + done.stderr
    (tmp_path / "new.cfg").write_text(done.stdout)
    assert "usable" in maui("check", "-c", tmp_path / "new.cfg").stderr


SECRET = "s3cr1t"
HIDING = {
    "joined": f"CLIENTCFG[RM:base] \\\n   HOST=h1 \\\n   CSKEY={SECRET}\n",
    "a blank before the brackets": f"CLIENTCFG [DEFAULT] CSKEY={SECRET}\n",
    "no bracket at the end": f"CLIENTCFG[DEFAULT CSKEY={SECRET}\n",
    "any case": f"ClientCfg[x] csKey = {SECRET}\n",
    "a comment": f"#CLIENTCFG[RM:base] KIND={SECRET}\n",
    "a comment of a key": f"   # the old one: cskey={SECRET}\n",
    "a comment of any key": f"# KEY = {SECRET}\n",
    "a comment that goes on": f"#CLIENTCFG[x] CSKEY=\\\n# {SECRET}\n",
    "a comment whose rest is none": f"#CLIENTCFG[x] HOST=h \\\n   CSKEY={SECRET}\n",
    "a comment whose rest is a word": f"# CSKEY=\\\n   {SECRET}\n",
    "behind a setting": f"XFACTORWEIGHT 3 # CSKEY={SECRET}\n",
    "of a manager": f"RMCFG[base] TYPE=WIKI CSKEY={SECRET} PORT=4000\n",
    "of a manager, joined": f"RMCFG[base] TYPE=WIKI \\\n  CSKEY = \\\n  {SECRET} \\\n  PORT=4000\n",
    "in quotes": f"AMCFG[bank] TYPE=GOLD CSKEY=\"a {SECRET}\" PORT=4000\n",
    "two words": f"AMCFG[bank] CSKEY=a {SECRET} PORT=4000\n",
    "no sign": f"AMCFG[bank] CSKEY {SECRET}\n",
    "a colon": f"AMCFG[bank] CSKEY:{SECRET}\n",
    "on the line of another": f"SRCFG[x] HOSTLIST=n1 CLIENTCFG[y] HOST=h KEY={SECRET}\n",
    "of a name that is misspelt": f"CLIENTCGF[y] CSKEY={SECRET}\n",
    "a no-break space": f"CLIENTCFG\u00a0[y] CSKEY={SECRET}\n",
    "in a word that nobody knows": f"AMCFG[bank] TYPE=GOLD PASSWORD={SECRET} PORT=4000\n",
    "a key of whatever": f"RMCFG[base] TYPE=WIKI KEY={SECRET} PORT=4000\n",
    "in an address": f"IDCFG[x] SERVER=mysql://root:{SECRET}@db/ids\n",
    "in an address of nobody": f"STATDB mysql://root:{SECRET}@db/ids\n",
    "in a parameter that nobody knows": f"SECRETKEY {SECRET}\n",
    "joined, before a comment": f"XFACTORWEIGHT 3 \\ # CSKEY={SECRET}\n",
    "line ends of Windows": f"CLIENTCFG[y] \\\r\n CSKEY={SECRET}\r\n",
}


@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING)
def test_no_secret_is_printed_however_it_is_written(maui, tmp_path, text):
    (tmp_path / "maui.cfg").write_text(f"QUEUETIMEWEIGHT 1\n{text}FSDEPTH 4\n#INCLUDE more.cfg\n")
    (tmp_path / "more.cfg").write_text(text + "FSINTERVAL 3600\n")
    (tmp_path / "fs.cfg").write_text(f"USER:ann FSTARGET=5 CSKEY={SECRET}\n# {SECRET}\nUSER:bob FSTARGET=6\n")
    done = maui("import", "maui", tmp_path)
    assert SECRET not in done.stdout + done.stderr
    assert f"{tmp_path}/maui.cfg:2: not carried over: " in done.stderr or "maui.cfg:3: not" in done.stderr
    lines = done.stdout.splitlines()
    for kept in ("QUEUETIMEWEIGHT 1", "FSDEPTH 4", "FSINTERVAL 3600", "USERCFG[bob] FSTARGET=6"):
        assert kept in lines
    if "XFACTOR" in text:
        assert "XFACTORWEIGHT 3" in lines
    if "PORT=4000" in text:
        assert lines[1:].count("QUEUETIMEWEIGHT 1") == 1 and done.stdout.count("PORT=4000") == 2
        assert "TYPE=" not in text or done.stdout.count("TYPE=") == 2
    assert "CSKEY" not in done.stdout.split("# Not carried over:")[0].upper()
    (tmp_path / "new.cfg").write_text(done.stdout)
    checked = maui("check", "-c", tmp_path / "new.cfg", check=False)
    assert "CLIENTCFG" not in checked.stderr and "KEY" not in checked.stderr
    assert "XFACTOR" not in checked.stderr


def test_lines_that_hold_no_secret_stay_as_they_are(maui, tmp_path):
    text = ("# the keyboard of ann: x\n\n  SRCFG[x]  HOSTLIST=n1 \\\n\tPERIOD=DAY   # nightly\n"
            "AMCFG[bank] KEYFILE=/etc/key\nRMCFG[base] TYPE=WIKI CSALGO=DES\n")
    (tmp_path / "maui.cfg").write_text(text)
    done = maui("import", "maui", tmp_path)
    assert done.stdout == f"# From {tmp_path}/maui.cfg\n{text}" and not done.stderr


def test_files_are_included_as_the_daemon_does(maui, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "maui.cfg").write_text("#INCLUDEless.cfg\n#include small.cfg\nFSDEPTH 4 #INCLUDE <two words.cfg>\n"
                                       "#INCLUDE sub/one.cfg\n#INCLUDE maui-private.cfg\n")
    (tmp_path / "two words.cfg").write_text("FSINTERVAL 3600\n")
    (tmp_path / "sub/one.cfg").write_text("#INCLUDE beside.cfg\n")
    (tmp_path / "beside.cfg").write_text("FSDECAY 0.5\n")  # beside the first, not beside sub/one.cfg
    (tmp_path / "maui-private.cfg").write_text(f"# {SECRET}\nCLIENTCFG[x] CSKEY={SECRET}\n")
    done = maui("import", "maui", tmp_path)
    assert [line for line in done.stdout.splitlines() if line[0] != "#"] == [
        "FSDEPTH 4", "FSINTERVAL 3600", "FSDECAY 0.5"]
    assert SECRET not in done.stdout + done.stderr and "maui.cfg:5: not carried over" in done.stderr
    (tmp_path / "beside.cfg").write_bytes(b"FSDECAY 0.5\n\0CSKEY=1\n")
    done = maui("import", "maui", tmp_path, check=False)
    assert done.returncode == 1 and "NUL" in done.stderr and not done.stdout


def test_the_home_of_a_moab_has_other_names_and_its_configuration_in_etc(maui, tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "spool").mkdir()
    (tmp_path / "etc/moab.cfg").write_text("FSCONFIGFILE shares.cfg\nSTATDIR spool\n#INCLUDE more.cfg\n")
    (tmp_path / "etc/more.cfg").write_text("FSDEPTH 4\n")
    (tmp_path / "etc/shares.cfg").write_text("USER:ann FSTARGET=5\n")
    for name in ("etc/moab-private.cfg", ".moab.ck", ".moab.key", "moab.ck", "spool/FS.1764201600"):
        (tmp_path / name).write_text(SECRET)
    done = maui("import", "maui", tmp_path)
    assert SECRET not in done.stdout
    assert [line for line in done.stdout.splitlines() if line[0] != "#"] == [
        "FSCONFIGFILE shares.cfg", "STATDIR spool", "FSDEPTH 4", "USERCFG[ann] FSTARGET=5"]
    assert {re.match("(.*?): not carried over: ", line)[1] for line in done.stderr.splitlines()} == {
        f"{tmp_path}/{name}" for name in ("etc/moab-private.cfg", ".moab.ck", ".moab.key", "moab.ck", "spool")}
    (tmp_path / "etc/shares.cfg").rename(tmp_path / "etc/fs.cfg")
    assert "USERCFG" not in maui("import", "maui", tmp_path).stdout
    (tmp_path / "etc/moab.cfg").write_text("FSDEPTH 4\n")
    assert "USERCFG[ann] FSTARGET=5" in maui("import", "maui", tmp_path).stdout


def test_a_folder_that_is_no_home_is_refused(maui, tmp_path):
    done = maui("import", "maui", tmp_path, check=False)
    assert done.returncode == 1 and "expected a folder with a maui.cfg" in done.stderr and not done.stdout
    (tmp_path / "maui.cfg").write_text("#INCLUDE lost.cfg\n")
    done = maui("import", "maui", tmp_path, check=False)
    assert done.returncode == 1 and "lost.cfg" in done.stderr and not done.stdout
    assert maui("import", "maui", tmp_path, tmp_path, check=False).returncode == 1
    assert maui("import", "slurm", tmp_path, check=False).returncode == 1
    (tmp_path / "maui.cfg").rename(tmp_path / "moab.cfg")
    (tmp_path / "lost.cfg").write_text("QUEUETIMEWEIGHT 2\r\nXFACTORWEIGHT 1")
    assert "QUEUETIMEWEIGHT 2\nXFACTORWEIGHT 1\n" in maui("import", "maui", tmp_path).stdout


def shares(daemon):
    return {line.split()[0].rstrip("*"): float(line.split()[1])
            for line in daemon.ok("diagnose", "-f", "user").splitlines()
            if line.split() and line.split()[0].rstrip("*") in (ME, "joe")}


def test_usage_of_before_counts_from_the_first_start_on_and_is_read_once(daemon):
    daemon.configure("FSPOLICY DEDICATEDPS\nFSDEPTH 4\nFSINTERVAL 86400\nFSDECAY 1\nFSWEIGHT 1\nADMIN1 root\n")
    write_usage(pathlib.Path(daemon.home), 300, 100)
    daemon.start()
    assert "usage of 2 windows taken over" in daemon.log()
    assert shares(daemon) == {ME: 75.0, "joe": 25.0}
    job = daemon.submit("true")
    daemon.wait(lambda: daemon.job(job) is None, "its end")
    write_usage(pathlib.Path(daemon.home), 1, 999)
    daemon.kill()
    daemon.start()
    assert daemon.log().count("taken over from the files") == 1
    assert {name: round(share) for name, share in shares(daemon).items()} == {ME: 75, "joe": 25}


def test_usage_that_cannot_be_read_is_told_and_taken_over_when_it_can(daemon):
    daemon.configure("FSPOLICY DEDICATEDPS\nFSDEPTH 4\nFSINTERVAL 86400\nFSDECAY 1\nFSWEIGHT 1\nADMIN1 root\n")
    stats = pathlib.Path(daemon.home, "stats")
    write_usage(stats.parent, 300, 100)
    newest = max(stats.glob("FS.*"))
    newest.rename(stats / "kept")
    newest.symlink_to(newest.name)  # to itself: not even root can read it
    daemon.start()
    assert "ALERT" in daemon.log() and str(newest) in daemon.log()
    assert "taken over from the files" not in daemon.log()
    assert not shares(daemon)
    job = daemon.submit("sleep 1")  # meanwhile something is used
    daemon.wait(lambda: daemon.job(job) is None, "its end")
    daemon.stop()
    newest.unlink()
    (stats / "kept").rename(newest)
    daemon.start()
    assert "usage of 2 windows taken over" in daemon.log()
    assert {name: round(share) for name, share in shares(daemon).items()} == {ME: 75, "joe": 25}
    daemon.stop()
    daemon.start()
    assert daemon.log().count("taken over from the files") == 1
    assert {name: round(share) for name, share in shares(daemon).items()} == {ME: 75, "joe": 25}


def test_usage_of_before_waits_while_fairshare_is_off(daemon):
    daemon.configure("ADMIN1 root\n")
    write_usage(pathlib.Path(daemon.home), 300, 100)
    daemon.start()
    daemon.stop()
    daemon.configure("FSPOLICY DEDICATEDPS\nFSDEPTH 4\nFSINTERVAL 86400\nFSDECAY 1\nFSWEIGHT 1\nADMIN1 root\n")
    for _ in range(2):
        daemon.start()
        assert daemon.log().count("usage of 2 windows taken over") == 1
        assert shares(daemon) == {ME: 75.0, "joe": 25.0}
        daemon.kill()


def test_files_of_another_interval_are_told(daemon):
    daemon.configure("FSPOLICY DEDICATEDPS\nFSDEPTH 4\nFSINTERVAL 3600\nADMIN1 root\n")
    stats = pathlib.Path(daemon.home, "stats")
    stats.mkdir(exist_ok=True)
    (stats / f"FS.{int(time.time()) // 86400 * 86400 + 1}").write_text(f"USER {ME} 3000.0\n")
    daemon.start()
    assert "of none of the last FSDEPTH intervals of this FSINTERVAL" in daemon.log()
