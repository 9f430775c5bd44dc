# SPDX-License-Identifier: Apache-2.0
"""The same where Slurm's library is not there: operators as scontrol shows them,
coordinators as sacctmgr does; what these order, by files of the gate."""
from slurm_private_test import (  # noqa: F401
    CLUSTER as WITH_LIBRARY, jobs, people, pytestmark, site,
    test_changes_of_rights_and_of_what_is_hidden_are_seen_live,
    test_coordinators_may_do_so_with_jobs_of_their_accounts,
    test_showq_shows_the_jobs_that_squeue_shows,
    test_what_they_do_with_scontrol_is_taken_as_theirs)

CLUSTER = {**WITH_LIBRARY, "transport": "SCONTROL"}
