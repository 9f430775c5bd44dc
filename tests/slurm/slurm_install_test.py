# SPDX-License-Identifier: Apache-2.0
"""A site that has run Slurm for years moves to the scheduler and back, by `maui slurm
install` and `--undo`: its own job_submit.lua, SchedulerParameters, Epilog, accounting."""
import os
import pathlib
import shutil
import signal

import pytest

import slurm_accounting
import slurm_cluster

# Read by slurmctld: written by hand over the years.
SITE = """\
include {dir}/etc/sched.conf
jobsubmitplugins=require_timelimit,lua
PriorityType=priority/basic   # first come, first served
Epilog={dir}/etc/epilog
JobCompType=jobcomp/filetxt
JobCompLoc={dir}/log/completions
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
MinJobAge=30
"""
SCHED = """\
# tuned in 2019
SchedulerParameters=bf_window=2880,defer,\\
default_queue_depth=50,bf_interval=60
"""
OWN_LUA = """\
dofile("{dir}/etc/rules.lua")
local rules = slurm_job_submit
local seen = 0
function slurm_job_submit(job, partitions, uid)
  seen = seen + 1
  if job.name == "forbidden" then
    slurm.log_user("not on our machine")
    return slurm.ERROR
  end
  if rules(job, partitions, uid) ~= slurm.SUCCESS then return slurm.ERROR end
  if job.name == "broken" then error("oh") end
  job.comment = "seen " .. seen
  return slurm.SUCCESS
end
function slurm_job_modify(job, current, partitions, uid)
  slurm.log_info("our script sees priority %d of job %d", job.priority, current.job_id)
  if job.name == "forbidden" then return slurm.ERROR end
  return slurm.SUCCESS
end
slurm.log_info("our script")
return slurm.SUCCESS
"""
# what it reads defines the same names, where Slurm finds ours
RULES_LUA = """\
function slurm_job_submit(job, partitions, uid)
  if job.name == "banned" then
    slurm.log_user("banned by the rules")
    return slurm.ERROR
  end
  return slurm.SUCCESS
end
"""


def files(slurm):
    """All of a site's folder, with owners and modes, but for what is saved."""
    etc = pathlib.Path(slurm.dir, "etc")
    return {str(p.relative_to(etc)): (p.read_bytes(), p.stat().st_mode, p.stat().st_uid)
            for p in etc.rglob("*") if p.is_file() and "maui-saved" not in p.parts
            and p.suffix in (".conf", ".lua")}


@pytest.fixture(scope="module")
def site_cluster(slurm_program):
    lack = slurm_accounting.missing()
    c = slurm_cluster.SlurmCluster(slurm_program, nodes=2, gate=False, accounting=not lack)
    c.extra = SITE.format(dir=c.dir)
    c.write("sched.conf", SCHED)
    c.write("job_submit.lua", OWN_LUA.replace("{dir}", c.dir))
    c.write("rules.lua", RULES_LUA)
    c.write("epilog", "#!/bin/sh\n")
    os.chmod(f"{c.dir}/etc/epilog", 0o755)
    try:
        c.up(scheduler=False)
        if c.accounting:
            for words in (("account", "all"), ("user", c.user, "account=all")):
                c.accounting.manage("-i", "add", *words)
        yield c
    finally:
        c.down()


@pytest.fixture
def site(site_cluster, request):
    """As it was before, whatever became of the test."""
    before, etc = files(site_cluster), pathlib.Path(site_cluster.dir, "etc")
    yield site_cluster
    if not getattr(request.node, "failed", False):
        return
    site_cluster.maui.stop()
    shutil.rmtree(etc / "maui-saved", ignore_errors=True)
    for name in files(site_cluster).keys() - before.keys():
        (etc / name).unlink()
    for name, (text, mode, _) in before.items():
        (etc / name).write_bytes(text)
        (etc / name).chmod(mode)
    restarted(site_cluster)
    site_cluster.empty()


def restarted(slurm):
    slurm.restart("slurmctld", signal.SIGTERM)
    slurm.wait(lambda: slurm.run("scontrol", "ping").stdout.count("UP"), "slurmctld")
    slurm.ok("scontrol", "reconfigure")
    slurm.wait(slurm.all_up, "all nodes")


def install(slurm, *options):
    return slurm.maui.run("slurm", "install", "--home", slurm.maui.home, *options)


def test_a_dry_run_shows_all_and_writes_nothing(site):
    before = files(site)
    done = install(site, "--dry-run")
    assert done.returncode == 0, done
    for words in ("+PriorityType=priority/multifactor   # first come, first served",
                  "+SchedulerParameters=bf_window=2880,defer,default_queue_depth=10000,",
                  "Epilog=" + site.dir + "/etc/epilog stays", "JobCompType=jobcomp/filetxt stays",
                  "your job_submit.lua", "copy to all nodes", "restart slurmctld",
                  "nothing was written"):
        assert words in done.stdout, (words, done.stdout)
    assert "function slurm_job_submit" not in done.stdout # ours, hundreds of lines of it
    assert files(site) == before


def test_a_site_moves_over_and_back(site, forge):
    before = files(site)
    runs = site.sbatch("-N", 2, "--exclusive", "-t", 5)
    site.wait_state(runs, "RUNNING")
    waits = site.sbatch("-n", 2, "-t", 5)
    done = install(site, "--open-after", 50)
    assert done.returncode == 0, done
    again = install(site)
    assert "nothing to change" in again.stdout and "MAX_AGE = 50 " in pathlib.Path(
        site.dir, "etc/job_submit.lua").read_text()
    restarted(site)
    site.maui.start()
    site.wait(site.known, "the picture")
    site.wait(lambda: {r["id"] for r in site.queued()} == {runs, waits}, "both jobs")
    check = site.maui.run("slurm", "check")
    assert check.returncode == 0 and "nothing to change" in check.stdout, check

    # the site's rules hold as before, its errors let nothing past the gate
    refused = site.run("sbatch", "-J", "forbidden", "-t", 1, stdin="#!/bin/sh\n")
    assert refused.returncode and "not on our machine" in refused.stderr
    refused = site.run("sbatch", "-J", "banned", "-t", 1, stdin="#!/bin/sh\n")
    assert refused.returncode and "banned by the rules" in refused.stderr
    assert site.run("sbatch", stdin="#!/bin/sh\n").returncode  # require_timelimit
    broken = site.sbatch("-J", "broken", "-n", 1, "-t", 5)
    plain = site.sbatch("-n", 1, "-t", 5)
    for job in (broken, plain):  # Slurm judges a new one before the scheduler takes it
        site.wait(lambda job=job: site.show(job)["Priority"] == "0", "its being taken over")
    assert site.show(plain)["Comment"].startswith("seen")
    refused = site.run("scontrol", "update", f"jobid={plain}", "name=forbidden")
    assert refused.returncode
    site.ok("scancel", runs)
    for job in (waits, broken, plain):
        site.wait_state(job, "RUNNING")
    kept = site.sbatch("-N", 2, "--exclusive", "-t", 5)
    site.wait_maui(kept, "Idle")

    # it sees what was asked, of each record of an array, not what the gate makes of it
    array = site.sbatch("-H", "-a", "1-3", "-n", 1, "-t", 5)
    site.wait_maui(f"{array}_3", "Hold")
    site.ok("scontrol", "update", f"jobid={array}_2", "comment=x")  # a record of its own
    site.wait_maui(f"{array}_2", "Hold")
    site.ok(forge, "update", array, "priority=4294967295")
    log = pathlib.Path(site.dir, "log/slurmctld.log").read_text()
    assert log.count("our script sees priority 4294967295 of job ") == 2, log[-2000:]
    site.ok("scancel", array)

    # and back: what the daemon kept is Slurm's own again
    site.maui.stop()
    site.maui.ok("slurm", "letgo")
    done = install(site, "--undo")
    assert done.returncode == 0 and files(site) == before, done
    assert not pathlib.Path(site.dir, "etc/maui-saved").exists()
    restarted(site)
    for job in (waits, broken, plain):
        site.ok("scancel", job)
    site.wait_state(kept, "RUNNING")
    site.empty()


def test_back_takes_its_own_lines_out_of_what_was_edited_since(site):
    """And leaves what is others', or names the line of its own that was edited."""
    before = files(site)
    conf, sched = (pathlib.Path(site.dir, "etc", n) for n in ("slurm.conf", "sched.conf"))
    assert install(site, "--undo").returncode == 1
    assert install(site).returncode == 0
    def edit(text):
        return text.replace("Epilog", "# since\nEpilog", 1) + "# the day after\n"
    conf.write_text(edit(conf.read_text()))
    assert install(site, "--open-after", 7).returncode == 0
    done = install(site, "--undo")
    assert done.returncode == 0 and "without the lines of the installation" in done.stdout, done
    assert conf.read_text() == edit(before["slurm.conf"][0].decode())
    assert {n: f for n, f in files(site).items() if n != "slurm.conf"} == {
        n: f for n, f in before.items() if n != "slurm.conf"}
    conf.write_bytes(before["slurm.conf"][0])

    assert install(site).returncode == 0
    sched.write_text(sched.read_text().replace("bf_window=2880", "bf_window=9"))
    now = files(site)
    done = install(site, "--undo")
    assert done.returncode == 1 and f"{sched}:2: was edited" in done.stderr, done
    assert files(site) == now  # nothing of any file
    shutil.copy(f"{site.dir}/etc/maui-saved/1/1.after", sched)
    assert install(site, "--undo").returncode == 0 and files(site) == before


def test_a_script_of_both_is_not_overwritten(site):
    script = pathlib.Path(site.dir, "etc/job_submit.lua")
    before = files(site)
    script.write_text(OWN_LUA.replace("return slurm.SUCCESS\nend", "end", 1) + site.installed("gate"))
    mixed = files(site)
    done = install(site)
    assert done.returncode == 1 and "holds our script and something else" in done.stderr
    assert files(site) == mixed
    script.write_bytes(before["job_submit.lua"][0])
    done = install(site, "--user", "nobody")
    assert done.returncode == 1 and "SlurmUser" in done.stderr
    assert files(site) == before
