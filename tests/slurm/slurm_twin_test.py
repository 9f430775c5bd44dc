# SPDX-License-Identifier: Apache-2.0
"""What users see of Slurm with the scheduler and of Slurm alone, side by side: pairs of
clusters, the probes of twin_probes.py."""
import os

import pytest

import slurm_release
import twin_site
from twin_probes import PROBES

SAME = [p for p in PROBES if not p.other]

# What Slurm 26.05 alone does otherwise than 22.05, and is not done here.
NOT_AS_26 = {"magnetic_for_others": "root is let into the MAGNETIC reservations of others"}


def can_be_tried(probe):
    return not probe.users or os.geteuid() == 0


@pytest.fixture(scope="module")
def pairs(slurm_program, request):
    """Three; all probes that were asked for begin now."""
    asked = [p for p in twin_site.asked(request) if can_be_tried(p)]
    made = twin_site.Pairs(lambda: twin_site.twin(slurm_program), asked, 3)
    yield made
    made.down()


@pytest.mark.parametrize("probe", SAME, ids=[p.name for p in SAME])
def test_a_user_sees_the_same_as_of_slurm_alone(pairs, probe):
    if not can_be_tried(probe):
        pytest.skip("other users can only be played by root")
    if probe.name in NOT_AS_26 and slurm_release.release() >= (26, 5):
        pytest.xfail(NOT_AS_26[probe.name])
    pairs.judge(probe)
