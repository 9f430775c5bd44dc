/* SPDX-License-Identifier: Apache-2.0
 * `maui pbs`: what the PBS server needs for this scheduler to be the one that starts
 * jobs, put there, looked at and taken away again.
 *
 *     scheduling = False      PBS's own scheduler is not asked any more
 *     hook "maui" (runjob)    should it be switched on again: it starts nothing while
 *                             HOME/NAME.heartbeat is fresh (OpenPBS; TORQUE has no
 *                             hooks), of RMCFG[NAME]
 *     HOME/NAME.saved         what `scheduling` was, for --undo */
#ifndef MAUI_RM_PBS_INSTALL_H
#define MAUI_RM_PBS_INSTALL_H

/* The exit status: 0; 1: something is missing, or was refused; 2: usage. */
int pbs_main(int argc, char **argv);

#endif
