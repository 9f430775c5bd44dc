# SPDX-License-Identifier: Apache-2.0
"""PBS, a recorded server, beside a LOCAL resource manager, which is the first: jobs of
both in one plan, arrays of PBS by their names here, kills, and PBS out of reach."""
import pwd
import os

import pytest

from recorded import Recorded
from recorded_test import Site, chunk

ME = pwd.getpwuid(os.geteuid()).pw_name


class Beside(Site):
    def configure(self, wait="STARTWAIT=60"):
        self.daemon.configure(
            "RMCFG[here] TYPE=LOCAL NODES=2x2\nRMCFG[pbs] TYPE=PBS POLLINTERVAL=1 STARTWAIT=60\n"
            f"RMPOLLINTERVAL 1\nADMIN1 root {ME}\nNODEALLOCATIONPOLICY FIRSTAVAILABLE\n", plain=True)

    def here(self, id):
        return f"pbs.{id.split('.')[0]}"


@pytest.fixture(params=[False, True], ids=["openpbs", "torque"])
def site(request, build, tmp_path):
    site = Beside(build, Recorded(tmp_path, torque=request.param))
    yield site
    site.daemon.clean()


def test_jobs_of_both_run_and_are_told_apart(site):
    site.serve()
    id = site.qsub("-l", chunk(site, 3, 2))
    site.wait_state(id, "R")
    mine = site.daemon.submit("sleep 120")
    site.wait(lambda: site.daemon.state(mine) == "Running", "the local one")
    theirs = site.daemon.job(site.here(id))
    assert theirs["rm"] == "pbs" and site.daemon.job(mine)["rm"] == "here"
    assert {n["node"] for n in theirs["allocation"]} == {"cn01", "cn02"}
    after = site.daemon.submit("true", dependencies=[f"afterany:{site.here(id)}"])
    assert site.daemon.state(after) != "Running"
    for _ in range(2):
        site.daemon.kill()
        site.serve()
    site.wait(lambda: site.daemon.state(site.here(id)) == site.daemon.state(mine) == "Running", "both")
    assert len(site.server.starts(id)) == 1
    site.server.end(id, 0)
    site.wait(lambda: site.daemon.job(after) is None, "the end of what waited for it")


def test_an_array_is_ordered_about_by_its_name_here(site):
    site.serve()
    option = "-t" if site.server.torque else "-J"
    number = site.qsub(option, "1-3", "-h", "-l", chunk(site)).split("[")[0]
    def jobs():
        return [j for j in site.daemon.lines("showq") if j.get("id", "").startswith(f"pbs.{number}[")]
    site.wait(jobs, "its jobs")
    told = site.daemon.run("canceljob", f"here.{number}[]")
    assert told.returncode != 0 and "cannot locate" in told.stderr + told.stdout
    assert jobs()
    site.daemon.ok("canceljob", f"pbs.{number}[]")
    site.wait(lambda: not jobs(), "the end of all of them")
