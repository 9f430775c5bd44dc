# SPDX-License-Identifier: Apache-2.0
"""A site with slurmdbd beside Slurm alone: the probes of twin_accounts.py."""
import pytest

import twin_accounts
import twin_site

lack = twin_accounts.missing()
pytestmark = pytest.mark.skipif(
    bool(lack), reason=f"no slurmdbd here: {lack} is not installed (scripts/deps test)")
SAME = [p for p in twin_accounts.PROBES if not p.other]


@pytest.fixture(scope="module")
def twin(slurm_program):
    sites = twin_accounts.twin(slurm_program)
    try:
        for s in sites:
            s.cluster.up(scheduler=s.ours)
            s.prepare()
        yield sites
    finally:
        for s in sites:
            s.cluster.down()


@pytest.mark.parametrize("probe", SAME, ids=[p.name for p in SAME])
def test_limits_are_felt_as_under_slurm_alone(twin, probe):
    differ, errors = twin_site.compare(probe, twin)
    assert not errors, "\n".join(errors)
    assert not differ, "\n".join(
        [f"{probe.text}\n"] + [f"{i}: Slurm: {a}\n   here:  {b}" for i, a, b in differ]
        + twin[1].notes)
