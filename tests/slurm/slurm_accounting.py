# SPDX-License-Identifier: Apache-2.0
"""slurmdbd with a database of its own, for clusters of slurm_cluster.py: a site that
keeps accounts and enforces associations, QOS and limits."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "live"))
from live_daemon import wait_for  # noqa: E402
from slurm_release import PATH  # noqa: E402

SLURM_CONF = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={dir}/run/munge.sock
AccountingStorageEnforce=associations,qos,limits
"""
DBD_CONF = """\
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={dir}/run/munge.sock
StorageType=accounting_storage/mysql
StorageLoc=slurm_acct
StorageUser=root
LogFile={dir}/log/slurmdbd.log
PidFile={dir}/run/slurmdbd.pid
"""


def missing():
    """The packages that have to be installed, or None."""
    lack = [package for program, package in (
        ("slurmdbd", "slurmdbd"), ("mariadbd", "mariadb-server-core"),
        ("mariadb-install-db", "mariadb-server-core")) if not shutil.which(program, path=PATH)]
    return " ".join(dict.fromkeys(lack)) or None


class Accounting:
    """Of one cluster, in its folder."""

    def __init__(self, cluster, port):
        self.dir, self.user, self.env, self.port = (
            cluster.dir, cluster.user, cluster.env, port)
        self.database = None

    def conf(self):
        """Its lines in slurm.conf."""
        return SLURM_CONF.format(dir=self.dir, port=self.port)

    def start(self):
        """Once munged runs and before slurmctld does."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                 "stderr": subprocess.DEVNULL}
        # One that starts removes temporary tables of all that share its folder for these.
        os.mkdir(f"{self.dir}/tmp")
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--user={self.user}",
                        f"--datadir={self.dir}/db", f"--tmpdir={self.dir}/tmp",
                        "--auth-root-authentication-method=normal"],
                       env=self.env, check=True, timeout=120, **quiet)
        self.database = subprocess.Popen(
            [shutil.which("mariadbd", path=PATH), "--no-defaults", f"--user={self.user}",
             f"--datadir={self.dir}/db", f"--tmpdir={self.dir}/tmp",
             "--skip-networking=1", "--skip-grant-tables",
             f"--socket={self.dir}/run/mysql.sock",
             f"--pid-file={self.dir}/run/mariadbd.pid",
             f"--log-error={self.dir}/log/mariadbd.log",
             "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"],
            env=self.env, start_new_session=True, **quiet)
        self.until(lambda: os.path.exists(f"{self.dir}/run/mysql.sock"), "the database")
        path = pathlib.Path(self.dir, "etc", "slurmdbd.conf")
        path.write_text(DBD_CONF.format(dir=self.dir, port=self.port, user=self.user))
        path.chmod(0o600)
        subprocess.run([shutil.which("slurmdbd", path=PATH)], check=True, timeout=60,
                       env=dict(self.env, MYSQL_UNIX_PORT=f"{self.dir}/run/mysql.sock",
                                SLURM_CONF=str(path)), **quiet)
        self.until(lambda: self.manage("-n", "show", "cluster").returncode == 0, "slurmdbd")
        self.manage("-i", "add", "cluster", "trial")

    def manage(self, *words):
        """sacctmgr."""
        return subprocess.run(["sacctmgr", *words], env=self.env, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def until(self, condition, what, seconds=120):
        wait_for(condition, f"an answer of {what}", seconds, self.story)

    def story(self):
        """What the daemons wrote, for a failed test."""
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in
                         sorted(pathlib.Path(self.dir, "log").glob("*d*.log")))

    def stop(self):
        try:
            os.kill(int(pathlib.Path(f"{self.dir}/run/slurmdbd.pid").read_text()),
                    signal.SIGKILL)
        except (OSError, ValueError):
            pass
        if self.database:
            self.database.kill()
            self.database.wait()


def manage(slurm, *words):
    """sacctmgr, which may find that it is so already."""
    done = slurm.accounting.manage("-i", *words)
    said = done.stdout + done.stderr
    assert done.returncode == 0 or any(text in said for text in (
        "Already existing", "already", "Nothing new added", "Nothing added",
        "didn't affect anything")), (words, said)
