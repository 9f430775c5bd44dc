# SPDX-License-Identifier: Apache-2.0
"""A site with slurmdbd beside Slurm alone: the probes of twin_accounts.py."""
import pytest

import slurm_release
import twin_accounts
import twin_site

lack = twin_accounts.missing()
pytestmark = pytest.mark.skipif(
    bool(lack), reason=f"no slurmdbd here: {lack} is not installed (scripts/deps test)")
SAME = [p for p in twin_accounts.PROBES if not p.other]


@pytest.fixture(scope="module")
def pairs(slurm_program, request):
    """Two; all probes that were asked for begin now."""
    made = twin_site.Pairs(lambda: twin_accounts.twin(slurm_program),
                           twin_site.asked(request), 2)
    yield made
    made.down()


@pytest.mark.parametrize("probe", SAME, ids=[p.name for p in SAME])
def test_limits_are_felt_as_under_slurm_alone(pairs, probe):
    if probe.name == "where_it_fits_best" and slurm_release.release() >= (26, 5):
        pytest.xfail("of the nodes that hold a job alone 26.05 takes the first, 22.05 the fullest")
    pairs.judge(probe)
