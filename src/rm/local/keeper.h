/* SPDX-License-Identifier: Apache-2.0
 * The keeper: a small process for each job that runs, so that jobs outlive the daemon.
 * It starts the job, watches over its limits, carries out commands, and writes down how
 * the job ended.
 *
 * `maui keeper FOLDER` with the order (struct run as JSON) on standard input; it goes
 * to the background at once and answers with one line on standard output: ok KEEPER
 * LEADER START_AT retry SENTENCE refused SENTENCE Commands are datagrams to
 * FOLDER/control, "TOKEN VERB ARGUMENT"; each is answered by "ID TOKEN o|t|r CPU_S
 * MEM_MB SUSPENDED_AT SENTENCE" to SPOOL/control. */
#ifndef MAUI_RM_LOCAL_KEEPER_H
#define MAUI_RM_LOCAL_KEEPER_H

int keeper_main(int argc, char **argv);

#endif
