/* SPDX-License-Identifier: Apache-2.0
 * A file of this folder, as text of the program. */
#ifndef MAUI_RM_SLURM_CONF_SNIPPET_H
#define MAUI_RM_SLURM_CONF_SNIPPET_H

const char *conf_snippet_text(void);

#endif
