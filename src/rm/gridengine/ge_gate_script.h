/* SPDX-License-Identifier: Apache-2.0
 * A file of this folder, as text of the program. */
#ifndef MAUI_RM_GRIDENGINE_GE_GATE_SCRIPT_H
#define MAUI_RM_GRIDENGINE_GE_GATE_SCRIPT_H

const char *ge_gate_script_text(void);

#endif
