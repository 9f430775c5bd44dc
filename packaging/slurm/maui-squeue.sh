# SPDX-License-Identifier: Apache-2.0
# For /etc/profile.d: squeue says why a job waits (docs/slurm.md). Not needed where
# slurmctld has the plugin job_submit/maui. A format of the user's own goes first.
if [ -z "$SQUEUE_FORMAT$SQUEUE_FORMAT2" ]; then
    SQUEUE_FORMAT2='JobArrayID:.18 ,Partition:.9 ,Name:.8 ,UserName:.8 ,StateCompact:.2 ,TimeUsed:.10 ,NumNodes:.6 ,ReasonList:24 ,admin_comment:90'
    export SQUEUE_FORMAT2
fi
