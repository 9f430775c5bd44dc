/* SPDX-License-Identifier: Apache-2.0
 * A command of the resource manager, run and waited for: for what people call
 * (`maui pbs install`), which has no loop. Adapters use run.h. */
#ifndef MAUI_RM_ADAPTER_ASK_H
#define MAUI_RM_ADAPTER_ASK_H

#include "base/strbuf.h"

/* The exit status; 128 + n: killed by signal n; 127: it cannot be run. What it prints,
 * on its standard error too, is added to *io; no shell sees the arguments, standard
 * input is empty. argv[0] is a path or searched by PATH. Waits as long as it runs. */
int ask_program(const char *const *argv, struct strbuf *io);

#endif
