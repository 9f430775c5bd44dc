/* SPDX-License-Identifier: Apache-2.0
 * What a job of PBS asks for, as texts and as requests of the scheduler, both ways.
 *
 *     OpenPBS   select=2:ncpus=2:mem=1gb+1:ncpus=8   place=scatter:excl
 *               chunk = task; a node is a vnode      free pack scatter vscatter
 *     TORQUE    nodes=1:ppn=4:ib+2:ppn=2             a task is a slot of a node
 *               procs=6, ncpus=4
 *
 * Pure. What the scheduler cannot plan is said (`odd`), never planned wrongly. */
#ifndef MAUI_RM_PBS_SHAPE_H
#define MAUI_RM_PBS_SHAPE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "rm/rm.h"

enum pbs_arrangement { PBS_FREE, PBS_PACK, PBS_SCATTER, PBS_VSCATTER };

/* So many alike: chunks, or nodes= of TORQUE. Lists are NULL-terminated or NULL. */
struct pbs_chunk {
    int64_t count;
    int64_t procs, mem_mb; /* of each; mem 0 = nothing said */
    int64_t ppn;           /* TORQUE: slots on each node; 0 = a chunk of OpenPBS */
    const char *spec;      /* what a start gives it: "ncpus=2:mem=1gb" */
    const char *const *features, *const *hosts;
    const char *arch;            /* or NULL */
    const struct gres_cfg *gres; /* name NULL ends; or NULL */
};

struct pbs_shape {
    struct VEC(struct pbs_chunk) chunks;
    enum pbs_arrangement arrangement;
    bool slots;      /* of TORQUE, by procs= or ncpus=: started by slots of nodes */
    bool exclusive;  /* nobody else on its nodes */
    bool whole_host; /* ... nor on others of their hosts */
    const char *odd; /* in the arena: why it cannot be planned; NULL = it can */
};

/* Texts of the arena live as long as it. -1: the text is not of that form, with what
 * was expected; what could not be planned alone is no error. */
int pbs_select(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err);
int pbs_place(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err);
int pbs_nodes(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err);
void pbs_shape_fini(struct pbs_shape *s);

/* More chunks than the scheduler can be told of: pbs_requests() has the first alone. */
bool pbs_is_too_much(const struct pbs_shape *s);
/* The requests of the shape, in the arena; *ret_flags: further job flags. */
const struct req_desc *pbs_requests(const struct pbs_shape *s, struct arena *arena,
    uint32_t *ret_n, uint32_t *ret_flags);

/* What qrun -H takes for these places; owned by the caller. */
char *pbs_start_spec(
    const struct pbs_shape *s, const struct job_place *places, size_t n);

/* Where it runs: exec_vnode "(cn01[0]:ncpus=2:mem=1gb)+(cn03:ncpus=2)" or exec_host of
 * TORQUE "cn01/0-1+cn05/0,3-7". Where that is not of the shape, *ret_reqs is a request
 * that is. False: it cannot be read. */
struct pbs_places {
    const struct job_place *v;
    size_t n;
    const struct req_desc *reqs; /* NULL = those of the shape */
    uint32_t nreqs;
};
bool pbs_exec_vnode(const struct pbs_shape *s, struct arena *arena, const char *text,
    struct pbs_places *ret);
bool pbs_exec_host(
    struct arena *arena, const char *text, int64_t mem_mb, struct pbs_places *ret);

/* "2gb", "512mb", "1048576kb", "10" (bytes), words with w: MB, rounded up. -1: none. */
int64_t pbs_size_mb(const char *text);
/* "HH:MM:SS", hours may exceed 24, or seconds. -1: none. */
int64_t pbs_seconds(const char *text);
/* A resource as a job or a node has it: what it is here. */
enum pbs_resource { PBS_COUNT, PBS_FEATURE, PBS_NOT, PBS_IGNORED };
enum pbs_resource pbs_resource(const char *name, const char *value, int64_t *ret_count);

#endif
