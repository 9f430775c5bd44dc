/* SPDX-License-Identifier: Apache-2.0
 * cmocka with what it needs before it, whatever order the includes are sorted in. */
#ifndef MAUI_TESTS_CMOCKA_ALL_H
#define MAUI_TESTS_CMOCKA_ALL_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
