/* SPDX-License-Identifier: Apache-2.0
 * The programs of the scheduler lie beside each other and find each other by that. */
#ifndef MAUI_BASE_PROGRAM_H
#define MAUI_BASE_PROGRAM_H

/* The path of the program of that name in the folder of this one, which need not be
 * there. Owned by the caller. */
char *program_beside(const char *name);

/* The exit status of a program that would end with `status`: 1 instead of 0 when what
 * it printed could not be written, which is complained about in the name of `name`. */
int program_end(const char *name, int status);

#endif
