# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and what users do every day, through one long-lived scontrol: the same as with
Slurm's library."""
import pytest

from slurm_everyday_test import (
    new, test_a_begin_time_that_is_moved_is_kept,
    test_a_job_held_by_its_requeue_stays_so,
    test_a_job_that_is_requeued_here_is_not_tried_before_its_begin_time_either,
    test_a_requeued_job_is_not_tried_before_its_begin_time,
    test_who_is_touched_amid_a_start_is_as_the_user_wants)
from slurm_life_test import (
    test_a_failed_predecessor_starts_afternotok_alone, test_a_hold_on_a_running_job_changes_nothing,
    test_a_job_started_by_order_runs_where_it_was_ordered,
    test_of_several_partitions_one_may_be_down,
    test_wide_starts_in_a_burst_do_not_get_in_each_others_way_for_long)
from slurm_races_test import (
    kept, test_a_hold_set_since_the_last_look_survives_its_being_taken_back,
    test_a_job_for_which_slurm_chooses_the_nodes_stays_off_what_is_reserved,
    test_a_job_started_by_hand_while_its_start_is_on_its_way_keeps_its_nodes,
    test_no_change_of_its_owner_lifts_or_turns_a_hold,
    test_what_is_taken_back_keeps_the_sites_remark_and_its_priority)
from slurm_trouble_test import (
    nothing_ran_yet, numbers_used_up, test_a_job_ends_while_we_are_away, test_a_node_that_is_lost_is_told_and_its_job_comes_back,
    test_a_picture_is_kept_while_slurmctld_is_away, test_a_slurmd_killed_under_a_job,
    test_cancelling_while_slurmctld_is_away_comes_about_later, test_many_jobs_at_once,
    test_munge_is_down_for_a_while, test_no_job_is_held_because_a_node_has_what_slurmctld_and_the_adapter_forgot,
    test_no_job_is_held_or_put_off_because_slurmctld_was_killed,
    test_no_job_is_put_off_for_nodes_that_slurmctld_has_not_heard_of_yet,
    test_a_start_that_met_the_end_of_slurmctld_did_not_fail,
    test_our_daemon_killed_amid_starts, test_slurmctld_hangs_and_comes_back,
    test_slurmctld_killed_and_back,
    test_starts_that_slurmctld_forgot_are_ordered_again_when_nodes_are_ready,
    test_the_adapter_hangs_and_is_replaced,
    test_the_adapter_killed_again_and_again)

CLUSTER = {"nodes": 3, "transport": "SCONTROL", "slurmd_timeout": 10, "message_timeout": 5,
           "conf": "KillWait=1\n"}
