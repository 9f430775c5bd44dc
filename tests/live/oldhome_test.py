# SPDX-License-Identifier: Apache-2.0
"""The home of a classic Maui: its configuration imported, its fairshare usage taken over."""
import pathlib
import re
import time

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
