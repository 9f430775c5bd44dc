/* SPDX-License-Identifier: Apache-2.0
 * Included before every file that clang-tidy reads: its analyser works file by file
 * and cannot see that recording an error always returns -1, and a wrong usage 1. */
#include "base/err.h"
#include "trace/diag.h"
#define err_set(...)    (err_set(__VA_ARGS__), -1)
#define err_prefix(...) (err_prefix(__VA_ARGS__), -1)
#define diag_bad(...)   (diag_bad(__VA_ARGS__), -1)
#ifndef NO_COMMAND
#include "client/kit/command.h"
#define command_wrong(...) (command_wrong(__VA_ARGS__), 1)
#endif
/* Nor that what is taken out of a table is in no other element's chain. */
#include "base/hash.h"
#undef HASH_DEL
#define HASH_DEL(head, el) ((head) = (el)->hh.next)
/* Nor that what is taken out of a queue is in it no more. */
#include <sys/queue.h>
#undef TAILQ_REMOVE
#define TAILQ_REMOVE(head, el, field) ((head)->tqh_first = (el)->field.tqe_next)
/* Nor that an array has elements after room was made for some. */
#include "base/vec.h"
#undef vec_reserve
#define vec_reserve(a, more)                                                           \
    do {                                                                               \
        if ((a)->n + (more) > (a)->cap || !(a)->v) {                                   \
            (a)->cap = 2 * ((a)->n + (more) + 8);                                      \
            (a)->v = xrealloc((a)->v, (a)->cap, sizeof *(a)->v);                       \
        }                                                                              \
    } while (0)
