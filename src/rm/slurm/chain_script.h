/* SPDX-License-Identifier: Apache-2.0
 * A file of this folder, as text of the program. */
#ifndef MAUI_RM_SLURM_CHAIN_SCRIPT_H
#define MAUI_RM_SLURM_CHAIN_SCRIPT_H

const char *chain_script_text(void);

#endif
