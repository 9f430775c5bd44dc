# SPDX-License-Identifier: Apache-2.0
"""What users see of Slurm with the scheduler and of Slurm alone, side by side: one pair of
clusters, the probes of twin_probes.py."""
import os

import pytest

import twin_site
from twin_probes import PROBES

SAME = [p for p in PROBES if not p.other]


@pytest.fixture(scope="module")
def twin(slurm_program):
    sites = twin_site.twin(slurm_program)
    try:
        for s in sites:
            s.cluster.up(scheduler=s.ours)
        yield sites
    finally:
        for s in sites:
            s.cluster.down()


@pytest.mark.parametrize("probe", SAME, ids=[p.name for p in SAME])
def test_a_user_sees_the_same_as_of_slurm_alone(twin, probe):
    if probe.users and os.geteuid() != 0:
        pytest.skip("needs root, to be other users")
    differ, errors = twin_site.compare(probe, twin)
    assert not errors, "\n".join(errors)
    assert not differ, "\n".join(
        [f"{probe.text}\n"] + [f"{i}: Slurm: {a}\n   here:  {b}" for i, a, b in differ]
        + twin[1].notes)
