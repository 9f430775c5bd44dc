# SPDX-License-Identifier: Apache-2.0
# Made of openapi.json by scripts/api-python; do not edit.
"""Records of the scheduler's API, and a method for each of its operations."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NotRequired, TypedDict, Union, cast

from .connection import Connection


RowsNames = TypedDict('RowsNames', {
    #: of all of them
    'prefix': 'NotRequired[str]',
    #: number of the first
    'from': 'NotRequired[int]',
    #: digits at least, with zeros before
    'width': 'NotRequired[int]',
    #: how many
    'count': 'NotRequired[int]',
})


class RowsGroups(TypedDict):
    #: of the group
    name: NotRequired[str]
    #: row
    first: NotRequired[int]
    #: rows
    count: NotRequired[int]
    #: so many nodes are this one row
    folded: NotRequired[int]


class RowsKinds(TypedDict):
    #: row
    first: NotRequired[int]
    #: rows
    count: NotRequired[int]
    #: processors of each
    procs: NotRequired[int]
    #: memory of each; for administrators
    mem_mb: NotRequired[int]
    #: theirs
    partition: NotRequired[str]
    #: theirs; for administrators
    features: NotRequired[list[str]]


class Rows(TypedDict):
    # Nodes as rows, counted from 0.
    #: another one: other rows
    tag: NotRequired[str]
    #: how many
    rows: NotRequired[int]
    #: of all rows, in order: a name, or a run of names that count on
    names: NotRequired[list[Union[str, RowsNames]]]
    #: of consecutive rows
    groups: NotRequired[list[RowsGroups]]
    #: what consecutive rows have
    kinds: NotRequired[list[RowsKinds]]


class ErrorError(TypedDict):
    #: what kind of refusal
    code: Literal['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'too_large', 'busy', 'unavailable', 'internal']
    #: one sentence: what was wrong, what was expected
    message: str
    #: the member or parameter concerned
    field: NotRequired[str]
    #: the nearest valid name
    nearest: NotRequired[str]


class ErrorWaitingFor(TypedDict):
    # with 503 as long as there is no picture: of whom, and since when
    #: the resource manager
    manager: str
    #: since when there is none
    since: int
    #: what it said last
    failure: NotRequired[str]


class Error(TypedDict):
    # Why a request was refused.
    error: ErrorError
    #: with 503 as long as there is no picture: of whom, and since when
    waiting_for: NotRequired[ErrorWaitingFor]


class Amounts(TypedDict):
    # Amounts of a node or a task; -1 = all of the node.
    #: processors
    procs: NotRequired[float]
    #: memory, MB
    mem_mb: NotRequired[int]
    #: swap, MB
    swap_mb: NotRequired[int]
    #: disk, MB
    disk_mb: NotRequired[int]
    #: generic resources by name
    gres: NotRequired[dict[str, int]]


class Place(TypedDict):
    # Tasks on a node.
    #: name
    node: str
    #: tasks
    tasks: int


class Obstacle(TypedDict):
    # What is in the way of a job by name.
    kind: Literal['reservation', 'no_reservation', 'feature', 'resource', 'state']
    #: not told of reservations that the caller may not see: those are one record with
    #: `nodes` alone
    name: NotRequired[str]
    #: that the reservation keeps, that have it, or that are in that state
    nodes: NotRequired[int]
    #: why they are, in words of the resource manager
    text: NotRequired[str]
    #: of the reservation (seconds since 1970)
    start_at: NotRequired[int]
    #: its end (seconds since 1970; null: none)
    until: NotRequired[Union[int, None]]
    #: of a resource
    asked: NotRequired[int]
    #: of one that floats
    free: NotRequired[int]


class Why(TypedDict):
    # Why a job waits.
    #: the job
    id: str
    #: as of then (seconds since 1970)
    at: int
    #: where lists show it
    section: Literal['active', 'eligible', 'blocked', 'completed']
    #: all that hold now: that of checkjob first, the others in the order of the checks
    reasons: list[Reason]
    #: its promised start
    reservation_at: NotRequired[Union[int, None]]
    #: among those that may start, from 1
    place: NotRequired[int]
    #: so many may
    of: NotRequired[int]
    #: the first ten before it, highest priority first
    ahead: NotRequired[list[JobBrief]]
    #: the next ten ends by limit of jobs on nodes that it could use
    frees: NotRequired[list[ComingEnd]]
    #: by name: reservations, features, resources
    obstacles: NotRequired[list[Obstacle]]


class ComingEnd(TypedDict):
    #: when (seconds since 1970; null: without end)
    at: Union[int, None]
    #: processors there
    procs: int
    #: whose end; left out where the caller may not know
    job: NotRequired[str]
    #: its owner
    user: NotRequired[str]


class Change(TypedDict):
    # An object that is other than before, or the end of a block: up to which revision
    # that was.
    #: of the object
    kind: NotRequired[Literal['job', 'node', 'reservation']]
    #: its id or name; left out of one that went, where the caller may not know that it was
    #: there
    id: NotRequired[str]
    job: NotRequired[JobBrief]
    node: NotRequired[Node]
    reservation: NotRequired[Reservation]
    #: it is there no more
    gone: NotRequired[bool]
    #: the lists have to be asked for again
    event: NotRequired[Literal['RESET']]
    #: why
    text: NotRequired[str]
    #: end of a block: all up to this one was told
    revision: NotRequired[int]
    #: the scheduler's clock then (seconds since 1970)
    at: NotRequired[int]
    #: number of the last cycle
    cycle: NotRequired[int]
    #: another number when plan and reasons may be other than before
    plan: NotRequired[int]


class Reason(TypedDict):
    # Why a job waits.
    #: kind: hold, limit, resources, reservation, dependency, priority, ...
    code: str
    #: the sentence; instants in it are of UTC
    text: str
    #: the same where it tells instants: those are numbers (seconds since 1970) between its
    #: words
    parts: NotRequired[list[Union[str, int]]]
    #: the same in the words of the original, where it had some
    classic: NotRequired[str]
    #: and as the soft limit, which is the same as the hard one
    classic_soft: NotRequired[str]
    #: of a limit: which one is violated; both: they are the same
    level: NotRequired[Literal['soft', 'hard', 'both']]
    #: what it is about: a credential, job, partition, resource manager
    object: NotRequired[str]
    #: user, group, account, class, qos, job, partition, manager, or quota (a limit of the
    #: resource manager)
    object_kind: NotRequired[str]
    #: limit
    limit: NotRequired[float]
    #: in use
    used: NotRequired[float]
    #: asked for
    asked: NotRequired[float]
    #: when it could change (seconds since 1970; null: none)
    until: NotRequired[Union[int, None]]


class Request(TypedDict):
    # One requirement of a job.
    #: tasks
    tasks: NotRequired[int]
    #: explicit node count, 0 = none
    nodes: NotRequired[int]
    #: 0 = any
    tasks_per_node: NotRequired[int]
    per_task: NotRequired[Amounts]
    #: memory of each of its nodes besides, however many tasks are there, MB
    mem_per_node_mb: NotRequired[int]
    #: all needed
    features: NotRequired[list[str]]
    #: wished
    preferences: NotRequired[list[str]]
    #: only these
    hosts: NotRequired[list[str]]
    #: not these
    exclude_hosts: NotRequired[list[str]]
    #: operating system
    os: NotRequired[str]
    #: architecture
    arch: NotRequired[str]
    #: network
    network: NotRequired[str]
    #: comparison on configured processors, as '>=4'
    procs_needed: NotRequired[str]
    #: the same, memory in MB
    mem_needed: NotRequired[str]
    #: the same, swap in MB
    swap_needed: NotRequired[str]
    #: the same, disk in MB
    disk_needed: NotRequired[str]
    #: NODEACCESSPOLICY
    access: NotRequired[Literal['SHARED', 'SINGLEJOB', 'SINGLETASK', 'SINGLEUSER']]
    #: NODEALLOCATIONPOLICY
    allocation: NotRequired[str]
    #: as ONEOF:FEATURE:a,b
    node_set: NotRequired[str]


# A job as lists show it.
JobBrief = TypedDict('JobBrief', {
    #: identifier
    'id': 'str',
    #: name given by the user
    'name': 'NotRequired[str]',
    #: where showq puts it
    'section': "Literal['active', 'eligible', 'blocked', 'completed']",
    #: as Idle, Running, Suspended, Completed ...
    'state': 'str',
    #: state as showq writes it: BatchHold, UserHold, SystemHold, Deferred, or the state
    'shown_state': 'NotRequired[str]',
    #: user, system, batch, defer; those of the resource manager among them
    'holds': 'NotRequired[list[str]]',
    #: user
    'user': 'str',
    #: group
    'group': 'NotRequired[str]',
    #: account
    'account': 'NotRequired[str]',
    #: class
    'class': 'NotRequired[str]',
    #: QOS
    'qos': 'NotRequired[str]',
    #: processors over all requests
    'procs': 'int',
    #: tasks over all requests
    'tasks': 'NotRequired[int]',
    #: nodes asked for or held
    'nodes': 'NotRequired[int]',
    #: memory over all tasks, MB
    'mem_mb': 'NotRequired[int]',
    #: wall clock limit (seconds; null: without end)
    'wclimit_s': 'NotRequired[Union[int, None]]',
    #: what is left of it, of an active job (seconds; null: without end)
    'remaining_s': 'NotRequired[Union[int, None]]',
    #: submission (seconds since 1970)
    'submit_at': 'NotRequired[int]',
    #: from when queue time counts (seconds since 1970)
    'queue_at': 'NotRequired[int]',
    #: start (seconds since 1970; null: none)
    'start_at': 'NotRequired[Union[int, None]]',
    #: end, or expected end (seconds since 1970; null: none)
    'end_at': 'NotRequired[Union[int, None]]',
    #: start priority
    'priority': 'NotRequired[int]',
    #: set by setspri, 0 = none
    'system_priority': 'NotRequired[int]',
    #: expansion factor at present
    'xfactor': 'NotRequired[float]',
    #: where it runs or is reserved
    'partition': 'NotRequired[str]',
    #: first allocated node
    'master_host': 'NotRequired[str]',
    #: processor time used / dedicated, percent
    'efficiency': 'NotRequired[Union[float, None]]',
    #: started out of order
    'backfilled': 'NotRequired[bool]',
    #: may be preempted
    'preemptible': 'NotRequired[bool]',
    #: runs above a soft limit
    'soft_violation': 'NotRequired[bool]',
    #: to be complete by (seconds since 1970; null: none)
    'deadline_at': 'NotRequired[Union[int, None]]',
    #: start of its reservation (seconds since 1970; null: none)
    'reservation_at': 'NotRequired[Union[int, None]]',
    'reason': 'NotRequired[Reason]',
    #: of a completed job; 128 + n = by signal n
    'exit_status': 'NotRequired[Union[int, None]]',
    'end': 'NotRequired[JobEnd]',
})


class JobEnd(TypedDict):
    # Why a job ended.
    reason: Literal['by_itself', 'signal', 'wallclock_limit', 'memory_limit', 'usage_limit', 'cancelled', 'node_down', 'dependency', 'noqueue', 'funds', 'array_refused', 'preempted', 'requeued', 'start_given_up', 'deadline', 'shutdown', 'machine_down', 'keeper_killed', 'record_lost', 'vanished']
    #: of usage_limit
    resource: NotRequired[Literal['PROC', 'MEM', 'SWAP', 'DISK']]
    #: of limits: seconds, MB, processors
    limit: NotRequired[float]
    #: as limit; of signal: its number
    used: NotRequired[float]
    #: of cancelled: by whom; of node_down: the node
    name: NotRequired[str]
    #: of cancelled
    by_owner: NotRequired[bool]
    #: further words of people or the resource manager
    said: NotRequired[str]
    #: sentence
    text: str


class JobEligibility(TypedDict):
    #: name
    partition: str
    #: now
    can_run: bool
    #: verdict; blocked and waits: for the reason of the job
    code: Literal['can_run', 'blocked', 'waits', 'idle_procs', 'requirements']
    #: verdict
    text: str
    #: idle
    idle_procs: NotRequired[int]
    #: on nodes that could ever
    feasible_procs: NotRequired[int]
    #: nodes rejected, by reason word
    rejections: NotRequired[dict[str, int]]
    #: what is in the way
    obstacles: NotRequired[list[Obstacle]]


class JobNodeVerdicts(TypedDict):
    #: name
    node: str
    accepted: bool
    #: supported
    tasks: NotRequired[int]
    #: why not
    reason: NotRequired[str]


class JobReservationVerdicts(TypedDict):
    #: name
    reservation: str
    #: the job may use it
    granted: bool
    #: why, or why not
    text: str


class JobHistory(TypedDict):
    #: when (seconds since 1970)
    at: int
    #: as in the events
    event: str
    #: what happened
    text: str
    #: the start that cannot be (seconds since 1970)
    was_promised_by: NotRequired[int]
    #: and the one that is promised in its place
    promised_by: NotRequired[int]
    #: for administrators: by whose order it came about, if it did
    by: NotRequired[str]


# A job in full: its owner and administrators see this.
Job = TypedDict('Job', {
    #: identifier
    'id': 'str',
    #: name given by the user
    'name': 'NotRequired[str]',
    #: where showq puts it
    'section': "Literal['active', 'eligible', 'blocked', 'completed']",
    #: as Idle, Running, Suspended, Completed ...
    'state': 'str',
    #: state as showq writes it: BatchHold, UserHold, SystemHold, Deferred, or the state
    'shown_state': 'NotRequired[str]',
    #: user
    'user': 'str',
    #: group
    'group': 'NotRequired[str]',
    #: account
    'account': 'NotRequired[str]',
    #: class
    'class': 'NotRequired[str]',
    #: QOS
    'qos': 'NotRequired[str]',
    #: processors over all requests
    'procs': 'int',
    #: nodes asked for or held
    'nodes': 'NotRequired[int]',
    #: memory over all tasks, MB
    'mem_mb': 'NotRequired[int]',
    #: wall clock limit (seconds; null: without end)
    'wclimit_s': 'NotRequired[Union[int, None]]',
    #: what is left of it, of an active job (seconds; null: without end)
    'remaining_s': 'NotRequired[Union[int, None]]',
    #: submission (seconds since 1970)
    'submit_at': 'NotRequired[int]',
    #: from when queue time counts (seconds since 1970)
    'queue_at': 'NotRequired[int]',
    #: start (seconds since 1970; null: none)
    'start_at': 'NotRequired[Union[int, None]]',
    #: end, or expected end (seconds since 1970; null: none)
    'end_at': 'NotRequired[Union[int, None]]',
    #: start priority
    'priority': 'NotRequired[int]',
    #: set by setspri, 0 = none
    'system_priority': 'NotRequired[int]',
    #: expansion factor at present
    'xfactor': 'NotRequired[float]',
    #: where it runs or is reserved
    'partition': 'NotRequired[str]',
    #: first allocated node
    'master_host': 'NotRequired[str]',
    #: processor time used / dedicated, percent
    'efficiency': 'NotRequired[Union[float, None]]',
    #: started out of order
    'backfilled': 'NotRequired[bool]',
    #: may be preempted
    'preemptible': 'NotRequired[bool]',
    #: runs above a soft limit
    'soft_violation': 'NotRequired[bool]',
    #: start of its reservation (seconds since 1970; null: none)
    'reservation_at': 'NotRequired[Union[int, None]]',
    'reason': 'NotRequired[Reason]',
    #: of a completed job; 128 + n = by signal n
    'exit_status': 'NotRequired[Union[int, None]]',
    #: now (seconds since 1970)
    'at': 'NotRequired[int]',
    #: resource manager
    'rm': 'NotRequired[str]',
    #: after our last action
    'expected_state': 'NotRequired[str]',
    #: tasks over all requests
    'tasks': 'NotRequired[int]',
    #: processor equivalents
    'pe': 'NotRequired[float]',
    'funds': 'NotRequired[JobFunds]',
    #: it may be started with so short a limit (seconds); by Slurm's --time-min
    'min_wclimit_s': 'NotRequired[int]',
    #: the limit that was shortened so that it could start (seconds; null: without end)
    'full_wclimit_s': 'NotRequired[Union[int, None]]',
    #: true: nobody asked for its limit; it was learned from such jobs (WCLIMITDEFAULT
    #: HISTORY), and the job may run on to the limit that it would have otherwise
    'wclimit_learned': 'NotRequired[bool]',
    #: set by setupri, msub -p or Slurm's --nice
    'user_priority': 'NotRequired[int]',
    #: set by an administrator of Slurm, in place of what the formula says
    'fixed_priority': 'NotRequired[int]',
    #: jobs of a higher tier go before all others; by Slurm's PriorityTier
    'tier': 'NotRequired[int]',
    #: QOS asked for
    'qos_asked': 'NotRequired[str]',
    #: account asked for
    'account_asked': 'NotRequired[str]',
    #: seconds that count as queue time
    'eligible_s': 'NotRequired[int]',
    #: not before (seconds since 1970; null: none)
    'release_at': 'NotRequired[Union[int, None]]',
    #: to be complete by (seconds since 1970; null: none)
    'deadline_at': 'NotRequired[Union[int, None]]',
    #: user, system, batch, defer
    'holds': 'NotRequired[list[str]]',
    #: those of the resource manager
    'rm_holds': 'NotRequired[list[str]]',
    #: as PolicyViolation
    'hold_reason': 'NotRequired[str]',
    #: sentence
    'hold_text': 'NotRequired[str]',
    #: end of deferral (seconds since 1970; null: none)
    'defer_until': 'NotRequired[Union[int, None]]',
    #: when a start that failed is tried again (seconds since 1970; null: none)
    'start_again_at': 'NotRequired[Union[int, None]]',
    #: deferrals so far
    'defer_count': 'NotRequired[int]',
    #: times passed by backfill
    'bypass': 'NotRequired[int]',
    #: starts
    'start_count': 'NotRequired[int]',
    #: preemptions
    'preempt_count': 'NotRequired[int]',
    #: seconds suspended
    'suspended_s': 'NotRequired[int]',
    #: RESTARTABLE, PREEMPTEE ...
    'flags': 'NotRequired[list[str]]',
    #: accessible; empty = all
    'partitions': 'NotRequired[list[str]]',
    #: requirements
    'requests': 'NotRequired[list[Request]]',
    #: while active, and where it last ran
    'allocation': 'NotRequired[list[Place]]',
    #: as afterok:12
    'dependencies': 'NotRequired[list[str]]',
    #: ADVRES
    'reservation_name': 'NotRequired[str]',
    #: its user's, for people
    'comment': 'NotRequired[str]',
    #: addresses asked for
    'mail': 'NotRequired[str]',
    #: of the bank, whose rates it is to have
    'quote': 'NotRequired[int]',
    #: so many of its array may be on nodes at once
    'array_limit': 'NotRequired[int]',
    #: when mail is sent, as in a submission
    'mail_when': 'NotRequired[str]',
    #: when it is expected to start, by how long jobs have run so far, under BACKFILLPOLICY
    #: PLAN (seconds since 1970)
    'expected_at': 'NotRequired[int]',
    #: begin of the interval in which four of five such jobs start, once that is known
    #: (seconds since 1970)
    'expected_from': 'NotRequired[int]',
    #: its end (seconds since 1970)
    'expected_until': 'NotRequired[int]',
    #: the latest start that it was promised, under BACKFILLPOLICY PLAN (seconds since
    #: 1970)
    'promised_by': 'NotRequired[int]',
    #: the start that it was promised before, which could not be kept (seconds since 1970)
    'was_promised_by': 'NotRequired[int]',
    #: why it could not
    'put_off_by': 'NotRequired[str]',
    #: end of its reservation (seconds since 1970; null: none)
    'reservation_end_at': 'NotRequired[Union[int, None]]',
    #: what is run
    'command': 'NotRequired[str]',
    #: initial working directory
    'directory': 'NotRequired[str]',
    #: file
    'output': 'NotRequired[str]',
    #: file
    'error': 'NotRequired[str]',
    #: processor seconds used
    'cpu_s': 'NotRequired[Union[float, None]]',
    #: most memory used
    'mem_used_mb': 'NotRequired[Union[int, None]]',
    #: most memory and swap space used
    'swap_used_mb': 'NotRequired[int]',
    #: most disk used
    'disk_used_mb': 'NotRequired[int]',
    #: notes
    'messages': 'NotRequired[list[str]]',
    #: what is odd about it
    'warnings': 'NotRequired[list[str]]',
    #: of an idle job: can it start now, by partition
    'eligibility': 'NotRequired[list[JobEligibility]]',
    #: with verbose
    'node_verdicts': 'NotRequired[list[JobNodeVerdicts]]',
    #: of those asked for
    'reservation_verdicts': 'NotRequired[list[JobReservationVerdicts]]',
    #: with verbose: its events since it was submitted, as far as they are kept: the last
    #: 200, not in a view of the past
    'history': 'NotRequired[list[JobHistory]]',
})


class QueueSummarySummary(TypedDict):
    #: now (seconds since 1970)
    at: int
    #: true: scheduling is stopped; the queue is as of the last iteration (not told of a
    #: simulation)
    paused: NotRequired[bool]
    #: when it goes on by itself (seconds since 1970)
    resume_at: NotRequired[int]
    #: configured
    procs: NotRequired[int]
    #: on nodes that are up
    procs_up: NotRequired[int]
    #: dedicated
    procs_active: NotRequired[int]
    #: configured
    nodes: NotRequired[int]
    #: up
    nodes_up: NotRequired[int]
    #: with jobs
    nodes_active: NotRequired[int]
    #: up without jobs
    nodes_idle: NotRequired[int]
    #: jobs
    active: NotRequired[int]
    #: jobs
    eligible: NotRequired[int]
    #: jobs
    blocked: NotRequired[int]
    #: jobs listed
    completed: NotRequired[int]
    #: processor seconds asked for by eligible jobs
    backlog_ps: NotRequired[int]
    #: jobs that match, of which limit and offset show a part
    total: NotRequired[int]
    #: another one when anything that lists show has changed
    revision: NotRequired[int]
    #: by what count= asks for: the 50 with most work, then the others
    counts: NotRequired[dict[str, list[JobCount]]]


class QueueSummary(TypedDict):
    # First line of a list of jobs.
    summary: QueueSummarySummary


class JobCount(TypedDict):
    #: of the credential; the code of a reason, turn: for nodes or those ahead
    name: str
    #: jobs
    active: int
    #: jobs
    waiting: int
    #: processors of active jobs
    active_procs: NotRequired[int]
    #: processor seconds asked for by waiting jobs
    waiting_ps: NotRequired[int]


class NodeClasses(TypedDict):
    name: str
    #: initiators
    free: NotRequired[int]
    #: initiators
    configured: NotRequired[int]


class Node(TypedDict):
    # A node.
    #: name
    name: str
    #: now (seconds since 1970)
    at: NotRequired[int]
    #: resource manager
    rm: NotRequired[str]
    #: as Idle, Running, Busy, Drained, Down
    state: str
    #: after our last action
    expected_state: NotRequired[str]
    #: since (seconds since 1970)
    state_at: NotRequired[int]
    #: partition
    partition: NotRequired[str]
    configured: Amounts
    dedicated: NotRequired[Amounts]
    utilized: NotRequired[Amounts]
    #: 1-minute load
    load: NotRequired[float]
    #: relative
    speed: NotRequired[float]
    os: NotRequired[str]
    arch: NotRequired[str]
    features: NotRequired[list[str]]
    networks: NotRequired[list[str]]
    #: empty = every class
    classes: NotRequired[list[NodeClasses]]
    jobs: NotRequired[list[JobOnNode]]
    reservations: NotRequired[list[ReservationOnNode]]
    #: -1 = unknown
    frame: NotRequired[int]
    #: -1 = unknown
    slot: NotRequired[int]
    #: slots it fills
    slots: NotRequired[int]
    #: time known
    total_s: NotRequired[int]
    #: time up
    up_s: NotRequired[int]
    #: time with jobs
    active_s: NotRequired[int]
    #: NODEACCESSPOLICY
    access: NotRequired[str]
    messages: NotRequired[list[str]]
    #: what is odd about it
    warnings: NotRequired[list[str]]


class JobOnNode(TypedDict):
    #: job
    id: str
    #: tasks
    tasks: int


class ReservationOnNode(TypedDict):
    name: str
    #: Job, User, Standing
    type: str
    #: tasks
    tasks: NotRequired[int]
    #: of a job reservation
    job_state: NotRequired[str]
    #: start (seconds since 1970)
    start_at: NotRequired[int]
    #: end (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    blocked: NotRequired[Amounts]


class StandingTimes(TypedDict):
    # seconds within its period
    start_s: NotRequired[int]
    end_s: NotRequired[int]
    #: as Mon
    days: NotRequired[list[str]]


class StandingWanted(TypedDict):
    #: period, 0 = present
    slot: int
    #: start (seconds since 1970)
    start_at: int
    #: end (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: released: it comes back with the next period; missing: it is not made yet
    state: Literal['there', 'released', 'missing']
    #: its name, where it is there
    reservation: NotRequired[str]


class Standing(TypedDict):
    # A standing reservation, as configured.
    #: name of the SRCFG
    name: str
    period: Literal['DAY', 'WEEK', 'INFINITY']
    #: periods, from the present one on
    depth: int
    #: seconds within its period
    times: StandingTimes
    #: wanted, 0 = all
    max_tasks: int
    #: as USER==john+
    acl: list[str]
    #: instances that are not over, by slot
    wanted: list[StandingWanted]


class ReservationStandingTimes(TypedDict):
    # of the SRCFG, seconds within its period
    start_s: NotRequired[int]
    end_s: NotRequired[int]
    #: as Mon
    days: NotRequired[list[str]]


class ReservationTriggers(TypedDict):
    event: NotRequired[str]
    offset_s: NotRequired[int]
    threshold: NotRequired[float]
    action: NotRequired[str]
    data: NotRequired[str]
    #: Inactive, Active, Fired
    state: NotRequired[str]
    #: fired (seconds since 1970; null: none)
    at: NotRequired[Union[int, None]]


class ReservationVerdict(TypedDict):
    # may jobs of the user, group ... that was asked about use it
    granted: bool
    text: str
    #: the entry of its list that lets them in, or, not granted, others of them
    by: NotRequired[str]


class Reservation(TypedDict):
    # A reservation of any kind.
    #: when it is made: whom its access list names and nobody knows
    notes: NotRequired[list[str]]
    #: as fast.0.3, system.1 or the job's id
    name: str
    type: Literal['Job', 'User', 'Standing']
    #: now (seconds since 1970)
    at: NotRequired[int]
    #: planned, active
    state: NotRequired[str]
    #: of a job reservation
    job_state: NotRequired[str]
    #: start (seconds since 1970)
    start_at: int
    #: end (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: creation (seconds since 1970)
    created_at: NotRequired[int]
    #: held
    nodes: NotRequired[int]
    #: held
    tasks: NotRequired[int]
    #: held
    procs: NotRequired[int]
    #: where
    places: NotRequired[list[Place]]
    #: partition or ALL
    partition: NotRequired[str]
    #: BYNAME ...
    flags: NotRequired[list[str]]
    #: as USER==john+
    acl: NotRequired[list[str]]
    #: as USER:john
    owner: NotRequired[str]
    #: accountable
    account: NotRequired[str]
    #: accountable
    group: NotRequired[str]
    #: accountable
    user: NotRequired[str]
    #: accountable
    qos: NotRequired[str]
    #: host expression
    hosts: NotRequired[str]
    per_task: NotRequired[Amounts]
    #: wanted, 0 = all
    max_tasks: NotRequired[int]
    priority: NotRequired[int]
    features: NotRequired[list[str]]
    #: SHARED or DEDICATED
    access: NotRequired[str]
    #: name of the SRCFG
    standing: NotRequired[str]
    #: of the SRCFG, seconds within its period
    standing_times: NotRequired[ReservationStandingTimes]
    #: period, 0 = present
    slot: NotRequired[int]
    #: processor seconds unused
    idle_ps: NotRequired[float]
    #: processor seconds used
    active_ps: NotRequired[float]
    triggers: NotRequired[list[ReservationTriggers]]
    #: what it is for
    subtype: NotRequired[str]
    #: a name that several may share
    label: NotRequired[str]
    #: text
    comment: NotRequired[str]
    #: may jobs of the user, group ... that was asked about use it
    verdict: NotRequired[ReservationVerdict]
    #: what is odd about it
    warnings: NotRequired[list[str]]


class ReservationDraft(TypedDict):
    # What setres asks for.
    name: NotRequired[str]
    #: default now (seconds since 1970)
    start_at: NotRequired[int]
    #: end (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: wins over end_at (seconds; null: without end)
    duration_s: NotRequired[Union[int, None]]
    #: ACL, with marks as john-
    users: NotRequired[list[str]]
    #: ACL
    groups: NotRequired[list[str]]
    #: ACL
    accounts: NotRequired[list[str]]
    #: ACL
    classes: NotRequired[list[str]]
    #: ACL
    qos: NotRequired[list[str]]
    #: ACL
    job_attributes: NotRequired[list[str]]
    #: ACL, as 1:00:00*
    time_limit: NotRequired[str]
    #: host expression or ALL
    hosts: NotRequired[str]
    #: with TASKS==n
    tasks: NotRequired[int]
    #: so many will do, up to tasks
    least_tasks: NotRequired[int]
    #: per task, as PROCS=2;MEM=512
    resources: NotRequired[str]
    #: a:b = both, a|b = either
    features: NotRequired[str]
    partition: NotRequired[str]
    flags: NotRequired[list[str]]
    #: refuse any overlap
    exclusive: NotRequired[bool]
    #: as USER:john
    owner: NotRequired[str]
    #: account[,group[,user]]
    charge: NotRequired[str]
    #: as start+60;cancel
    trigger: NotRequired[str]
    #: what it is for, in the site's words
    subtype: NotRequired[str]
    #: in one node set, as ONEOF:FEATURE:a,b
    nodeset: NotRequired[str]
    #: as this SRCFG says, where nothing else is said
    profile: NotRequired[str]
    #: a name that several may share
    label: NotRequired[str]
    #: text
    comment: NotRequired[str]


class ReservationChange(TypedDict):
    # What a reservation is to be; null takes away what was asked. Lists replace the
    # former ones.
    #: seconds since 1970
    start_at: NotRequired[int]
    #: end (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: wins over end_at (seconds; null: without end)
    duration_s: NotRequired[Union[int, None]]
    #: ACL, with marks as john-
    users: NotRequired[list[str]]
    #: ACL
    groups: NotRequired[list[str]]
    #: ACL
    accounts: NotRequired[list[str]]
    #: ACL
    classes: NotRequired[list[str]]
    #: ACL
    qos: NotRequired[list[str]]
    #: ACL
    job_attributes: NotRequired[list[str]]
    #: ACL, as 1:00:00*
    time_limit: NotRequired[str]
    #: host expression or ALL
    hosts: NotRequired[str]
    #: with TASKS==n
    tasks: NotRequired[int]
    #: per task, as PROCS=2;MEM=512
    resources: NotRequired[str]
    #: a:b = both, a|b = either
    features: NotRequired[str]
    partition: NotRequired[str]
    flags: NotRequired[list[str]]
    #: refuse any overlap
    exclusive: NotRequired[bool]
    #: as USER:john
    owner: NotRequired[str]
    #: account[,group[,user]]
    charge: NotRequired[str]
    #: as start+60;cancel
    trigger: NotRequired[str]
    #: what it is for, in the site's words
    subtype: NotRequired[str]
    #: in one node set, as ONEOF:FEATURE:a,b
    nodeset: NotRequired[str]
    #: a name that several may share
    label: NotRequired[str]
    #: text
    comment: NotRequired[str]
    #: names to be added to lists, by their member
    add: NotRequired[dict[str, list[str]]]
    #: names to be removed from lists, by their member
    remove: NotRequired[dict[str, list[str]]]


EventChanged = TypedDict('EventChanged', {
    'name': 'str',
    #: none: it was not set, and has no default
    'was': 'NotRequired[str]',
    #: none: it is not set, and has no default
    'is': 'NotRequired[str]',
})


class Event(TypedDict):
    # Something that happened. Members besides these tell more: user, class, procs,
    # allocation, start_at, exit_status ...
    #: one more than the event before; goes on over restarts
    number: NotRequired[int]
    #: seconds since 1970
    at: NotRequired[int]
    #: JOBSUBMIT JOBSTART JOBSTARTFAILURE JOBEND JOBCANCEL JOBHOLD JOBRELEASE JOBDEFER
    #: JOBPUTOFF JOBREQUEUE JOBSUSPEND JOBRESUME JOBCHECKPOINT JOBWCVIOLATION
    #: JOBRESVIOLATION JOBLIMITVIOLATION JOBCORRUPTION RESERVATIONCREATED
    #: RESERVATIONSTARTED RESERVATIONDESTROYED RESERVATIONCORRUPTION TRIGGERFIRED
    #: TRIGGERENDED NODEDOWN NODEUP RMFAILURE RMRECOVERED AMFAILURE AMRECOVERED
    #: STATEFAILURE STATERECOVERED SCHEDULERSTART SCHEDULERSTOP CONFIGURATION WEBLOGIN
    #: WEBLOGOUT WEBREFUSED; of the stream itself LOST and DROPPED
    event: NotRequired[str]
    #: job, reservation, node ... it is about
    object: NotRequired[str]
    type: NotRequired[Literal['job', 'reservation', 'trigger', 'node', 'session']]
    text: NotRequired[str]
    #: the user by whose order it came about, if it did
    by: NotRequired[str]
    #: which way that order came
    via: NotRequired[Literal['command', 'page']]
    #: of the page, by which it came
    session: NotRequired[str]
    #: whose job or session it is
    user: NotRequired[str]
    #: of a reservation or a job that starts
    nodes: NotRequired[int]
    #: of a reservation or a job (seconds since 1970)
    start_at: NotRequired[int]
    #: of a reservation (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: of JOBPUTOFF: the start that cannot be (seconds since 1970)
    was_promised_by: NotRequired[int]
    #: and the one that is promised in its place, if there is one
    promised_by: NotRequired[int]
    #: of CONFIGURATION: parameters that are others, the first 20; a secret is not told
    changed: NotRequired[list[EventChanged]]


# A submission (msub).
JobRequest = TypedDict('JobRequest', {
    'name': 'NotRequired[str]',
    #: text of the batch script
    'script': 'str',
    #: to the script
    'arguments': 'NotRequired[list[str]]',
    #: NAME=value
    'environment': 'NotRequired[list[str]]',
    'account': 'NotRequired[str]',
    'class': 'NotRequired[str]',
    'qos': 'NotRequired[str]',
    #: default that of the caller; one of which the caller is a member, administrators of
    #: level 1 and 2 may name any. The job runs under it where its owner is a member
    'group': 'NotRequired[str]',
    #: wall clock limit (seconds; null: without end)
    'wclimit_s': 'NotRequired[Union[int, None]]',
    'requests': 'NotRequired[list[Request]]',
    #: working directory
    'directory': 'NotRequired[str]',
    'output': 'NotRequired[str]',
    'error': 'NotRequired[str]',
    #: stderr into stdout
    'join': 'NotRequired[bool]',
    #: afterok:12
    'dependencies': 'NotRequired[list[str]]',
    #: not before (seconds since 1970)
    'release_at': 'NotRequired[int]',
    #: to be complete by (seconds since 1970); for administrators of level 1, as
    #: setdeadline
    'deadline_at': 'NotRequired[int]',
    #: as 1-10%2
    'array': 'NotRequired[str]',
    #: user hold
    'hold': 'NotRequired[bool]',
    'rerunnable': 'NotRequired[bool]',
    #: user priority
    'priority': 'NotRequired[int]',
    #: PREEMPTOR is for administrators of level 1 and 2; else a QOS gives it
    'flags': 'NotRequired[list[str]]',
    #: ADVRES
    'reservation': 'NotRequired[str]',
    #: for people
    'comment': 'NotRequired[str]',
    'partitions': 'NotRequired[list[str]]',
    #: addresses, separated by commas; else the owner's user name
    'mail': 'NotRequired[str]',
    #: of the bank, by its number (mam-quote --keep): its rates hold for the job
    'quote': 'NotRequired[int]',
    #: of an array: so many of its jobs may be on nodes at once, as %N behind the indexes;
    #: 0: any number
    'array_limit': 'NotRequired[int]',
    #: letters: a aborted, b begun, e ended, f ended and failed; or n for none
    'mail_when': 'NotRequired[str]',
    'umask': 'NotRequired[int]',
})


class Submitted(TypedDict):
    #: of the jobs made
    ids: list[str]
    #: what will keep them from running
    notes: NotRequired[list[str]]


class Forecast(TypedDict):
    id: str
    #: the plan has a reservation for it then
    promised_at: NotRequired[int]
    #: an assumption: it was promised nothing
    forecast_at: NotRequired[int]
    #: promised, plan
    method: str
    as_of: int


class PastViews(TypedDict):
    past: str
    at: int


class Past(TypedDict):
    #: since then the journal is kept
    oldest_at: NotRequired[int]
    newest_at: int
    views: list[PastViews]


class PastRequest(TypedDict):
    #: seconds since 1970
    at: int


class PastMove(TypedDict):
    # One of these.
    #: to the last cycle then or before
    at: NotRequired[int]
    #: on from where it is; negative: back
    seconds: NotRequired[int]
    #: so many on
    cycles: NotRequired[int]
    #: to the next decision about that job
    about: NotRequired[str]


class PastViewDecided(TypedDict):
    #: start, reserve, defer ...
    what: str
    job: NotRequired[str]
    #: as maui replay prints it
    text: str


class PastView(TypedDict):
    #: its name, for past=
    past: str
    #: of the cycle after which it is
    at: int
    #: of the journal, with that cycle
    line: int
    #: line with which that life of the daemon begins
    life: int
    oldest_at: int
    newest_at: int
    #: in that cycle
    decided: list[PastViewDecided]
    #: done again so far
    lines: int
    cycles: int
    #: lines that came out otherwise than they did then: what is shown may not be what was
    differences: int
    #: the first of them
    difference: NotRequired[str]


class WhatIfRequest(TypedDict):
    # A question about what would be.
    #: tried in order, at most 100; none: what will be as things are
    changes: list[WhatIfChange]
    #: plan (default): a cycle, then all who wait for nothing but room are planned, in
    #: order of priority, to the limits of all jobs; run: the copy lives on to the horizon,
    #: once without the changes and once with them: jobs end, limits and fairshare come
    #: free, nobody new comes
    method: NotRequired[Literal['plan', 'run']]
    #: of run: so many seconds from now on, 1 to 2592000 (30 days); default 86400
    horizon_s: NotRequired[int]
    #: of run: jobs run to their limits (default), or for as long as PREDICTION expects by
    #: what their owners' jobs ran before, to their limits at most
    runtime: NotRequired[Literal['limit', 'usual']]
    #: of run: so much processor time for both lives together, 1 to 10000 ms (default),
    #: within half a minute; what is told is up to the instant that both got to by then
    cpu_ms: NotRequired[int]
    #: jobs to be told of in any case, at most 1000
    watch: NotRequired[list[str]]


class WhatIfChangeChangeReservation(TypedDict):
    # a reservation is changed
    #: of the reservation
    name: str
    change: ReservationChange


class WhatIfChangeReleaseReservation(TypedDict):
    # a reservation is released
    #: of the reservation, or a job that has one
    name: str


class WhatIfChangeOrder(TypedDict):
    # an order about jobs, as /v1/orders/{order} takes it
    #: which
    order: Literal['hold', 'release', 'priority', 'user-priority', 'qos', 'cancel', 'suspend', 'resume', 'requeue', 'checkpoint', 'run', 'modify', 'deadline']
    request: JobOrder


class WhatIfChangeNode(TypedDict):
    # a node is drained, goes down or comes up: tried only, the resource manager does it
    #: of the node
    name: str
    #: what becomes of it
    to: Literal['drain', 'down', 'up']


class WhatIfChange(TypedDict):
    # One of these.
    reserve: NotRequired[ReservationDraft]
    #: a reservation is changed
    change_reservation: NotRequired[WhatIfChangeChangeReservation]
    #: a reservation is released
    release_reservation: NotRequired[WhatIfChangeReleaseReservation]
    #: an order about jobs, as /v1/orders/{order} takes it
    order: NotRequired[WhatIfChangeOrder]
    submit: NotRequired[JobRequest]
    parameters: NotRequired[ParameterChange]
    #: a node is drained, goes down or comes up: tried only, the resource manager does it
    node: NotRequired[WhatIfChangeNode]


class WhatIfProgressProgress(TypedDict):
    #: of run: both lives got to that instant (seconds since 1970)
    at: NotRequired[int]
    #: of the way to the horizon, or of the processor time that there is for it, whichever
    #: is nearer to its end
    percent: NotRequired[int]


class WhatIfProgress(TypedDict):
    # How far the copy got with a question.
    progress: NotRequired[WhatIfProgressProgress]


# of the jobs concerned, by whose they are: those by the most first, at most 100 of a
# kind
WhatIfSums = TypedDict('WhatIfSums', {
    'user': 'NotRequired[list[WhatIfSum]]',
    'group': 'NotRequired[list[WhatIfSum]]',
    'account': 'NotRequired[list[WhatIfSum]]',
    'class': 'NotRequired[list[WhatIfSum]]',
    'qos': 'NotRequired[list[WhatIfSum]]',
})


class WhatIfCounts(TypedDict):
    # of all jobs that lists show the caller
    #: who would start earlier
    earlier: NotRequired[int]
    #: who would start later
    later: NotRequired[int]
    #: whose promise would be broken: a later start than promised
    broken: NotRequired[int]
    #: who runs and would not any more
    cut: NotRequired[int]
    #: whose start was known and whom something other than room would keep back
    held: NotRequired[int]
    #: who was kept back and would have a start
    freed: NotRequired[int]
    #: who could not start any more
    never: NotRequired[int]
    #: who waits and would not be there any more
    gone: NotRequired[int]
    #: who would be new
    placed: NotRequired[int]


class WhatIf(TypedDict):
    # What would be.
    #: when it was worked out (seconds since 1970)
    as_of: int
    method: Literal['plan', 'run']
    #: of run: up to there it was lived on, and compared (seconds since 1970)
    until: NotRequired[int]
    #: of run: as far as was asked for (seconds since 1970)
    horizon_at: NotRequired[int]
    #: of run: how long jobs ran
    runtime: NotRequired[Literal['limit', 'usual']]
    #: of what lists show
    revision: int
    #: names the settings, reservations and nodes that it was tried with: a request that
    #: says it is refused when they are others by then, or after 5 minutes
    basis: NotRequired[str]
    #: what became of each, up to the first that was refused
    changes: list[WhatIfResult]
    #: the number of the change that would be refused, from 0; the rest was not worked out
    #: then
    refused: NotRequired[int]
    #: of a reservation that there is no room for
    in_the_way: NotRequired[list[WhatIfObstacle]]
    before: NotRequired[WhatIfTotals]
    after: NotRequired[WhatIfTotals]
    #: of the jobs concerned, by whose they are: those by the most first, at most 100 of a
    #: kind
    sums: NotRequired[WhatIfSums]
    #: of all jobs that lists show the caller
    counts: NotRequired[WhatIfCounts]
    #: who would start earlier, those by the most first
    earlier: NotRequired[list[WhatIfJob]]
    #: who would start later
    later: NotRequired[list[WhatIfJob]]
    #: whose promise would be broken: a later start than promised, or none
    broken: NotRequired[list[WhatIfJob]]
    #: who runs and would not any more
    cut: NotRequired[list[WhatIfJob]]
    #: whose start was known and whom something other than room would keep back
    held: NotRequired[list[WhatIfJob]]
    #: who was kept back and would have a start
    freed: NotRequired[list[WhatIfJob]]
    #: who could not start any more
    never: NotRequired[list[WhatIfJob]]
    #: who waits and would not be there any more
    gone: NotRequired[list[WhatIfJob]]
    #: who would be new
    placed: NotRequired[list[WhatIfJob]]
    #: of those that were asked for
    watched: NotRequired[list[WhatIfJob]]
    #: what to think of besides
    notes: NotRequired[list[str]]


class WhatIfResultJobs(TypedDict):
    #: id or expression
    job: str
    ok: bool
    #: of an Error
    code: NotRequired[str]
    #: sentence
    message: str


class WhatIfResult(TypedDict):
    # What became of a change: as the operation would answer.
    #: it would be done
    ok: bool
    #: of an Error
    code: NotRequired[str]
    #: the sentence
    message: NotRequired[str]
    #: the member concerned
    field: NotRequired[str]
    #: the nearest valid name
    nearest: NotRequired[str]
    #: of an order: what became of each job
    jobs: NotRequired[list[WhatIfResultJobs]]
    #: of jobs submitted, as they are called here only
    ids: NotRequired[list[str]]
    reservation: NotRequired[Reservation]


class WhatIfSum(TypedDict):
    # What it comes to for the jobs of a credential.
    #: of the credential; DEFAULT: none was named
    name: str
    #: jobs that would start earlier
    earlier: int
    #: jobs that would start later
    later: int
    #: jobs whose promise would be broken
    broken: int
    #: jobs that would be cut off, kept back, freed, gone or new
    others: int
    #: so many seconds later, all of them together; negative: earlier
    delta_s: int


class WhatIfTotals(TypedDict):
    # How many jobs stand where, of those that lists show the caller.
    #: on nodes, or suspended
    running: NotRequired[int]
    #: that have a reservation
    promised: NotRequired[int]
    #: with a start that was worked out: an assumption
    forecast: NotRequired[int]
    #: of run: that have not started by `until`
    beyond: NotRequired[int]
    #: for nothing but room, nobody knows until when
    waiting: NotRequired[int]
    #: that could not start, as things are
    never: NotRequired[int]
    #: that something other than room keeps back
    held: NotRequired[int]
    #: of the jobs that wait for nothing but room and were promised nothing, so many were
    #: planned in the time that there is
    planned: NotRequired[int]
    #: of so many
    of: NotRequired[int]
    #: of run, as all that follows, up to `until`: jobs that start
    starts: NotRequired[int]
    #: from submission to start, of those that start
    wait_average_s: NotRequired[int]
    #: 95 of 100 of them wait no longer
    wait_95_s: NotRequired[int]
    #: share of the time of all processors that these jobs have, 0 to 1
    use: NotRequired[float]
    #: processor seconds asked for by those that still wait then
    backlog_ps: NotRequired[int]


class WhatIfJob(TypedDict):
    # A job before and after.
    #: identifier
    id: str
    #: user
    user: NotRequired[str]
    #: how it stands; none: there is no such job, or not for the caller's eyes
    before: Literal['none', 'running', 'promised', 'forecast', 'beyond', 'waiting', 'never', 'held']
    #: its start (seconds since 1970); beyond: it has not started by then
    before_at: NotRequired[int]
    #: how it would stand
    after: Literal['none', 'running', 'promised', 'forecast', 'beyond', 'waiting', 'never', 'held']
    #: its start then, likewise (seconds since 1970)
    after_at: NotRequired[int]
    #: so many seconds later; negative: earlier
    delta_s: NotRequired[int]
    reason: NotRequired[Reason]


# What is on nodes in a window. Of all jobs, and of all reservations, that the caller
# may not see one record: without name, window and nodes.
WhatIfObstacle = TypedDict('WhatIfObstacle', {
    'kind': "Literal['node', 'job', 'reservation']",
    #: of it
    'name': 'NotRequired[str]',
    #: of a job
    'user': 'NotRequired[str]',
    #: of a node its state; running, promised, reserved; unseen: there are some that the
    #: caller may not see
    'state': 'str',
    #: since when, or from when on (seconds since 1970; null: none)
    'from': 'NotRequired[Union[int, None]]',
    #: until when (seconds since 1970; null: none)
    'until': 'NotRequired[Union[int, None]]',
    #: on so many of them
    'nodes': 'NotRequired[int]',
})


class JobOrderChanges(TypedDict):
    attribute: str
    op: NotRequired[Literal['=', '+=', '-=']]
    value: str


class JobOrder(TypedDict):
    # Something to be done to jobs. `jobs` are names, comma lists or regular expressions.
    #: job expressions; with `where` default ALL
    jobs: NotRequired[list[str]]
    #: `jobs` are ids and nothing else: one that is no job in the queue is refused, never
    #: taken as a pattern
    exact: NotRequired[bool]
    #: only jobs that have all of these: user, group, account, class, qos, jobname, state,
    #: partition, reqreservation
    where: NotRequired[dict[str, str]]
    #: holds: user, system, batch, defer, all
    kinds: NotRequired[list[str]]
    priority: NotRequired[int]
    #: add to the computed priority
    relative: NotRequired[bool]
    qos: NotRequired[str]
    #: run exactly here
    nodes: NotRequired[list[str]]
    partition: NotRequired[str]
    #: ignore throttling policies
    force: NotRequired[bool]
    #: policies, nodestate, reservations
    ignore: NotRequired[list[str]]
    #: forget stale node lists first
    clear: NotRequired[bool]
    #: name or number
    signal: NotRequired[str]
    #: deadline (seconds since 1970)
    at: NotRequired[int]
    #: message
    text: NotRequired[str]
    #: modify
    changes: NotRequired[list[JobOrderChanges]]


class ReservationOrder(TypedDict):
    # Something to be done to reservations.
    #: their names, at most 10000; the id of a job is its reservation
    reservations: list[str]


class ReservationOutcomeResults(TypedDict):
    #: its name, as it was given
    reservation: str
    ok: bool
    #: of an Error
    code: NotRequired[str]
    #: sentence
    message: str


class ReservationOutcome(TypedDict):
    results: list[ReservationOutcomeResults]


class OutcomeResults(TypedDict):
    #: id or expression
    job: str
    ok: bool
    #: of an Error
    code: NotRequired[str]
    #: sentence
    message: str


class Outcome(TypedDict):
    results: list[OutcomeResults]


class StartPlaces(TypedDict):
    #: its name
    node: str
    #: there
    tasks: int


class Start(TypedDict):
    # When a job could start.
    #: true: scheduling is stopped, and this is as of the last iteration
    paused: NotRequired[bool]
    #: true: it was asked for a user or group of others by whoever is no administrator:
    #: this is as if no access list and no limit named them
    others: NotRequired[bool]
    #: when it goes on by itself (seconds since 1970)
    resume_at: NotRequired[int]
    job: NotRequired[str]
    procs: NotRequired[int]
    #:  (seconds; null: without end)
    duration_s: NotRequired[Union[int, None]]
    #: now (seconds since 1970)
    at: int
    #: earliest (seconds since 1970; null: none)
    start_at: NotRequired[Union[int, None]]
    #: completion (seconds since 1970; null: none)
    end_at: NotRequired[Union[int, None]]
    #: when it is expected to start, by how long jobs have run so far, under BACKFILLPOLICY
    #: PLAN (seconds since 1970)
    expected_at: NotRequired[int]
    #: begin of the interval in which four of five such jobs start, once that is known
    #: (seconds since 1970)
    expected_from: NotRequired[int]
    #: its end (seconds since 1970)
    expected_until: NotRequired[int]
    #: the latest start that it was promised, under BACKFILLPOLICY PLAN (seconds since
    #: 1970)
    promised_by: NotRequired[int]
    #: where jobs are promised starts, and this one is not yet: so many waiting jobs are
    #: ahead of it in the queue
    unpromised_ahead: NotRequired[int]
    #: the start that it was promised before, which could not be kept (seconds since 1970)
    was_promised_by: NotRequired[int]
    #: why it could not
    put_off_by: NotRequired[str]
    #: best
    partition: NotRequired[str]
    #: running, reservation, earliest
    method: NotRequired[str]
    #: with places: so many it would be on
    nodes: NotRequired[int]
    #: the first 2000 of them: those that a start would get now, else such as are supposed
    #: to be free then; left out where there are too many reservations to suppose that
    places: NotRequired[list[StartPlaces]]
    #: with places: the next ten ends by limit of jobs on nodes that it could use
    frees: NotRequired[list[ComingEnd]]
    #: with places, by name: reservations, features, states of nodes
    obstacles: NotRequired[list[Obstacle]]
    reason: NotRequired[Reason]


class WindowsPartitionsWindows(TypedDict):
    procs: int
    #: not told of those that begin later
    nodes: NotRequired[int]
    #: with later (seconds since 1970)
    start_at: NotRequired[Union[int, None]]
    #:  (seconds; null: without end)
    duration_s: NotRequired[Union[int, None]]


class WindowsPartitions(TypedDict):
    name: str
    windows: list[WindowsPartitionsWindows]


class WindowsNodes(TypedDict):
    name: str
    procs: NotRequired[int]
    mem_mb: NotRequired[int]
    disk_mb: NotRequired[int]
    swap_mb: NotRequired[int]
    load: NotRequired[float]
    configured_procs: NotRequired[int]
    #:  (seconds; null: without end)
    duration_s: NotRequired[Union[int, None]]


class WindowsBlockedJobs(TypedDict):
    job: str
    #: the end of its limit (seconds since 1970)
    until: NotRequired[int]


class WindowsBlocked(TypedDict):
    name: str
    #: in which it takes nothing
    state: NotRequired[str]
    #: a reservation takes it after so many seconds
    in_s: NotRequired[int]
    #: which, if it may be told
    reservation: NotRequired[str]
    #: the reservation ends, if it may be told (seconds since 1970)
    until: NotRequired[int]
    #: any other
    reason: NotRequired[str]
    #: what is on it
    jobs: NotRequired[list[WindowsBlockedJobs]]


# What backfill could use now.
Windows = TypedDict('Windows', {
    #: true: scheduling is stopped, and this is as of the last iteration
    'paused': 'NotRequired[bool]',
    #: true: it was asked for a user or group of others by whoever is no administrator:
    #: this is as if no access list and no limit named them
    'others': 'NotRequired[bool]',
    #: when it goes on by itself (seconds since 1970)
    'resume_at': 'NotRequired[int]',
    #: now (seconds since 1970)
    'at': 'int',
    'user': 'NotRequired[str]',
    'group': 'NotRequired[str]',
    'account': 'NotRequired[str]',
    'class': 'NotRequired[str]',
    'qos': 'NotRequired[str]',
    #: or ALL
    'partition': 'NotRequired[str]',
    'partitions': 'list[WindowsPartitions]',
    #: with per_node
    'nodes': 'NotRequired[list[WindowsNodes]]',
    #: with blocked
    'blocked': 'NotRequired[list[WindowsBlocked]]',
})


class CredentialLimitsInForce(TypedDict):
    #: its name, as MAXPROC or MAXJOB[user:ann]
    limit: str
    #: where it is less than hard
    soft: NotRequired[int]
    #: -1: no limit, whatever DEFAULT has
    hard: int
    #: in use; where it is counted for the credential by itself
    used: NotRequired[int]
    #: jobs that wait for it, as of the last cycle
    held: NotRequired[int]
    #: s: seconds
    unit: NotRequired[str]
    #: it is the one of DEFAULT
    by_default: NotRequired[bool]
    #: FILE:LINE, changeparam:LINE where it was changed at run time; not of what the
    #: resource manager tells
    source: NotRequired[str]


class CredentialManagerLimitsLimits(TypedDict):
    #: the manager's name, as GrpTRES=cpu
    limit: str
    most: NotRequired[int]
    #: by active jobs; not of limits of one job
    used: NotRequired[int]
    #: of use over time, in place of most
    used_up: NotRequired[bool]
    #: s: processor seconds or seconds
    unit: NotRequired[str]


class CredentialManagerLimits(TypedDict):
    #: whose limits, as account chem
    name: str
    #: as Slurm
    source: str
    #: user, account: counted for each of them
    each: NotRequired[str]
    limits: list[CredentialManagerLimitsLimits]


class Credential(TypedDict):
    # A user, group, account, class or QOS.
    kind: str
    name: str
    priority: NotRequired[int]
    flags: NotRequired[list[str]]
    #: ADEF
    account_default: NotRequired[str]
    #: ALIST
    account_list: NotRequired[list[str]]
    qos_default: NotRequired[str]
    qos_list: NotRequired[list[str]]
    #: or, and, excluded
    qos_list_mode: NotRequired[str]
    partition_default: NotRequired[str]
    partition_list: NotRequired[list[str]]
    #: or: these as well; and: those alone that all lists of a job have; excluded: these
    #: alone. Left out where no list is set
    partition_list_mode: NotRequired[str]
    #: as 20.00+
    fs_target: NotRequired[str]
    #: percent
    fs_usage: NotRequired[float]
    #: as MAXPROC=16,32
    limits: NotRequired[list[str]]
    #: in use, by limit
    usage: NotRequired[dict[str, int]]
    #: the same as limits, as records
    limits_in_force: NotRequired[list[CredentialLimitsInForce]]
    #: jobs that wait for a limit of it, as of the last cycle
    held: NotRequired[int]
    #: what the resource manager limits itself
    manager_limits: NotRequired[list[CredentialManagerLimits]]
    #: QOS: QTWEIGHT, XFWEIGHT, QTTARGET, XFTARGET
    weights: NotRequired[dict[str, float]]
    #: QOS, account: credentials that may use it
    members: NotRequired[list[str]]
    #: class
    enabled: NotRequired[bool]
    funds: NotRequired[AccountFunds]


class Statistics(TypedDict):
    # Of a credential, of a cell of the grid, or of all.
    kind: NotRequired[str]
    name: NotRequired[str]
    active_jobs: NotRequired[int]
    active_procs: NotRequired[int]
    #: dedicated by active jobs
    active_ps: NotRequired[float]
    #: completed
    jobs: NotRequired[int]
    successful: NotRequired[int]
    #: sum
    procs: NotRequired[int]
    ps_requested: NotRequired[float]
    ps_run: NotRequired[float]
    ps_dedicated: NotRequired[float]
    ps_utilized: NotRequired[float]
    #: ps_run of the jobs whose use is known
    ps_measured: NotRequired[float]
    #: sum
    queue_s: NotRequired[float]
    max_queue_s: NotRequired[int]
    #: average
    xfactor: NotRequired[float]
    #: average, weighted by processors
    xfactor_by_procs: NotRequired[float]
    #: average, weighted by processor seconds run
    xfactor_by_ps: NotRequired[float]
    max_xfactor: NotRequired[float]
    #: average of run / limit, percent
    accuracy: NotRequired[float]
    #: the same, weighted by processor seconds run
    accuracy_by_ps: NotRequired[float]
    #: percent
    efficiency: NotRequired[float]
    #: sum
    bypass: NotRequired[int]
    max_bypass: NotRequired[int]
    qos_met: NotRequired[int]
    backfilled: NotRequired[int]
    backfilled_ps: NotRequired[float]
    preempted: NotRequired[int]
    preempted_ps: NotRequired[float]
    #: percent
    fs_target: NotRequired[float]
    funds: NotRequired[AccountFunds]


# Numbers over time.
Series = TypedDict('Series', {
    #: seconds since 1970
    'from': 'int',
    #: seconds since 1970
    'to': 'int',
    #: of procs (up), procs_active, active, eligible, blocked (jobs), backlog_h (processor
    #: hours that eligible jobs ask for), wait_s (that they have waited, on average)
    'names': 'list[str]',
    #: each an instant (seconds since 1970) and the numbers in the order of names; none of
    #: a time without a scheduler
    'points': 'list[list[Union[int, None]]]',
})


# What one credential used over time.
UseOverTime = TypedDict('UseOverTime', {
    #: seconds since 1970
    'from': 'int',
    #: seconds since 1970
    'to': 'int',
    #: procs_active and active (jobs that ran), queued (jobs from their submission to their
    #: start, whatever held them), wait_s (of those that started then, on average; null
    #: where none did)
    'names': 'list[str]',
    #: each an instant (seconds since 1970) and the averages from it to the next, in the
    #: order of names
    'points': 'list[list[Union[float, None]]]',
})


# How waits and expansion factors of jobs are distributed that started, and ended in
# that span.
Distributions = TypedDict('Distributions', {
    #: seconds since 1970
    'from': 'int',
    #: seconds since 1970
    'to': 'int',
    'jobs': 'int',
    #: on average
    'wait_s': 'NotRequired[float]',
    #: on average, of those with a limit: what a job waited and ran, by its limit, as in
    #: statistics
    'xfactor': 'NotRequired[float]',
    #: upper bounds of waits
    'wait_bounds_s': 'list[int]',
    #: jobs up to each bound, above the one before; the last: above all
    'waits': 'list[int]',
    #: upper bounds of expansion factors
    'xfactor_bounds': 'list[float]',
    #: as waits
    'xfactors': 'list[int]',
})


# A start that a job was promised, and what came of it.
Promise = TypedDict('Promise', {
    #: job
    'id': 'str',
    #: kept, earlier, later: it started then, against what was promised first; gone: it
    #: left the queue before
    'outcome': "Literal['waiting', 'kept', 'earlier', 'later', 'gone']",
    'user': 'NotRequired[str]',
    'account': 'NotRequired[str]',
    'class': 'NotRequired[str]',
    'qos': 'NotRequired[str]',
    'procs': 'NotRequired[int]',
    #: its limit (seconds; null: without end)
    'wclimit_s': 'NotRequired[Union[int, None]]',
    #: seconds since 1970
    'submit_at': 'NotRequired[Union[int, None]]',
    #: when a start was promised first (seconds since 1970)
    'made_at': 'NotRequired[Union[int, None]]',
    #: the start that was promised first (seconds since 1970)
    'first_at': 'NotRequired[Union[int, None]]',
    #: the start that was promised last (seconds since 1970; null: that was broken, and no
    #: other is promised yet)
    'last_at': 'NotRequired[Union[int, None]]',
    #: when it started (seconds since 1970)
    'start_at': 'NotRequired[Union[int, None]]',
    #: later than was promised first, by its start or by what is promised now; below 0:
    #: earlier
    'late_s': 'NotRequired[int]',
    #: how often it was put off
    'moves': 'int',
    #: what put it off beyond what was promised first
    'cause': "NotRequired[Literal['nodes', 'settings', 'reservation', 'overrun', 'order', 'start', 'other']]",
    'cause_text': 'NotRequired[str]',
    #: when that was (seconds since 1970)
    'broken_at': 'NotRequired[Union[int, None]]',
    #: for administrators: the object, as "node 'n04' is down"
    'broken_what': 'NotRequired[str]',
    #: for administrators: who did it
    'broken_by': 'NotRequired[str]',
})


class SystemStatisticsForecasts(TypedDict):
    # expected starts of BACKFILLPOLICY PLAN, of jobs that have started; absent where
    # there was none
    #: jobs that had to wait, and have started
    started: int
    #: of these, those of which an interval was told
    told: int
    #: of these, those that started in it
    within: int
    #: half of the waits were longer or shorter than expected by no more than this factor
    factor: NotRequired[float]


class SystemStatisticsPromises(TypedDict):
    # of BACKFILLPOLICY PLAN; absent where none was made
    #: latest starts that jobs were promised
    made: int
    #: jobs that started by then
    kept: int
    #: jobs that started later
    broken: int
    #: ended by a hold, a limit or the like
    lapsed: int
    #: what broke them: nodes, settings, reservation, overrun, order, start, other
    broken_by: dict[str, int]


class SystemStatistics(TypedDict):
    # showstats
    #: now (seconds since 1970)
    at: int
    #: statistics initialized (seconds since 1970)
    since: int
    #: scheduler started (seconds since 1970)
    up_since: NotRequired[int]
    #: cycles
    iteration: NotRequired[int]
    eligible_jobs: NotRequired[int]
    idle_jobs: NotRequired[int]
    active_jobs: NotRequired[int]
    completed_jobs: NotRequired[int]
    successful_jobs: NotRequired[int]
    preempted_jobs: NotRequired[int]
    total: NotRequired[Statistics]
    ps_available: NotRequired[float]
    #: up
    procs: NotRequired[int]
    procs_active: NotRequired[int]
    #: up
    nodes: NotRequired[int]
    nodes_active: NotRequired[int]
    #: sum of queued work / up processors
    backlog_s: NotRequired[float]
    backlog_average_s: NotRequired[float]
    #: smallest share of processors in use after a cycle that left a job waiting, percent
    least_use: NotRequired[float]
    #: which cycle that was
    least_use_iteration: NotRequired[int]
    #: expected starts of BACKFILLPOLICY PLAN, of jobs that have started; absent where
    #: there was none
    forecasts: NotRequired[SystemStatisticsForecasts]
    #: of BACKFILLPOLICY PLAN; absent where none was made
    promises: NotRequired[SystemStatisticsPromises]


class Grid(TypedDict):
    # showgrid
    type: str
    #:  (seconds since 1970)
    since: NotRequired[int]
    #: upper bounds
    times_s: list[int]
    #: upper bounds
    procs: list[int]
    #: by procs, then time
    cells: list[list[Statistics]]
    total: NotRequired[Statistics]


class FairshareCredentials(TypedDict):
    kind: str
    name: str
    percent: float
    target: NotRequired[Union[float, None]]
    #: + - ^ % or empty
    modifier: NotRequired[str]
    off_target: NotRequired[bool]
    #: percent of each window
    windows: NotRequired[list[Union[float, None]]]
    #: what its fairshare adds to the priority of its jobs
    points: NotRequired[float]
    #: jobs that its cap keeps waiting
    held: NotRequired[int]


class Fairshare(TypedDict):
    # diagnose -f
    policy: str
    depth: int
    interval_s: NotRequired[int]
    decay: NotRequired[float]
    weights: NotRequired[list[float]]
    totals_ps: NotRequired[list[float]]
    #: system
    target: NotRequired[float]
    credentials: NotRequired[list[FairshareCredentials]]


class PriorityComponentsParts(TypedDict):
    name: str
    weight: NotRequired[float]
    #: points
    value: float
    percent: NotRequired[float]


class PriorityComponents(TypedDict):
    #: Cred, FS, Attr, Serv, Targ, Res, Usage
    name: str
    weight: NotRequired[float]
    #: weighted points
    value: float
    percent: NotRequired[float]
    parts: NotRequired[list[PriorityComponentsParts]]


class Priority(TypedDict):
    # diagnose -p, one job
    id: str
    priority: int
    #: system priority set
    system: NotRequired[bool]
    components: NotRequired[list[PriorityComponents]]


class ManagerFailures(TypedDict):
    #:  (seconds since 1970)
    at: int
    function: NotRequired[str]
    message: str


class Manager(TypedDict):
    # A resource or allocation manager.
    name: str
    type: str
    #: Active, Down
    state: str
    version: NotRequired[str]
    #: event interface
    events: NotRequired[str]
    calls: NotRequired[int]
    average_s: NotRequired[float]
    max_s: NotRequired[float]
    #: the last three
    failures: NotRequired[list[ManagerFailures]]
    #: what is not well though its jobs are seen and started
    warnings: NotRequired[list[str]]


class Parameter(TypedDict):
    # showconfig
    name: str
    #: of NAME[index]
    index: NotRequired[str]
    #: text
    value: str
    default: NotRequired[str]
    is_default: NotRequired[bool]
    #: FILE:LINE, or 'changed at run time'
    source: NotRequired[str]
    #: in force, accepted, obsolete
    status: NotRequired[str]
    help: NotRequired[str]


class SchedulerSystem(TypedDict):
    # SYSCFG
    qos_list: NotRequired[list[str]]
    #: name
    qos_default: NotRequired[str]
    partition_list: NotRequired[list[str]]
    #: name
    partition_default: NotRequired[str]
    flags: NotRequired[list[str]]


class Scheduler(TypedDict):
    # diagnose -S
    version: str
    pid: NotRequired[int]
    #: now (seconds since 1970)
    at: int
    #:  (seconds since 1970)
    started_at: NotRequired[int]
    #: NORMAL, TEST, SIMULATION
    mode: NotRequired[str]
    #: running, paused, stopping
    state: str
    stop_at_iteration: NotRequired[Union[int, None]]
    #: seconds since 1970
    stop_at: NotRequired[Union[int, None]]
    #: schedctl -f (seconds since 1970)
    rm_failure_until: NotRequired[Union[int, None]]
    #:  (seconds since 1970; null: none)
    resume_at: NotRequired[Union[int, None]]
    iteration: NotRequired[int]
    #: duration
    last_cycle_s: NotRequired[float]
    #: SYSCFG
    system: NotRequired[SchedulerSystem]
    config_file: NotRequired[str]
    home: NotRequired[str]
    messages: NotRequired[list[str]]
    warnings: NotRequired[list[str]]


class SchedulerOrder(TypedDict):
    # schedctl
    action: Literal['stop', 'resume', 'step', 'shutdown', 'reload', 'fail', 'annotate', 'forget', 'flush']
    iteration: NotRequired[int]
    #: steps
    count: NotRequired[int]
    #: until then, or for so long
    seconds: NotRequired[int]
    #: stop, step: nobody else is answered until then
    alone: NotRequired[bool]
    #: annotate: a message for administrators
    text: NotRequired[str]
    #: forget: the number of a message
    message: NotRequired[int]
    #: flush
    what: NotRequired[Literal['usage', 'fairshare', 'all']]


class Done(TypedDict):
    #: what was done
    message: str
    #: when (seconds since 1970)
    at: NotRequired[int]
    warnings: NotRequired[list[str]]
    #: of a configuration that was read again
    findings: NotRequired[list[Finding]]
    #: of changeparam: what would bring back what was before, in this order
    undo: NotRequired[list[ParameterChange]]


class Finding(TypedDict):
    file: str
    line: int
    #: note, warning or error
    level: str
    #: what is not right, and what was expected
    text: str


class Identity(TypedDict):
    user: str
    group: NotRequired[str]
    #: 1 to 3 administrator, 0 none
    level: int
    #: now, by the clock of the scheduler (seconds since 1970)
    at: NotRequired[int]
    #: the scheduler's time zone, as TZ names it; not there: it has no name
    zone: NotRequired[str]
    #: seconds east of UTC that are in force there now
    utc_offset_s: NotRequired[int]
    #: NORMAL, TEST, SIMULATION, SINGLESTEP
    mode: NotRequired[str]
    #: true: scheduling is stopped; the queue is as of the last iteration
    paused: NotRequired[bool]
    #: when it goes on by itself (seconds since 1970)
    resume_at: NotRequired[int]
    #: may make reservations: an administrator of level 1 or 2, or anybody (RESCTLPOLICY
    #: ANY)
    reserves: NotRequired[bool]
    #: in a session: which page the program has
    build: NotRequired[str]
    #: of the web page, by which the caller came
    session: NotRequired[str]
    #: of a session: it may look, and change nothing
    read_only: NotRequired[bool]


class ParameterChange(TypedDict):
    # changeparam: lines of a configuration. One, or several, all of them or none.
    #: as PARAMETER VALUE
    text: NotRequired[str]
    #: keep it when the configuration is read again
    persistent: NotRequired[bool]
    #: take back what was changed of this at run time, which was not persistent; with
    #: persistent all of it
    drop: NotRequired[bool]
    #: what was changed at run time and is to be in force by now, empty: nothing; refused
    #: (409) when it is not
    instead: NotRequired[str]
    #: several changes; alone
    all: NotRequired[list[ParameterChange]]


class BankAccount(TypedDict):
    #: its name
    account: NotRequired[str]
    #: the account above
    parent: NotRequired[str]
    #: draws on its parent when its own is used up
    overflow: NotRequired[bool]
    #: nothing new is kept or deposited
    closed: NotRequired[bool]
    #: whom it is for, as user=ann,bob; not there: for all
    only: NotRequired[str]
    #: credits of deposits that can be used now, its own and those it draws on
    balance: NotRequired[float]
    #: so far below 0 may they go
    credit_limit: NotRequired[float]
    #: kept for running jobs
    held: NotRequired[float]
    #: balance + credit_limit - held
    available: NotRequired[float]
    #: of it, in the account itself
    own_available: NotRequired[float]
    #: debts of deposits that have ended, and without a deposit
    owed: NotRequired[float]
    #: running jobs for which something is kept
    runs: NotRequired[int]
    #: the last record may have this alone: there is more, go on with after=next
    next: NotRequired[int]


class JobFunds(TypedDict):
    # What a job costs; where there is a bank.
    #: that pays
    account: NotRequired[str]
    #: credits, of the whole limit
    price: float
    #: credits, while it runs
    kept: NotRequired[float]
    #: false: it waits for credits
    enough: bool
    #: what is missing
    text: NotRequired[str]


class AccountFunds(TypedDict):
    # What an account has in the bank.
    #: credits
    available: float
    #: credits kept for running jobs
    held: float
    #: of so many jobs
    runs: int


BankStatement = TypedDict('BankStatement', {
    #: whose
    'account': 'str',
    #: seconds since 1970
    'from': 'NotRequired[int]',
    #: seconds since 1970
    'to': 'NotRequired[int]',
    #: credits
    'opening': 'float',
    #: what came in
    'credits': 'float',
    #: what went out
    'debits': 'float',
    #: credits
    'closing': 'float',
    'moves': 'list[BankMove]',
    #: there are more moves: ask with after=this
    'next': 'NotRequired[str]',
})


class BankMove(TypedDict):
    #: its number
    transaction: int
    #: when
    at: int
    #: deposit, withdraw, transfer, charge, refund, expire, adjust
    kind: str
    #: of a job
    run: NotRequired[str]
    #: who did it, or whose job it was
    who: NotRequired[str]
    #: why, or what a charge is made of
    text: NotRequired[str]
    #: credits; less than 0 = out
    amount: float
    #: of which deposit
    deposit: NotRequired[int]


class BankQuote(TypedDict):
    #: by which jobs name it
    number: NotRequired[int]
    #: that pays
    account: NotRequired[str]
    #: credits, of the job that was asked about
    price: NotRequired[float]
    #: for jobs that start before (seconds since 1970)
    until: NotRequired[int]
    #: for so many more
    uses: NotRequired[int]
    #: for this one alone
    job: NotRequired[str]
    #: that hold, and for whom
    rates: NotRequired[str]
    #: the last record may have this alone: there is more, go on with after=next
    next: NotRequired[int]


class BankQuoteOrder(TypedDict):
    #: id of this request, the caller's: repeated with it, nothing is done twice
    request: str
    #: for jobs that start before (seconds since 1970); a day
    until: NotRequired[int]
    #: for so many jobs; 1
    uses: NotRequired[int]
    #: for this one alone
    job: NotRequired[str]


class BankUsage(TypedDict):
    #: that paid
    account: NotRequired[str]
    #: whose jobs; not there: reservations, or not known
    user: NotRequired[str]
    #: credits
    charged: NotRequired[float]
    #: credits
    refunded: NotRequired[float]
    #: charged - refunded
    used: NotRequired[float]
    #: of jobs
    runs: NotRequired[int]
    #: the last of them: ask with since=this
    transaction: NotRequired[int]
    #: the last record may have this alone: there is more, go on with after=next; of an
    #: answer to since, with since=next: the sums of the rest
    next: NotRequired[int]


class BankTransaction(TypedDict):
    #: its number
    transaction: NotRequired[int]
    #: when
    at: NotRequired[int]
    #: deposit, withdraw, transfer, charge, refund, expire, adjust
    kind: NotRequired[str]
    #: whose
    account: NotRequired[str]
    #: of a job
    run: NotRequired[str]
    #: who did it, or whose job it was
    who: NotRequired[str]
    #: why, or what a charge is made of
    text: NotRequired[str]
    #: credits; less than 0 = out
    amount: NotRequired[float]
    #: of which deposit
    deposit: NotRequired[int]
    #: the last record may have this alone: there is more, go on with since=next
    next: NotRequired[int]


BankDepositRecord = TypedDict('BankDepositRecord', {
    #: its number
    'deposit': 'NotRequired[int]',
    #: whose
    'account': 'NotRequired[str]',
    #: credits, at first
    'amount': 'NotRequired[float]',
    #: credits, now
    'balance': 'NotRequired[float]',
    #: kept for running jobs
    'held': 'NotRequired[float]',
    #: so far below 0 may it go
    'credit_limit': 'NotRequired[float]',
    #: used from then on (seconds since 1970)
    'from': 'NotRequired[int]',
    #: used until then; not there: for ever
    'to': 'NotRequired[int]',
    #: a word of whoever made it
    'label': 'NotRequired[str]',
    #: whom it is for; not there: all
    'only': 'NotRequired[str]',
    #: its end has come
    'ended': 'NotRequired[bool]',
    #: the last record may have this alone: there is more, go on with after=next
    'next': 'NotRequired[int]',
})


class BankRates(TypedDict):
    #: credits a second, as PROCS:1,MEM:0.001
    rates: str
    #: factors by time of day
    times: NotRequired[str]
    #: that of this moment
    time_now: NotRequired[float]
    #: START: a run is charged as at its start; USE: each piece by its own time
    rates_at: str
    factors: list[BankFactor]


class BankFactor(TypedDict):
    #: account, class, qos, node
    kind: str
    #: its name
    name: str
    #: by which the price is multiplied
    factor: float


class BankLimit(TypedDict):
    #: id of this request, the caller's: repeated with it, nothing is done twice
    request: str
    #: its name
    account: str
    #: credits as 57600 or 129945.6, or hours of a processor as 16h
    amount: str
    #: why, for the record
    text: NotRequired[str]


class BankLien(TypedDict):
    #: of a job, by name
    run: NotRequired[str]
    #: its id
    job: NotRequired[str]
    #: who pays
    account: NotRequired[str]
    #: the most that it can come to
    amount: NotRequired[float]
    #: the last record may have this alone: there is more, go on with after=next
    next: NotRequired[int]


class BankMessage(TypedDict):
    #: its own, for ever
    number: NotRequired[int]
    #: Told: just now; OtherBank: for a bank of another kind, or for one that was elsewhere
    #: before; Aside: not told any more
    state: NotRequired[Literal['Waiting', 'Told', 'OtherBank', 'Aside']]
    #: what is asked of the bank
    verb: NotRequired[Literal['lien', 'charge', 'release', 'refund']]
    #: of a job, by name
    run: NotRequired[str]
    #: its id
    job: NotRequired[str]
    #: who pays; absent: the bank chooses
    account: NotRequired[str]
    #: whose job it is
    user: NotRequired[str]
    #: credits by RATES
    amount: NotRequired[str]
    #: when it came to that
    at: NotRequired[int]
    #: on nodes
    seconds: NotRequired[int]
    #: processors
    procs: NotRequired[int]
    #: the kind of bank that it is for
    to: NotRequired[str]
    #: calls since the scheduler began
    tries: NotRequired[int]
    #: what the bank answered to the last
    said: NotRequired[str]
    #: the last record may have this alone: there is more, go on with after=next
    next: NotRequired[int]


class BankQueueOrder(TypedDict):
    #: of the message; absent: all that are for the bank in force, also where it was away
    #: just now
    number: NotRequired[int]
    #: never tell it; else it is told again
    drop: NotRequired[bool]
    #: HOST, PORT or SERVER is another since, and it is the same bank: it is told all.
    #: Alone
    moved: NotRequired[bool]


class BankAccountOrder(TypedDict):
    # Names are never given again: a closed account can be opened, not made anew.
    #: its name
    account: str
    #: the account above
    parent: NotRequired[str]
    #: draw on the parent when its own is used up
    overflow: NotRequired[bool]
    #: keep and deposit nothing new
    closed: NotRequired[bool]
    #: per cent of what is deposited with the parent
    share: NotRequired[int]
    #: whom it is for, as user=ann,bob group=chem class=long; "" = for all
    only: NotRequired[str]
    #: what is not said stays as it is; the account is there already
    modify: NotRequired[bool]


BankDeposit = TypedDict('BankDeposit', {
    #: id of this request, the caller's: repeated with it, nothing is done twice
    'request': 'str',
    #: its name
    'account': 'str',
    #: credits as 57600 or 129945.6, or hours of a processor as 16h
    'amount': 'str',
    #: so far below 0 may it go
    'credit_limit': 'NotRequired[str]',
    #: used from then on (seconds since 1970)
    'from': 'NotRequired[int]',
    #: used until then
    'to': 'NotRequired[int]',
    #: a word of your own
    'label': 'NotRequired[str]',
    #: whom it is for, as user=ann,bob
    'only': 'NotRequired[str]',
    #: first pay what the account owes
    'pay_debts': 'NotRequired[bool]',
    #: why, for the record
    'text': 'NotRequired[str]',
})


class BankWithdrawal(TypedDict):
    #: id of this request, the caller's: repeated with it, nothing is done twice
    request: str
    #: its name
    account: str
    #: credits as 57600 or 129945.6, or hours of a processor as 16h
    amount: str
    #: of this one alone
    deposit: NotRequired[int]
    #: why, for the record
    text: NotRequired[str]


# Dates other than those of the deposits are for administrators.
BankTransfer = TypedDict('BankTransfer', {
    #: id of this request, the caller's: repeated with it, nothing is done twice
    'request': 'str',
    #: from which
    'account': 'str',
    #: to which
    'into': 'str',
    #: credits as 57600 or 129945.6, or hours of a processor as 16h
    'amount': 'str',
    #: used from then on (seconds since 1970)
    'from': 'NotRequired[int]',
    #: used until then
    'to': 'NotRequired[int]',
    #: why, for the record
    'text': 'NotRequired[str]',
})


class BankRefund(TypedDict):
    #: id of this request, the caller's: repeated with it, nothing is done twice
    request: str
    #: of a job, by name
    run: str
    #: credits as 57600 or 129945.6, or hours of a processor as 16h
    amount: str
    #: to this one; else to where it came from
    deposit: NotRequired[int]
    #: why, for the record
    text: NotRequired[str]


class BankRefundLosses(TypedDict):
    #: id of this request, the caller's: repeated, nothing is given back twice
    request: str
    #: instant: of runs that ended then or later
    since: int
    #: why, for the record
    text: NotRequired[str]


class BankLossesDone(TypedDict):
    #: what was done
    message: str
    #: as they were before; of each the rest was given back
    runs: list[BankLoss]
    #: not all: go on with this as since
    next: NotRequired[int]


class BankLoss(TypedDict):
    run: NotRequired[str]
    #: instant
    end_at: NotRequired[int]
    account: NotRequired[str]
    #: whose run it was
    user: NotRequired[str]
    #: credits
    charged: NotRequired[float]
    #: credits that were given back of it before
    refunded: NotRequired[float]
    #: credits that are left to give back
    rest: NotRequired[float]
    #: the last record may have this alone: so many jobs were looked at; go on with
    #: since=next
    next: NotRequired[int]


class BankDone(TypedDict):
    #: what was done
    message: str
    #: of the deposit or quote that was made
    number: NotRequired[int]


class LoginRequest(TypedDict):
    #: the session may look, and change nothing
    read_only: NotRequired[bool]
    #: 1 to 3: it has no level above that; 0: none
    level_max: NotRequired[int]
    #: how long it lasts at most; 12 hours by default, which is the most
    seconds: NotRequired[int]


class Login(TypedDict):
    #: what a browser opens; the login is in its fragment: #login=SECRET
    url: NotRequired[str]
    #: the secret alone; on the unix socket
    login: NotRequired[str]
    #: with MUNGE, in place of both: a credential of the address, which only who asked can
    #: decode
    sealed: NotRequired[str]
    #: used until then (seconds since 1970, by the machine's clock)
    expires_at: int


class LoginExchange(TypedDict):
    login: str


class Session(TypedDict):
    # A session of the web page. Times by the machine's clock.
    #: as others may know it; no secret
    id: str
    #: only in the answer to the exchange
    secret: NotRequired[str]
    user: str
    #: 1 to 3 administrator, 0 none; at present
    level: int
    read_only: bool
    #: address that the login was exchanged from
    peer: NotRequired[str]
    #: seconds since 1970
    made_at: NotRequired[int]
    #: last request (seconds since 1970)
    used_at: NotRequired[int]
    #: ends then in any case (seconds since 1970)
    expires_at: int
    #: ends after so long without a request
    idle_s: NotRequired[int]


class Sessions(TypedDict):
    sessions: list[Session]


class Operations:
    """What can be asked and ordered; refusals raise MauiError."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def identity(
        self,
    ) -> Identity:
        """Who the caller is to the scheduler."""
        return cast('Identity', self._connection.record(
            'GET',
            '/v1/identity'))

    def login(
        self,
        body: LoginRequest,
    ) -> Login:
        """A login for the web page (maui dashboard): it serves once, within a minute. On
        the unix socket and with MUNGE only.
        """
        return cast('Login', self._connection.record(
            'POST',
            '/v1/logins',
            body=body))

    def session_open(
        self,
        body: LoginExchange,
    ) -> Session:
        """Exchange a login for a session, at the page's own address; requests there have
        the header Authorization: Session SECRET.
        """
        return cast('Session', self._connection.record(
            'POST',
            '/v1/session',
            body=body))

    def session(
        self,
    ) -> Session:
        """The caller's own session."""
        return cast('Session', self._connection.record(
            'GET',
            '/v1/session'))

    def session_close(
        self,
    ) -> Done:
        """Log out: the caller's own session ends."""
        return cast('Done', self._connection.record(
            'DELETE',
            '/v1/session'))

    def sessions(
        self,
    ) -> Sessions:
        """Sessions of the page: one's own; administrators of level 1 see those of all."""
        return cast('Sessions', self._connection.record(
            'GET',
            '/v1/sessions'))

    def session_end(
        self,
        id: str,
    ) -> Done:
        """End a session of one's own (maui dashboard --end); administrators of level 1 may
        end any. Who may: owner|admin1.
        """
        return cast('Done', self._connection.record(
            'DELETE',
            '/v1/sessions/{id}',
            names={'id': id}))

    def scheduler(
        self,
    ) -> Scheduler:
        """State of the scheduler. Who may: admin3."""
        return cast('Scheduler', self._connection.record(
            'GET',
            '/v1/scheduler'))

    def control(
        self,
        body: SchedulerOrder,
    ) -> Done:
        """Stop, resume, step, reload, shut down. Who may: admin1."""
        return cast('Done', self._connection.record(
            'POST',
            '/v1/scheduler',
            body=body))

    def jobs(
        self,
        *,
        past: str | int | None = None,
        section: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
        partition: str | int | None = None,
        full: str | int | None = None,
        reservation: str | int | None = None,
        fields: str | int | None = None,
        held: str | int | None = None,
        deadline: str | int | None = None,
        ids: str | int | None = None,
        q: str | int | None = None,
        sort: str | int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        count: str | int | None = None,
    ) -> Iterator[Union[QueueSummary, JobBrief]]:
        """Jobs, a record a line: first a QueueSummary, then JobBrief in the order of
        showq.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - section: active, eligible, blocked, completed; comma list; default the first
          three
        - full: 1: records are Job (admin3)
        - reservation: only jobs that ask for it (ADVRES)
        - fields: comma list: only these members of JobBrief; long lists come faster
        - held: 1: only held ones
        - deadline: 1: only those with a deadline
        - ids: comma list of jobs, of 4,000 characters at most
        - q: words that must all hold: ann user:ann,bob group: account: class: qos:
          state:idle section: reason:limit id: name: procs>64 nodes< priority: wait>1d
          limit<1:00:00 held:1 deadline:1 in:RESERVATION (runs in it) wants:RESERVATION
          (waits for it by name); one alone is a part of id, name, user, account, class
          or QOS
        - sort: id, user, group, account, class, qos, state, procs, nodes, wclimit_s,
          submit_at, start_at, end_at, priority, reservation_at; -procs: the largest
          first; else the order of showq
        - limit: no more than so many jobs
        - offset: without the first so many
        - count: comma list of user, group, account, class, qos, reason: the summary
          tells how many jobs there are of each
        """
        return cast('Iterator[Union[QueueSummary, JobBrief]]', self._connection.lines(
            'GET',
            '/v1/jobs',
            query={'past': past, 'section': section, 'user': user, 'group': group, 'account':
                account, 'class': class_, 'qos': qos, 'partition': partition, 'full': full,
                'reservation': reservation, 'fields': fields, 'held': held, 'deadline':
                deadline, 'ids': ids, 'q': q, 'sort': sort, 'limit': limit, 'offset': offset,
                'count': count}))

    def submit(
        self,
        body: JobRequest,
    ) -> Submitted:
        """Submit a job."""
        return cast('Submitted', self._connection.record(
            'POST',
            '/v1/jobs',
            body=body))

    def job(
        self,
        id: str,
        *,
        past: str | int | None = None,
        level: str | int | None = None,
        node: str | int | None = None,
        reservation: str | int | None = None,
        verbose: str | int | None = None,
    ) -> Job:
        """One job. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - level: soft, hard, off
        - node: verdict on this node
        - reservation: verdict on these reservations, comma list
        - verbose: 1: with node_verdicts and history; history: with that alone
        """
        return cast('Job', self._connection.record(
            'GET',
            '/v1/jobs/{id}',
            names={'id': id},
            query={'past': past, 'level': level, 'node': node, 'reservation': reservation,
                'verbose': verbose}))

    def job_start(
        self,
        id: str,
        *,
        past: str | int | None = None,
        qos: str | int | None = None,
    ) -> Start:
        """Earliest start.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - qos: as with this QOS
        """
        return cast('Start', self._connection.record(
            'GET',
            '/v1/jobs/{id}/start',
            names={'id': id},
            query={'past': past, 'qos': qos}))

    def job_why(
        self,
        id: str,
        *,
        past: str | int | None = None,
    ) -> Why:
        """Why a job waits: all reasons of this moment, who is ahead of it and what will
        come free. Of one's own jobs, and for administrators. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('Why', self._connection.record(
            'GET',
            '/v1/jobs/{id}/why',
            names={'id': id},
            query={'past': past}))

    def start(
        self,
        *,
        past: str | int | None = None,
        procs: str | int | None = None,
        duration_s: str | int | None = None,
        procs_per_task: str | int | None = None,
        from_: str | int | None = None,
        places: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
        partition: str | int | None = None,
        features: str | int | None = None,
        os: str | int | None = None,
        arch: str | int | None = None,
        mem: str | int | None = None,
        mem_per_proc_mb: str | int | None = None,
    ) -> Start:
        """Earliest start of procs for a duration.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - duration_s: default 1
        - procs_per_task: so many on one node each
        - from_: not before (seconds since 1970); default now
        - places: 1: with the nodes that it would be on, what will come free and what is
          in the way, for those who may know of nodes; of a job of another user for
          administrators only
        - features: comma list
        - os: of nodes
        - arch: of nodes
        - mem: configured memory, as >=512
        - mem_per_proc_mb: dedicated
        """
        return cast('Start', self._connection.record(
            'GET',
            '/v1/start',
            query={'past': past, 'procs': procs, 'duration_s': duration_s, 'procs_per_task':
                procs_per_task, 'from': from_, 'places': places, 'user': user, 'group': group,
                'account': account, 'class': class_, 'qos': qos, 'partition': partition,
                'features': features, 'os': os, 'arch': arch, 'mem': mem, 'mem_per_proc_mb':
                mem_per_proc_mb}))

    def windows(
        self,
        *,
        past: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
        partition: str | int | None = None,
        any: str | int | None = None,
        features: str | int | None = None,
        os: str | int | None = None,
        arch: str | int | None = None,
        duration_s: str | int | None = None,
        procs: str | int | None = None,
        nodes: str | int | None = None,
        mem: str | int | None = None,
        mem_per_proc_mb: str | int | None = None,
        procs_per_task: str | int | None = None,
        later: str | int | None = None,
        limits: str | int | None = None,
        per_node: str | int | None = None,
        blocked: str | int | None = None,
    ) -> Windows:
        """Backfill windows (showbf).
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - any: 1: every credential
        - features: comma list
        - os: of nodes
        - arch: of nodes
        - duration_s: at least
        - procs: at least
        - nodes: at least
        - mem: configured memory, as >=512
        - mem_per_proc_mb: dedicated
        - procs_per_task: so many on one node each
        - later: 1: also windows that begin later, at most 50
        - limits: 1: no more than hard throttling limits leave
        - per_node: 1: nodes instead of windows
        - blocked: 1: also the nodes that are free for a time only, or not
        """
        return cast('Windows', self._connection.record(
            'GET',
            '/v1/windows',
            query={'past': past, 'user': user, 'group': group, 'account': account, 'class':
                class_, 'qos': qos, 'partition': partition, 'any': any, 'features': features,
                'os': os, 'arch': arch, 'duration_s': duration_s, 'procs': procs, 'nodes':
                nodes, 'mem': mem, 'mem_per_proc_mb': mem_per_proc_mb, 'procs_per_task':
                procs_per_task, 'later': later, 'limits': limits, 'per_node': per_node,
                'blocked': blocked}))

    def forecast(
        self,
        *,
        past: str | int | None = None,
        ids: str | int | None = None,
    ) -> Iterator[Forecast]:
        """When jobs that wait will start, a record a line: promised, or foreseen, as if
        all ran to their limits and nobody came. Promises first; the forecast is of the
        first jobs by priority, as far as there is time for it, and of none where plans
        follow each other faster than it is made. Of the jobs that lists show the
        caller.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - ids: only these jobs, with commas between them; at most 4000 characters
        """
        return cast('Iterator[Forecast]', self._connection.lines(
            'GET',
            '/v1/forecast',
            query={'past': past, 'ids': ids}))

    def past(
        self,
    ) -> Past:
        """Since when the past is kept (JOURNALMAXSIZE), and the caller's views of it."""
        return cast('Past', self._connection.record(
            'GET',
            '/v1/past'))

    def past_begin(
        self,
        body: PastRequest,
    ) -> PastView:
        """A view of the past: a process of its own does the journal again, up to the last
        cycle at that instant or before. Answered when it is there. With past= the
        lists, records and pictures of the API are told as of then. What lists showed
        the caller then is seen, and no more; where a resource manager keeps things from
        users (PrivateData) nobody knows what it kept then, and users see their own jobs
        alone. Administrators of any level have two views in all, others two more, one
        each; one that nobody asks for ten minutes ends. 404: the journal is kept since
        later. 503 busy: others look at the past.
        """
        return cast('PastView', self._connection.record(
            'POST',
            '/v1/past',
            body=body))

    def past_move(
        self,
        id: str,
        body: PastMove,
    ) -> PastView:
        """A view of the past goes on: to another instant, by seconds, by cycles, to the
        next decision about a job. Back, and from one life of the daemon to another, it
        begins anew.
        """
        return cast('PastView', self._connection.record(
            'PATCH',
            '/v1/past/{id}',
            names={'id': id},
            body=body))

    def past_end(
        self,
        id: str,
    ) -> Done:
        """End a view of the past."""
        return cast('Done', self._connection.record(
            'DELETE',
            '/v1/past/{id}',
            names={'id': id}))

    def whatif(
        self,
        body: WhatIfRequest,
    ) -> WhatIf:
        """What would be if: the changes are tried, in order, on a copy of the scheduler,
        by the operations that make them in earnest, with the caller's rights; nothing
        is changed. The answer tells who would start earlier or later than without them,
        whose promise would be broken, who would be cut off, held back or freed, and
        which change would be refused, and what is in the way. Without changes: the
        forecast itself. It tells of, and counts, the jobs that lists show the caller.
        One question of a user and method at a time: a newer one ends the one before
        with 409. 503 busy: ask again; 503 unavailable with Retry-After: questions have
        held the scheduler up enough for the moment. Jobs that are over are not looked
        up: a dependency on one passes, with a note. What a resource manager would
        refuse by rules of its own is not known here.
        """
        return cast('WhatIf', self._connection.record(
            'POST',
            '/v1/whatif',
            body=body))

    def hold(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Set holds (sethold). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/hold',
            query={'basis': basis},
            body=body))

    def release(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Release holds (releasehold). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/release',
            query={'basis': basis},
            body=body))

    def priority(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """System priority (setspri). Who may: admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/priority',
            query={'basis': basis},
            body=body))

    def user_priority(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """User priority (setupri). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/user-priority',
            query={'basis': basis},
            body=body))

    def qos(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """QOS (setqos). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/qos',
            query={'basis': basis},
            body=body))

    def run(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Start now (runjob). Who may: admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/run',
            query={'basis': basis},
            body=body))

    def cancel(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Cancel (canceljob). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/cancel',
            query={'basis': basis},
            body=body))

    def suspend(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Suspend. Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/suspend',
            query={'basis': basis},
            body=body))

    def resume(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Resume. Who may: admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/resume',
            query={'basis': basis},
            body=body))

    def requeue(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Requeue. Who may: admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/requeue',
            query={'basis': basis},
            body=body))

    def checkpoint(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Checkpoint. Who may: admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/checkpoint',
            query={'basis': basis},
            body=body))

    def signal(
        self,
        body: JobOrder,
    ) -> Outcome:
        """Signal. Who may: owner|admin2."""
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/signal',
            body=body))

    def modify(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Change attributes (mjobctl -m). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/modify',
            query={'basis': basis},
            body=body))

    def deadline(
        self,
        body: JobOrder,
        *,
        basis: str | int | None = None,
    ) -> Outcome:
        """Set or release a deadline. Who may: admin1.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Outcome', self._connection.record(
            'POST',
            '/v1/orders/deadline',
            query={'basis': basis},
            body=body))

    def unreserve(
        self,
        body: ReservationOrder,
        *,
        basis: str | int | None = None,
    ) -> ReservationOutcome:
        """Release reservations, each as by itself (releaseres). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('ReservationOutcome', self._connection.record(
            'POST',
            '/v1/orders/unreserve',
            query={'basis': basis},
            body=body))

    def nodes(
        self,
        *,
        past: str | int | None = None,
        partition: str | int | None = None,
        state: str | int | None = None,
    ) -> Iterator[Node]:
        """Nodes, a record a line. Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('Iterator[Node]', self._connection.lines(
            'GET',
            '/v1/nodes',
            query={'past': past, 'partition': partition, 'state': state}))

    def node(
        self,
        name: str,
        *,
        past: str | int | None = None,
    ) -> Node:
        """One node. Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('Node', self._connection.record(
            'GET',
            '/v1/nodes/{name}',
            names={'name': name},
            query={'past': past}))

    def standing(
        self,
        *,
        past: str | int | None = None,
    ) -> Iterator[Standing]:
        """Standing reservations (SRCFG) of which the caller may see the instances, a
        record a line: which instances are wanted now, and which of them are there.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('Iterator[Standing]', self._connection.lines(
            'GET',
            '/v1/standing',
            query={'past': past}))

    def reservations(
        self,
        *,
        past: str | int | None = None,
        node: str | int | None = None,
        type: str | int | None = None,
        limit: str | int | None = None,
        offset: str | int | None = None,
        jobs: str | int | None = None,
        places: str | int | None = None,
    ) -> Iterator[Reservation]:
        """Reservations the caller may see, a record a line: of jobs first. Without those
        of jobs and without places (jobs=0, places=0) the answer may be the one that
        others had within this minute, and it has an ETag: with that as If-None-Match,
        304 while it is the same, within a minute.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - node: on this node
        - type: Job, User or Standing
        - limit: at most so many
        - offset: without so many first ones
        - jobs: 0: without those of jobs
        - places: 0: without where they are
        """
        return cast('Iterator[Reservation]', self._connection.lines(
            'GET',
            '/v1/reservations',
            query={'past': past, 'node': node, 'type': type, 'limit': limit, 'offset': offset,
                'jobs': jobs, 'places': places}))

    def reserve(
        self,
        body: ReservationDraft,
        *,
        basis: str | int | None = None,
    ) -> Reservation:
        """Reserve (setres). Who may: admin2|RESCTLPOLICY.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Reservation', self._connection.record(
            'POST',
            '/v1/reservations',
            query={'basis': basis},
            body=body))

    def reservation(
        self,
        name: str,
        *,
        past: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
    ) -> Reservation:
        """One reservation.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - user: may jobs of this user use it: the verdict
        - group: and of this group
        - account: and of this account
        - class_: and in this class
        - qos: and with this QOS
        """
        return cast('Reservation', self._connection.record(
            'GET',
            '/v1/reservations/{name}',
            names={'name': name},
            query={'past': past, 'user': user, 'group': group, 'account': account, 'class':
                class_, 'qos': qos}))

    def reservation_change(
        self,
        name: str,
        body: ReservationChange,
        *,
        basis: str | int | None = None,
    ) -> Reservation:
        """Change it (mrsvctl -m). Another start alone moves it, its length stays. Who may:
        owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Reservation', self._connection.record(
            'PATCH',
            '/v1/reservations/{name}',
            names={'name': name},
            query={'basis': basis},
            body=body))

    def reservation_release(
        self,
        name: str,
        *,
        basis: str | int | None = None,
    ) -> Done:
        """Release it (releaseres). Who may: owner|admin2.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Done', self._connection.record(
            'DELETE',
            '/v1/reservations/{name}',
            names={'name': name},
            query={'basis': basis}))

    def series(
        self,
        *,
        past: str | int | None = None,
        names: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        points: str | int | None = None,
    ) -> Series:
        """Use, queue and waits over time: a point a minute of the last two days, since the
        scheduler started, and one each ten minutes of the last sixty. What the caller
        may not know is null.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - names: comma list of procs, procs_active, active, eligible, blocked,
          backlog_h, wait_s; without it all
        - from_: seconds since 1970; without it a day before to
        - to: seconds since 1970; without it now
        - points: at most so many, each an average: 1 to 2000, 300 where nothing is said
        """
        return cast('Series', self._connection.record(
            'GET',
            '/v1/series',
            query={'past': past, 'names': names, 'from': from_, 'to': to, 'points': points}))

    def series_of(
        self,
        kind: str,
        *,
        past: str | int | None = None,
        name: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        points: str | int | None = None,
    ) -> UseOverTime:
        """What one credential used over time, from the records of jobs and those of now:
        of others for administrators of any level, of oneself for everybody. The newest
        20,000 jobs that ended are looked at; there are no points of before them. Who
        may: owner|admin3.
        - past: a view of the past (POST /v1/past): what was over by then
        - name: of which of that kind
        - from_: seconds since 1970; without it a day before to
        - to: seconds since 1970; without it now
        - points: at most so many, each an average: 1 to 300, 240 where nothing is said
        """
        return cast('UseOverTime', self._connection.record(
            'GET',
            '/v1/series/{kind}',
            names={'kind': kind},
            query={'past': past, 'name': name, 'from': from_, 'to': to, 'points': points}))

    def distributions(
        self,
        *,
        past: str | int | None = None,
        kind: str | int | None = None,
        name: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
    ) -> Distributions:
        """How long jobs waited that ended in a span of time, and their expansion factors,
        as counts between bounds: for administrators of any level of all jobs or of one
        credential's, for everybody of one's own. The newest 20,000 are looked at; from
        says since when. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): what was over by then
        - kind: with name: user, group, account, class or qos
        - name: with kind: of that one
        - from_: seconds since 1970; without it a day before to
        - to: seconds since 1970; without it now
        """
        return cast('Distributions', self._connection.record(
            'GET',
            '/v1/distributions',
            query={'past': past, 'kind': kind, 'name': name, 'from': from_, 'to': to}))

    def promises(
        self,
        *,
        past: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
    ) -> Iterator[Promise]:
        """Starts that jobs were promised, by a reservation or as their latest start, and
        what came of it: of those that wait, and of the last 2,000 that do not any more.
        Users are told of their own.
        - past: a view of the past (POST /v1/past): what was over by then
        - from_: only those that wait or were over then or later (seconds since 1970)
        - to: only those that were made by then (seconds since 1970)
        """
        return cast('Iterator[Promise]', self._connection.lines(
            'GET',
            '/v1/promises',
            query={'past': past, 'from': from_, 'to': to}))

    def statistics(
        self,
        *,
        past: str | int | None = None,
    ) -> SystemStatistics:
        """Of the system (showstats). Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('SystemStatistics', self._connection.record(
            'GET',
            '/v1/statistics',
            query={'past': past}))

    def statistics_of(
        self,
        kind: str,
        *,
        past: str | int | None = None,
        name: str | int | None = None,
    ) -> Iterator[Statistics]:
        """Of users, groups, accounts, classes, QOSs; a record a line. Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - name: only this, or those that begin so
        """
        return cast('Iterator[Statistics]', self._connection.lines(
            'GET',
            '/v1/statistics/{kind}',
            names={'kind': kind},
            query={'past': past, 'name': name}))

    def grid(
        self,
        type: str,
        *,
        past: str | int | None = None,
    ) -> Grid:
        """By size and length (showgrid). Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('Grid', self._connection.record(
            'GET',
            '/v1/statistics/grid/{type}',
            names={'type': type},
            query={'past': past}))

    def reset_statistics(
        self,
    ) -> Done:
        """Reset statistics. Who may: admin1."""
        return cast('Done', self._connection.record(
            'POST',
            '/v1/orders/reset-statistics'))

    def fairshare(
        self,
        *,
        past: str | int | None = None,
        kind: str | int | None = None,
    ) -> Fairshare:
        """diagnose -f Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - kind: user, group, account, class, qos
        """
        return cast('Fairshare', self._connection.record(
            'GET',
            '/v1/fairshare',
            query={'past': past, 'kind': kind}))

    def priorities(
        self,
        *,
        past: str | int | None = None,
        partition: str | int | None = None,
        ids: str | int | None = None,
    ) -> Iterator[Priority]:
        """diagnose -p, a record a line: for administrators of all jobs that may start; of
        those that are asked for by ids, everybody's own. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - ids: comma list of jobs
        """
        return cast('Iterator[Priority]', self._connection.lines(
            'GET',
            '/v1/priorities',
            query={'past': past, 'partition': partition, 'ids': ids}))

    def credentials(
        self,
        kind: str,
        *,
        past: str | int | None = None,
        name: str | int | None = None,
    ) -> Iterator[Credential]:
        """diagnose -a -c -g -u -Q, a record a line; users without a level are told of
        themselves alone. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - name: only this
        """
        return cast('Iterator[Credential]', self._connection.lines(
            'GET',
            '/v1/credentials/{kind}',
            names={'kind': kind},
            query={'past': past, 'name': name}))

    def partitions(
        self,
        *,
        past: str | int | None = None,
    ) -> list[dict[str, Any]]:
        """diagnose -t Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        """
        return cast('list[dict[str, Any]]', self._connection.record(
            'GET',
            '/v1/partitions',
            query={'past': past}))

    def managers(
        self,
    ) -> list[Manager]:
        """diagnose -R Who may: admin3."""
        return cast('list[Manager]', self._connection.record(
            'GET',
            '/v1/managers'))

    def parameters(
        self,
        *,
        past: str | int | None = None,
        name: str | int | None = None,
        defaults: str | int | None = None,
    ) -> Iterator[Parameter]:
        """showconfig, a record a line. Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - name: only this
        - defaults: 1: all, also those at their default
        """
        return cast('Iterator[Parameter]', self._connection.lines(
            'GET',
            '/v1/parameters',
            query={'past': past, 'name': name, 'defaults': defaults}))

    def change_parameters(
        self,
        body: ParameterChange,
        *,
        basis: str | int | None = None,
    ) -> Done:
        """changeparam Who may: admin1.
        - basis: as /v1/whatif told it: refused (409) when settings, reservations or
          nodes are others by now
        """
        return cast('Done', self._connection.record(
            'POST',
            '/v1/parameters',
            query={'basis': basis},
            body=body))

    def accounting(
        self,
        *,
        past: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        user: str | int | None = None,
        job: str | int | None = None,
        limit: str | int | None = None,
    ) -> Iterator[Job]:
        """Ended jobs, a record a line. Who may: owner|admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - from_: ended at or after
        - to: ended before
        - job: the job of that id
        """
        return cast('Iterator[Job]', self._connection.lines(
            'GET',
            '/v1/accounting',
            query={'past': past, 'from': from_, 'to': to, 'user': user, 'job': job, 'limit':
                limit}))

    def bank_accounts(
        self,
        *,
        account: str | int | None = None,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankAccount]:
        """Accounts of the bank with what they have, a record a line: those that the caller
        may see.
        - account: this one
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankAccount]', self._connection.lines(
            'GET',
            '/v1/bank/accounts',
            query={'account': account, 'limit': limit, 'after': after}))

    def bank_account(
        self,
        body: BankAccountOrder,
    ) -> BankDone:
        """An account of the bank is as described from now on, and made if it is new."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/accounts',
            body=body))

    def bank_statement(
        self,
        *,
        account: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> BankStatement:
        """What went in and out of an account, some moves at a time. Opening + credits -
        debits = closing, of the whole period.
        - account: this one
        - from_: at or after
        - to: before
        - limit: so many moves at a time, 1000; 10000 at most
        - after: moves behind what next told
        """
        return cast('BankStatement', self._connection.record(
            'GET',
            '/v1/bank/statement',
            query={'account': account, 'from': from_, 'to': to, 'limit': limit, 'after': after}))

    def bank_quote(
        self,
        *,
        procs: str | int | None = None,
        duration_s: str | int | None = None,
        mem_per_proc_mb: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
    ) -> JobFunds:
        """What a job would cost, and whether its account could pay now.
        - procs: default 1
        - duration_s: default 1
        - user: default the caller
        - account: default that of the user
        """
        return cast('JobFunds', self._connection.record(
            'GET',
            '/v1/bank/quote',
            query={'procs': procs, 'duration_s': duration_s, 'mem_per_proc_mb': mem_per_proc_mb,
                'user': user, 'group': group, 'account': account, 'class': class_, 'qos': qos}))

    def bank_quotes(
        self,
        *,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankQuote]:
        """Quotes that can be used, a record a line: the caller's, and those of accounts
        that the caller leads.
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankQuote]', self._connection.lines(
            'GET',
            '/v1/bank/quotes',
            query={'limit': limit, 'after': after}))

    def bank_keep_quote(
        self,
        body: BankQuoteOrder,
        *,
        procs: str | int | None = None,
        duration_s: str | int | None = None,
        mem_per_proc_mb: str | int | None = None,
        user: str | int | None = None,
        group: str | int | None = None,
        account: str | int | None = None,
        class_: str | int | None = None,
        qos: str | int | None = None,
    ) -> BankDone:
        """Keep the rates of such a job under a number: a job that names it is charged at
        those.
        - procs: default 1
        - duration_s: default 1
        - mem_per_proc_mb: of each processor
        - user: default the caller
        - group: default that of the user
        - account: default that of the user
        - class_: its class
        - qos: its QOS
        """
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/quotes',
            query={'procs': procs, 'duration_s': duration_s, 'mem_per_proc_mb': mem_per_proc_mb,
                'user': user, 'group': group, 'account': account, 'class': class_, 'qos': qos},
            body=body))

    def bank_usage(
        self,
        *,
        account: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        since: str | int | None = None,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankUsage]:
        """Who used how much of accounts, a record a line, of an account all in one page.
        Users see what they used themselves, leads and administrators what all did.
        - account: this one
        - from_: at or after
        - to: before
        - since: of transactions behind that number
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankUsage]', self._connection.lines(
            'GET',
            '/v1/bank/usage',
            query={'account': account, 'from': from_, 'to': to, 'since': since, 'limit': limit,
                'after': after}))

    def bank_transactions(
        self,
        *,
        account: str | int | None = None,
        since: str | int | None = None,
        limit: str | int | None = None,
    ) -> Iterator[BankTransaction]:
        """What went in and out of accounts' deposits, as it was booked, a record a line.
        - account: this one
        - since: behind that number
        - limit: so many moves, 1000; 10000 at most; of a transaction all
        """
        return cast('Iterator[BankTransaction]', self._connection.lines(
            'GET',
            '/v1/bank/transactions',
            query={'account': account, 'since': since, 'limit': limit}))

    def bank_rates(
        self,
    ) -> BankRates:
        """What is charged: rates, factors, by time of day."""
        return cast('BankRates', self._connection.record(
            'GET',
            '/v1/bank/rates'))

    def bank_limit(
        self,
        body: BankLimit,
    ) -> BankDone:
        """The account's own deposits have so much from now on: the difference is deposited
        or withdrawn. Who may: admin1.
        """
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/limits',
            body=body))

    def bank_liens(
        self,
        *,
        account: str | int | None = None,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankLien]:
        """Runs of jobs for which credits are kept, a record a line.
        - account: this one
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankLien]', self._connection.lines(
            'GET',
            '/v1/bank/liens',
            query={'account': account, 'limit': limit, 'after': after}))

    def bank_queue(
        self,
        *,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankMessage]:
        """What a bank that is elsewhere has to be told still, and what it did not take, a
        record a line. Who may: admin3.
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankMessage]', self._connection.lines(
            'GET',
            '/v1/bank/queue',
            query={'limit': limit, 'after': after}))

    def bank_queue_order(
        self,
        body: BankQueueOrder,
    ) -> BankDone:
        """Have a message told to the bank again, or never. Who may: admin1."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/queue',
            body=body))

    def bank_deposits(
        self,
        *,
        account: str | int | None = None,
        ended: str | int | None = None,
        limit: str | int | None = None,
        after: str | int | None = None,
    ) -> Iterator[BankDepositRecord]:
        """Deposits of accounts, a record a line.
        - account: this one
        - ended: 1: those that have ended too
        - limit: so many records, 1000; 10000 at most
        - after: those behind what next told
        """
        return cast('Iterator[BankDepositRecord]', self._connection.lines(
            'GET',
            '/v1/bank/deposits',
            query={'account': account, 'ended': ended, 'limit': limit, 'after': after}))

    def bank_deposit(
        self,
        body: BankDeposit,
    ) -> BankDone:
        """Give an account credits. Who may: admin1."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/deposits',
            body=body))

    def bank_withdraw(
        self,
        body: BankWithdrawal,
    ) -> BankDone:
        """Take credits away that are available. Who may: admin1."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/withdrawals',
            body=body))

    def bank_transfer(
        self,
        body: BankTransfer,
    ) -> BankDone:
        """Move credits to another account, with the dates that they have."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/transfers',
            body=body))

    def bank_refund(
        self,
        body: BankRefund,
    ) -> BankDone:
        """Give back what a run was charged, or a part of it. Who may: admin1."""
        return cast('BankDone', self._connection.record(
            'POST',
            '/v1/bank/refunds',
            body=body))

    def bank_losses(
        self,
        *,
        since: str | int | None = None,
    ) -> Iterator[BankLoss]:
        """Runs of jobs that ended as a node was lost, with what they cost, a record a
        line. Who may: admin3.
        - since: that ended then or later
        """
        return cast('Iterator[BankLoss]', self._connection.lines(
            'GET',
            '/v1/bank/losses',
            query={'since': since}))

    def bank_refund_losses(
        self,
        body: BankRefundLosses,
    ) -> BankLossesDone:
        """Give back all that such runs were charged and have not got back. Who may:
        admin1.
        """
        return cast('BankLossesDone', self._connection.record(
            'POST',
            '/v1/bank/losses',
            body=body))

    def events(
        self,
        *,
        past: str | int | None = None,
        from_: str | int | None = None,
        last: str | int | None = None,
        names: str | int | None = None,
        follow: str | int | None = None,
    ) -> Iterator[Event]:
        """What happens, an event a line; with Accept: text/event-stream as server-sent
        events. Waits for more until the client leaves. A reader that falls too far
        behind gets a last line with the event DROPPED. Who may: admin3.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - from_: number of the first event; without it, what comes from now on. LOST is
          told when it is not kept any more.
        - last: without from: so many numbers before now, as far as they are kept
        - names: comma list of names of events: only these
        - follow: 0: what there is, and the end
        """
        return cast('Iterator[Event]', self._connection.lines(
            'GET',
            '/v1/events',
            query={'past': past, 'from': from_, 'last': last, 'names': names, 'follow': follow}))

    def rows(
        self,
        *,
        past: str | int | None = None,
        by: str | int | None = None,
        fold: str | int | None = None,
    ) -> Rows:
        """The nodes as rows of a picture, in an order for people: by group, frame and
        slot, name. They are the rows that /v1/timeline counts. Refused where the
        resource manager keeps nodes private. With If-None-Match: 304 while nothing of
        it has changed.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - by: what groups are: partition (the usual), state; for administrators class,
          feature, frame as well
        - fold: groups that are one row each, with | between them; * are all; at most
          4096 bytes
        """
        return cast('Rows', self._connection.record(
            'GET',
            '/v1/rows',
            query={'past': past, 'by': by, 'fold': fold}))

    def timeline(
        self,
        *,
        past: str | int | None = None,
        from_: str | int | None = None,
        to: str | int | None = None,
        rows: str | int | None = None,
        by: str | int | None = None,
        fold: str | int | None = None,
        width: str | int | None = None,
        height: str | int | None = None,
        layers: str | int | None = None,
        color: str | int | None = None,
        as_: str | int | None = None,
        packed: str | int | None = None,
    ) -> bytes:
        """What is on some rows from then till then: jobs that run, starts that were
        promised, a forecast of others (worked out on a copy of the plan, to the limits
        of all jobs: an assumption), reservations, and nodes that are down; of each what
        lists would show the caller. As pieces, or, where they would be more than can be
        drawn, as shares of small cells. Binary: docs/timeline-format.md. With If-None-
        Match and the state that an answer told: 304 while it is the same.
        - past: a view of the past (POST /v1/past): told as of then, as lists showed it
          to the caller
        - from_: begin of the window, an instant; without it an hour ago
        - to: its end; without it a day after the begin
        - rows: FIRST-LAST, of /v1/rows, from 0; without it all
        - by: as for /v1/rows
        - fold: as for /v1/rows
        - width: of the picture, in pixels
        - height: of the picture, in pixels
        - layers: comma list of use, promised, forecast, reserved, down, ended; without
          it all
        - color: whose use leads in a cell: user, group, account, class, qos
        - as_: auto, pieces, cells
        - packed: 1: deflated (zlib)
        """
        return self._connection.bytes(
            'GET',
            '/v1/timeline',
            query={'past': past, 'from': from_, 'to': to, 'rows': rows, 'by': by, 'fold': fold,
                'width': width, 'height': height, 'layers': layers, 'color': color, 'as': as_,
                'packed': packed})

    def changes(
        self,
        *,
        since: str | int | None = None,
        kinds: str | int | None = None,
        follow: str | int | None = None,
    ) -> Iterator[Change]:
        """What is different since a revision, an object a line, as it comes about: jobs,
        nodes (for administrators; that jobs come and go on them is no change) and
        reservations as they are now, at most four times a second. Waits for more until
        the client leaves. Whoever reads it first and then asks for a list has no gap. A
        line with the event RESET: changes since then are not kept, ask for the lists
        again.
        - since: revision, as the stream told it; without it, what comes from now on
        - kinds: comma list of job, node, reservation; without it all
        - follow: 0: what there is, and the end
        """
        return cast('Iterator[Change]', self._connection.lines(
            'GET',
            '/v1/changes',
            query={'since': since, 'kinds': kinds, 'follow': follow}))

    def metrics(
        self,
    ) -> str:
        """Figures for monitoring, as Prometheus reads them (text format 0.0.4). Nothing of
        single users or jobs.
        """
        return self._connection.text(
            'GET',
            '/metrics')

    def openapi(
        self,
    ) -> Any:
        """This description."""
        return cast('Any', self._connection.record(
            'GET',
            '/openapi.json'))
