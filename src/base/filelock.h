/* SPDX-License-Identifier: Apache-2.0
 * A file locked by the one process that may use what belongs to it, and that says in
 * its first line which one that is: "1234". */
#ifndef MAUI_BASE_FILELOCK_H
#define MAUI_BASE_FILELOCK_H

#include <stddef.h>

/* Lock FD as the only one. 0, or -1 with errno: EWOULDBLOCK while another has it. Waits
 * for a holder that is dying (10 s), of which one file may be free before the other,
 * and a moment (0.3 s) for one that lives: a signal may be on its way to it. */
int filelock_take(int fd);

/* The first line of the file; "" when nobody has written yet, or any more. */
void filelock_holder(int fd, char *text, size_t size);

#endif
