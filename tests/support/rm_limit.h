/* SPDX-License-Identifier: Apache-2.0
 * A disk that is full, for this process and its children. A file of its own: the
 * system's header has names that the scheduler's settings have too. */
#ifndef MAUI_TESTS_RM_LIMIT_H
#define MAUI_TESTS_RM_LIMIT_H

/* No file may be longer than so many bytes; 0 = as long as before. */
void kit_limit_files(unsigned long bytes);

#endif
