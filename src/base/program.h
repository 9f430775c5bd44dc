/* SPDX-License-Identifier: Apache-2.0
 * The programs of the scheduler lie beside each other and find each other by that. */
#ifndef MAUI_BASE_PROGRAM_H
#define MAUI_BASE_PROGRAM_H

/* The path of the program of that name in the folder of this one, which need not be
 * there. Owned by the caller. */
char *program_beside(const char *name);

/* The program that this one becomes has memory of the C library in large pages, where
 * the kernel gives them: the library reads that as a program begins, and a look at each
 * of 100,000 jobs takes half as long. What the environment says of it stays. */
void program_ask_large_pages(void);
/* That program, so that those which it starts are not told. */
void program_end_asking(void);

/* The exit status of a program that would end with `status`: 1 instead of 0 when what
 * it printed could not be written, which is complained about in the name of `name`. */
int program_end(const char *name, int status);

#endif
