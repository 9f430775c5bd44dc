/* SPDX-License-Identifier: Apache-2.0
 * The text of demo.sh, made part of the program by scripts/embed. */
#ifndef MAUI_CLIENT_DEMO_SCRIPT_H
#define MAUI_CLIENT_DEMO_SCRIPT_H

const char *demo_script_text(void);

#endif
