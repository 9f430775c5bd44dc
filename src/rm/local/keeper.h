/* SPDX-License-Identifier: Apache-2.0
 * The keeper: a small process for each job that runs, so that jobs outlive the daemon.
 * It starts the job, watches over its limits, carries out commands, and writes down how
 * the job ended.
 *
 * `maui keeper FOLDER` gets the order on standard input (struct run as JSON) and
 * answers with one line on standard output:
 *
 *     ok KEEPER LEADER START_AT
 *     retry SENTENCE
 *     refused SENTENCE
 *
 * Commands are datagrams to FOLDER/control, "TOKEN VERB ARGUMENT". Each is answered at
 * SPOOL/control by "ID TOKEN o|r CPU_S MEM_MB SUSPENDED_AT SENTENCE"; r: refused. */
#ifndef MAUI_RM_LOCAL_KEEPER_H
#define MAUI_RM_LOCAL_KEEPER_H

int keeper_main(int argc, char **argv);

#endif
