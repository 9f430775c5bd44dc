/* SPDX-License-Identifier: Apache-2.0
 * The keeper: a small process for each job that runs, so that jobs outlive the daemon.
 * It starts the job, watches over its limits, carries out commands, and writes down how
 * the job ended.
 *
 * `maui keeper FOLDER` gets the order on standard input (struct run as JSON) and
 * answers with one line on standard output:
 *
 *     ok KEEPER LEADER START_AT START_BOOT_MS
 *     retry SENTENCE     the machine could not do it just now
 *     failed SENTENCE    the job's first process did not get to its program
 *     refused SENTENCE   nor will it ever
 *
 * Commands are datagrams to FOLDER/control, "TOKEN VERB ARGUMENT". Each is answered at
 * SPOOL/control by "ID TOKEN o|r CPU_S MEM_MB SUSPENDED_AT SENTENCE"; r: refused. */
#ifndef MAUI_RM_LOCAL_KEEPER_H
#define MAUI_RM_LOCAL_KEEPER_H

struct session_driver;

/* `sessions`: who opens them for jobs, NULL where nobody can. */
int keeper_main(int argc, char **argv, const struct session_driver *sessions);

#endif
