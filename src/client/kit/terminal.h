/* SPDX-License-Identifier: Apache-2.0
 * What people read on a terminal: lines that fit its width, and colour where it helps.
 * Programs read a pipe or a file, which has the classic layouts byte for byte. */
#ifndef MAUI_CLIENT_TERMINAL_H
#define MAUI_CLIENT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* How lines are written. */
struct terminal {
    unsigned width; /* columns; 0 = as wide as they are */
    bool colour;
};

/* From here on what is printed on stdout goes through terminal_line(), if stdout is a
 * terminal. Its width is COLUMNS of the environment, else what the terminal says.
 * Colours are left out where NO_COLOR is set or TERM is "dumb". */
void terminal_begin(void);

/* Write one line, without its newline. What does not fit goes on in the next line, set
 * in by four columns; words are never cut, nothing is lost but blanks. States that ask
 * for a look, headings and reasons are coloured. 0, or -1 when it cannot be written. */
int terminal_line(const struct terminal *t, const char *line, FILE *out);

#endif
