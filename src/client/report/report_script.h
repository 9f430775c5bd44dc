/* SPDX-License-Identifier: Apache-2.0
 * The text of report.sh, made part of the program by scripts/embed. */
#ifndef MAUI_CLIENT_REPORT_SCRIPT_H
#define MAUI_CLIENT_REPORT_SCRIPT_H

const char *report_script_text(void);

#endif
