# SPDX-License-Identifier: Apache-2.0
"""`maui slurm install` and `--undo` on the files that sites have: whatever they look like,
every byte and mode comes back, or a message says what to do. No Slurm is needed."""
import itertools
import os
import pathlib
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time

import pytest

CONF = """\
ClusterName=trial
SlurmctldHost=head
SlurmUser={user}
SchedulerType=sched/backfill
NodeName=n1 CPUs=4
PartitionName=all Nodes=n1 Default=YES
"""
OWN_LUA = """\
function slurm_job_submit(job, partitions, uid) return slurm.SUCCESS end
function slurm_job_modify(job, current, partitions, uid) return slurm.SUCCESS end
return slurm.SUCCESS
"""
SHAPES = {
    "plain": CONF,
    "no newline at its end": CONF.rstrip("\n"),
    "carriage returns": CONF.replace("\n", "\r\n"),
    "carriage returns, none at its end": CONF.replace("\n", "\r\n").rstrip("\r\n"),
    "continued": CONF + "SchedulerParameters=defer,\\\n  bf_window=100,\\\n\tbf_interval=60\n"
                        "PriorityType=\\\npriority/basic\n",
    "continued into the end": CONF + "PriorityType=priority/basic \\",
    "comments and blanks": CONF + "\n\n   # PriorityType=priority/basic\n"
                                  "\tPriorityType = priority/basic # why \\# not\n\n\n",
    "in quotes": CONF + 'SchedulerParameters="defer,bf_window=100"\n',
    "set twice": CONF + "MinJobAge=1\nminjobage=2\nMINJOBAGE=3\n",
    "several on a line": CONF + "MinJobAge=1 PriorityType=priority/basic Epilog=/e\n",
    "letters of the world": CONF + "# für alle Größen: \u20ac \udcff\n",
    "long": CONF + "".join(f"NodeName=x{i} CPUs=1 # {'y' * 500}\n" for i in range(2000)),
}


class Site:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.etc = self.folder / "etc"
        self.etc.mkdir()
        self.home = self.folder / "home"
        self.home.mkdir()
        self.user = subprocess.run(["id", "-un"], capture_output=True, text=True,
                                   check=True).stdout.strip()
        self.env = {k: v for k, v in os.environ.items() if k not in ("SLURM_CONF",)}

    def write(self, name, text, mode=0o644):
        path = self.etc / name
        path.write_bytes(text.replace("{user}", self.user)
                         .encode(errors="surrogateescape"))
        path.chmod(mode)
        return path

    def command(self, *options):
        return [str(self.program), "slurm", "install", "--conf-dir", str(self.etc),
                "--home", str(self.home), *options]

    def install(self, *options):
        return subprocess.run(self.command(*options), env=self.env, capture_output=True,
                              text=True, errors="replace", timeout=60, check=False)

    def picture(self):
        """Each name in the folder: what it holds or leads to, its owner, mode, lists."""
        found = {}
        for path in sorted(self.etc.rglob("*")):
            if "maui-saved" in path.parts:
                continue
            st = path.lstat()
            what = (os.readlink(path) if path.is_symlink()
                    else path.read_bytes() if path.is_file() else None)
            lists = {} if path.is_symlink() else {
                n: os.getxattr(path, n) for n in os.listxattr(path)}
            found[str(path.relative_to(self.etc))] = (
                what, stat.S_IMODE(st.st_mode), st.st_uid, st.st_gid, lists)
        return found

    def there_and_back(self):
        """Also a second time each, which changes nothing."""
        before = self.picture()
        done = self.install()
        assert done.returncode == 0, done
        after = self.picture()
        assert after != before
        again = self.install()
        assert again.returncode == 0 and "nothing to change" in again.stdout, again
        assert self.picture() == after
        dry = self.install("--undo", "--dry-run")
        assert dry.returncode == 0 and self.picture() == after, dry
        undone = self.install("--undo")
        assert undone.returncode == 0, undone
        assert self.picture() == before
        assert not (self.etc / "maui-saved").exists()
        twice = self.install("--undo")
        assert twice.returncode == 1 and "nothing to undo" in twice.stderr, twice
        assert self.picture() == before
        return after


@pytest.fixture
def site(slurm_program, tmp_path):
    return Site(slurm_program, tmp_path)


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_comes_back_as_it_was(site, shape):
    conf = site.write("slurm.conf", SHAPES[shape])
    after = site.there_and_back()
    text = after["slurm.conf"][0].decode(errors="surrogateescape")
    assert "PriorityType=priority/multifactor" in text.replace(" = ", "=").replace("\\\n", "")
    assert conf.read_bytes() == SHAPES[shape].replace("{user}", site.user).encode(
        errors="surrogateescape")


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o600, 0o640, 0o664, 0o755])
def test_modes_stay_there_and_back(site, mode):
    site.write("slurm.conf", CONF, mode)
    site.write("job_submit.lua", OWN_LUA, 0o640)
    after = site.there_and_back()
    assert after["slurm.conf"][1] == mode


def test_included_files_and_links_stay_what_they_are(site):
    there = site.folder / "elsewhere"
    there.mkdir()
    (there / "real.conf").write_text(
        CONF.replace("{user}", site.user) + "include parts/sched.conf\n")
    (there / "real.conf").chmod(0o640)
    (site.etc / "slurm.conf").symlink_to("../elsewhere/real.conf")
    (site.etc / "parts").mkdir()
    site.write("parts/sched.conf", "SchedulerParameters=defer\\\n,bf_window=100")
    site.write("parts/hook.lua", OWN_LUA)
    (site.etc / "job_submit.lua").symlink_to("parts/hook.lua")
    real = (there / "real.conf").read_bytes()
    after = site.there_and_back()
    assert after["slurm.conf"][0] == "../elsewhere/real.conf"
    assert "default_queue_depth" in after["parts/sched.conf"][0].decode()
    assert (there / "real.conf").read_bytes() == real
    assert sorted(p.name for p in there.iterdir()) == ["real.conf"]


def test_owners_stay_there_and_back(site):
    if os.geteuid() != 0:
        pytest.skip("needs root, to give files away")
    conf = site.write("slurm.conf", CONF, 0o640)
    os.chown(conf, 2, 3)
    after = site.there_and_back()
    assert after["slurm.conf"][2:4] == (2, 3)


def test_access_lists_stay_there_and_back(site):
    conf = site.write("slurm.conf", CONF, 0o640)
    nobody = 0xffffffff  # owner rw, user 5 r, group r, group 1 rw, at most rw, others none
    entries = [(1, 6, nobody), (2, 4, 5), (4, 4, nobody), (8, 6, 1), (16, 6, nobody),
               (32, 0, nobody)]
    try:
        os.setxattr(conf, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(
            struct.pack("<HHI", *e) for e in entries))
    except OSError as e:
        pytest.skip(f"no access lists in this folder: {e}")
    before = os.getxattr(conf, "system.posix_acl_access")
    after = site.there_and_back()
    assert after["slurm.conf"][4]["system.posix_acl_access"] == before


def test_an_edit_since_is_not_undone_and_nothing_else_is(site):
    """Settings keep what others wrote; a script of ours that was edited is for its editor
    to move away, and until then no file is touched."""
    conf = site.write("slurm.conf", CONF)
    script = site.write("job_submit.lua", OWN_LUA)
    before = site.picture()
    assert site.install().returncode == 0
    written = script.read_bytes()
    conf.write_text(conf.read_text() + "# the day after\n")
    script.write_bytes(written + b"-- the day after\n")
    now = site.picture()
    for _ in range(2):
        done = site.install("--undo")
        assert done.returncode == 1 and "was edited since" in done.stderr, done
        assert str(script) in done.stderr and "Nothing was changed" in done.stderr, done
        assert site.picture() == now
    script.write_bytes(written)
    done = site.install("--undo")
    assert done.returncode == 0 and str(conf) in done.stdout, done
    text = before["slurm.conf"][0]
    before["slurm.conf"] = (text + b"# the day after\n", *before["slurm.conf"][1:])
    assert site.picture() == before


def test_what_somebody_put_back_by_hand_is_left_alone(site):
    """One by its backup, one removed: the rest comes back as ever."""
    conf = site.write("slurm.conf", CONF)
    before, text = site.picture(), conf.read_bytes()
    assert site.install().returncode == 0
    conf.write_bytes(text)
    (site.etc / "job_submit.lua").unlink()
    done = site.install("--undo")
    assert done.returncode == 0 and site.picture() == before, done


@pytest.mark.parametrize("what", ["nul", "folder", "pipe", "unreadable"])
def test_what_is_no_text_is_refused_whole(site, what):
    conf = site.write("slurm.conf", CONF)
    script = site.etc / "job_submit.lua"
    if what == "nul":
        script.write_bytes(OWN_LUA.encode() + b"\0--\n")
    elif what == "folder":
        script.mkdir()
    elif what == "pipe":
        script.symlink_to("/dev/null")
    else:
        if os.geteuid() == 0:
            pytest.skip("needs a user who may not read everything")
        script.write_text(OWN_LUA)
        script.chmod(0)
    before = conf.read_bytes()
    done = site.install()
    assert done.returncode == 1 and str(script) in done.stderr, done
    assert "Nothing was changed" in done.stderr
    assert conf.read_bytes() == before and not (site.etc / "maui-saved").exists()


def test_others_files_are_not_written_through_a_name_that_waits_there(site):
    """Who may write to the folder of slurm.conf leads root nowhere."""
    site.write("slurm.conf", CONF)
    before = site.picture()
    prey = site.folder / "prey"
    prey.write_text("precious\n")
    prey.chmod(0o600)
    (site.etc / "slurm.conf.maui-new").symlink_to(prey)
    (site.etc / "job_submit.lua.maui-new").symlink_to(prey)
    assert site.install().returncode == 0
    assert prey.read_text() == "precious\n" and stat.S_IMODE(prey.stat().st_mode) == 0o600
    assert site.install("--undo").returncode == 0 and site.picture() == before
    (site.etc / "maui-saved").symlink_to(site.home)
    done = site.install()
    assert done.returncode == 1 and "maui-saved" in done.stderr, done
    assert not list(site.home.iterdir()) and site.picture() == before
    (site.etc / "maui-saved").unlink()
    (site.etc / "maui-saved").mkdir()
    (site.etc / "maui-saved").chmod(0o777)
    done = site.install()
    assert done.returncode == 1 and "write there" in done.stderr, done


def test_an_installation_that_was_cut_off_is_undone(site):
    """At each point: some files are as they were, some as they were to be."""
    site.write("slurm.conf", CONF + "include sched.conf\n")
    site.write("sched.conf", "SchedulerParameters=defer\n")
    site.write("job_submit.lua", OWN_LUA)
    before = site.picture()
    assert site.install().returncode == 0
    whole = site.folder / "whole"
    shutil.copytree(site.etc, whole, symlinks=True)
    names = sorted(site.picture())
    for n in range(len(names) + 1):
        for written in itertools.combinations(names, n):
            shutil.rmtree(site.etc)
            shutil.copytree(whole, site.etc, symlinks=True)
            for name in set(names) - set(written):
                (site.etc / name).unlink()
                if name in before:
                    site.write(name, before[name][0].decode())
            (site.etc / "slurm.conf.maui-new").write_text("left behind\n")
            done = site.install("--undo")
            assert done.returncode == 0, (written, done)
            assert site.picture() == before, written
    # before its list was written nothing had been changed
    shutil.copytree(whole / "maui-saved", site.etc / "maui-saved")
    (site.etc / "maui-saved/1/files").unlink()
    assert site.install("--undo").returncode == 0
    assert site.picture() == before and not (site.etc / "maui-saved").exists()


def test_killed_at_any_moment_it_can_be_undone(site):
    site.write("slurm.conf", CONF + SHAPES["long"][len(CONF):] + "include sched.conf\n")
    site.write("sched.conf", "SchedulerParameters=defer\n")
    site.write("job_submit.lua", OWN_LUA)
    before = site.picture()
    begun = time.monotonic()
    assert site.install().returncode == 0
    usual = time.monotonic() - begun
    assert site.install("--undo").returncode == 0 and site.picture() == before
    cut = 0
    for i in range(40):
        words = [] if i % 2 == 0 else ["--undo"]
        if words:
            assert site.install().returncode == 0
        with subprocess.Popen(site.command(*words), env=site.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            time.sleep(usual * i / 40)
            p.send_signal(signal.SIGKILL)
            cut += p.wait() == -signal.SIGKILL
        done = site.install("--undo")
        assert done.returncode == 0 or "nothing to undo" in done.stderr, done
        assert site.picture() == before, (i, words)
    assert cut > 0


def test_an_ordinary_user_is_told_and_changes_nothing(slurm_program):
    if os.geteuid() != 0:
        pytest.skip("other users can only be played by root")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        refuse_ordinary(Site(slurm_program, folder))


def refuse_ordinary(site):
    site.write("slurm.conf", CONF)
    before = site.picture()
    for options in ((), ("--undo",), ("--user", "root")):
        done = subprocess.run(site.command(*options), env=site.env, capture_output=True,
                              text=True, user="games", group=60, check=False,
                              extra_groups=[])
        assert done.returncode == 1 and "Nothing was changed" in done.stderr, done
        assert any(w in done.stderr for w in ("SlurmUser", "denied", "nothing to undo"))
    assert site.picture() == before
