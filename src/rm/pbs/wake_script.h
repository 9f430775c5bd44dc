/* SPDX-License-Identifier: Apache-2.0
 * The hook of OpenPBS that wakes the scheduler, in the program. */
#ifndef MAUI_RM_PBS_WAKE_SCRIPT_H
#define MAUI_RM_PBS_WAKE_SCRIPT_H

/* wake.py, with @WAKE@ in it. */
const char *wake_script_text(void);

#endif
