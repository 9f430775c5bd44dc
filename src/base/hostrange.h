/* SPDX-License-Identifier: Apache-2.0
 * Host ranges: rack[1-4]node[01-10]. Names are matched against the pattern; the
 * pattern is never spelled out, so the size of a range costs nothing. */
#ifndef MAUI_BASE_HOSTRANGE_H
#define MAUI_BASE_HOSTRANGE_H

#include <stdbool.h>

/* Is `text` a host range rather than a regular expression? Every bracket must
 * hold numbers and ranges of numbers only, one of them a range or list with a
 * number of two digits or more; outside are letters, digits, - _ and dots. */
bool hostrange_is(const char *text);

/* Does `name` lie in the range? Numbers with leading zeros in the pattern need
 * that many digits in the name. `range` must satisfy hostrange_is(). */
bool hostrange_match(const char *range, const char *name);

#endif
