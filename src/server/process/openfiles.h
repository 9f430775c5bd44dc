/* SPDX-License-Identifier: Apache-2.0
 * How many files the daemon may have open. A file of its own because <sys/resource.h>
 * has names that clash with those of priority components. */
#ifndef MAUI_SERVER_OPENFILES_H
#define MAUI_SERVER_OPENFILES_H

/* As many as the process may have: a client is one. */
void openfiles_raise(void);

#endif
