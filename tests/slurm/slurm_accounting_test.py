# SPDX-License-Identifier: Apache-2.0
"""A site with slurmdbd that enforces associations, QOS and limits, under the three lines
of the guide: Slurm has looked at accounts and QOS, and what cannot run yet waits."""
import pytest

import slurm_accounting

lack = slurm_accounting.missing()
pytestmark = pytest.mark.skipif(
    bool(lack), reason=f"no slurmdbd here: {lack} is not installed (scripts/deps test)")

CLUSTER = {"nodes": 3, "cpus": 2, "accounting": True}


@pytest.fixture(scope="module")
def site(module_cluster):
    """Somebody may submit: an account with this user, who may use two QOS."""
    manage(module_cluster, "add", "account", "chem", "Description=c", "Organization=c")
    manage(module_cluster, "add", "user", module_cluster.user, "account=chem")
    manage(module_cluster, "add", "qos", "fast")
    return module_cluster


def manage(slurm, *words):
    done = slurm.accounting.manage("-i", *words)
    assert done.returncode == 0 or "Already existing" in done.stdout, (
        words, done.stdout, done.stderr)


def waits_for(slurm, job, *words):
    """It is no deferral, and checkjob has the reason."""
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    text = slurm.wait(lambda: (text := slurm.maui.why(job)) and
                      all(w in text for w in words) and text, f"{words} for {job}")
    assert slurm.maui.state(job) == "Idle", text
    assert "deferred" not in text
    return text


def test_jobs_of_an_account_start(site, slurm):
    job = slurm.sbatch("-A", "chem")
    slurm.wait_state(job, "RUNNING")
    record = slurm.maui.job(job)
    assert (record["account"], record["qos"]) == ("chem", "normal")


def test_what_sacctmgr_adds_later_is_admitted_at_once(site, slurm, users):
    manage(site, "add", "user", users[0], "account=chem")
    manage(site, "modify", "user", users[0], "set", "qos+=fast")
    job = slurm.wait(lambda: slurm.sbatch("-A", "chem", "--qos", "fast", user=users[0]),
                     "a submission")
    slurm.wait_state(job, "RUNNING")
    assert slurm.maui.job(job)["qos"] == "fast"


def test_a_list_in_the_configuration_restricts_more(site, slurm, policies):
    policies(f"USERCFG[{slurm.user}] QLIST=slow QDEF=slow\n")
    job = slurm.sbatch("-A", "chem")
    slurm.wait(lambda: slurm.maui.job(job), f"{job} in the scheduler")
    slurm.wait(lambda: "QOS normal is not accessible" in slurm.maui.why(job), "the reason")


def test_a_job_bound_to_a_drained_node_waits_for_it(site, slurm):
    slurm.ok("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
    slurm.wait(lambda: "drain" in slurm.maui.ok("checknode", "n1").lower(), "n1 drained")
    job = slurm.sbatch("-A", "chem", "-w", "n1")
    waits_for(slurm, job)
    slurm.ok("scontrol", "update", "nodename=n1", "state=resume")
    slurm.wait_state(job, "RUNNING")
    assert slurm.where(job) == ["n1"]


def test_a_job_wider_than_what_is_up_waits(site, slurm):
    slurm.ok("scontrol", "update", "nodename=n[2-3]", "state=down", "reason=test")
    try:
        job = slurm.sbatch("-A", "chem", "-N", "3")
        waits_for(slurm, job)
    finally:
        slurm.ok("scontrol", "update", "nodename=n[2-3]", "state=resume")
    slurm.wait_state(job, "RUNNING", seconds=40)


def test_a_job_over_a_limit_of_its_own_waits(site, slurm, policies):
    policies(f"USERCFG[{slurm.user}] MAXPROC=2\n")
    job = slurm.sbatch("-A", "chem", "-n", "4")
    waits_for(slurm, job, "MAXPROC")
    slurm.maui.ok("changeparam", f"USERCFG[{slurm.user}]", "MAXPROC=6")
    slurm.wait_state(job, "RUNNING")
