/* SPDX-License-Identifier: Apache-2.0
 * The hook of OpenPBS, in the program. */
#ifndef MAUI_RM_PBS_HOOK_SCRIPT_H
#define MAUI_RM_PBS_HOOK_SCRIPT_H

/* hook.py, with @HEARTBEAT@ and @OPEN_AFTER@ in it. */
const char *hook_script_text(void);

#endif
