/* SPDX-License-Identifier: Apache-2.0
 * Marks that the gate could not leave in a request: of records of an array, or of a
 * heterogeneous job, of which Slurm gives it one request for all (job_submit.lua). Each
 * lies in a file with the record's number for its name, and is put into the record by a
 * request for that alone, in which the gate removes the file. They outlive this program
 * and slurmctld. */
#ifndef MAUI_RM_SLURM_MARKING_H
#define MAUI_RM_SLURM_MARKING_H

#include <stdbool.h>
#include <stdint.h>

struct adapter;
struct marking;

/* The folder that the gate writes in: that of the file of events (RMCFG[] EVENTS=, NULL
 * where it is in the scheduler's home). Owned by the caller. */
char *marking_home(const char *home, const char *events);

/* Of the gate that writes there, which nothing is asked of yet. */
struct marking *marking_new(const char *gate_home);
void marking_free(struct marking *m);

/* Make the folder, where the gate finds it as SlurmUser. 0; else errno says what is
 * wrong with it. */
int marking_make(struct marking *m, uint32_t slurm_user);

/* Whose requests the gate may leave marks of beside owners': "1003:physics 1004:chem",
 * users by number, each with an account that the user coordinates. 0 or -1 with errno,
 * and what was told before stands. */
int marking_tell_coordinators(struct marking *m, const char *list);

enum marking_left {
    MARKING_DONE,   /* those that are left were refused, and are tried again later */
    MARKING_MORE,   /* some had no turn in this time */
    MARKING_NO_GATE /* slurmctld has another job_submit.lua, or none: all are left */
};

/* Have each that is due put into its record: for so many milliseconds, and each once at
 * most. A mark is given up when its record does not wait any more, and never by its
 * age: it may have been made while this program was away. What Slurm refuses is tried
 * again in 1 s, 2 ... 16 (64 where more than 50 are refused), after all that nobody has
 * refused; another mark of the same record at once. Three requests a mark. `a`: told
 * when Slurm is out of reach, which ends the turn. */
enum marking_left marking_settle(struct marking *m, struct adapter *a, int64_t most_ms);

#endif
