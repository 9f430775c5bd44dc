/* SPDX-License-Identifier: Apache-2.0
 * The commands: each gets its own arguments, argv[0] being its name, and returns the
 * exit status: 0, 1 = it did not work, 2 = it was called wrongly. */
#ifndef MAUI_CLIENT_CLIENT_H
#define MAUI_CLIENT_CLIENT_H

/* looking: a file each */
int checkjob_main(int argc, char **argv);
int checknode_main(int argc, char **argv);
int diagnose_main(int argc, char **argv);
int mshow_main(int argc, char **argv);
int showconfig_main(int argc, char **argv);
int showhold_main(int argc, char **argv);
int showstate_main(int argc, char **argv);
int showtasks_main(int argc, char **argv);
int showres_main(int argc, char **argv);
/* showq.c */
int showq_main(int argc, char **argv);
int msub_main(int argc, char **argv); /* msub.c */
/* setres.c */
int setres_main(int argc, char **argv);
int releaseres_main(int argc, char **argv);
/* schedctl.c */
int schedctl_main(int argc, char **argv);
int resetstats_main(int argc, char **argv);
int mschedctl_main(int argc, char **argv);
int changeparam_main(int argc, char **argv);
/* demo.c */
int demo_main(int argc, char **argv);
/* order.c */
int sethold_main(int argc, char **argv);
int releasehold_main(int argc, char **argv);
int setspri_main(int argc, char **argv);
int setqos_main(int argc, char **argv);
int canceljob_main(int argc, char **argv);

int check_main(int argc, char **argv); /* check.c: maui check */
int sim_main(int argc, char **argv);   /* sim_cmd.c: maui sim */

#endif
