// What can be ordered about jobs: the operations of /v1/orders/, whom each is open to, which
// jobs it suits, what undoes it, and the command that does the same. What of it a caller may
// do only the scheduler decides; here is what would be refused in any case left out.
import { duration } from "./format";
import type { Identity, JobBrief, JobOrder, Reservation } from "./types";

/** A job that something is to be done to: of a list, or of its details. */
export type Subject = JobBrief & { user_priority?: number };

export interface Verb {
  order: string;
  name: string; // on its button
  past: string; // "held": as the notice says it
  own: boolean; // owners may, for theirs
  level: 1 | 2; // this level may for any
  destroys?: string; // what is lost by it
  suits: (j: Subject) => boolean;
  asks?: { label: string; hint: string; kind: "number" | "name" | "duration" | "instant"; of?: (j: Subject) => string };
  /** What is sent, of the value asked for. */
  request: (jobs: string[], value: string, admin: boolean) => JobOrder;
  command: (jobs: string[], value: string, admin: boolean) => string;
  /** What puts it back as it was; null: nothing does. */
  undo?: (j: Subject, admin: boolean) => { order: string; request: JobOrder } | null;
}

const waits = (j: Subject) => j.section === "eligible" || j.section === "blocked";
const lives = (j: Subject) => j.section !== "completed";
const runs = (j: Subject) => j.section === "active" && j.state !== "Suspended";
/** As a shell reads it: one word, whatever is in it. */
export const quote = (word: string) => (/^[\w.:+][\w.:+-]*$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
/** Jobs that were looked at are meant by their ids: none of them is a pattern. */
export const byId = (request: JobOrder): JobOrder => ({ ...request, exact: true });
const words = (jobs: string[]) => jobs.map(quote).join(" ");
const kindOf = (admin: boolean) => (admin ? "system" : "user");
const HOLDS = ["user", "system", "batch"];

export const VERBS: Verb[] = [
  {
    order: "hold", name: "Hold", past: "held", own: true, level: 2, suits: waits,
    request: (jobs, _, admin) => ({ jobs, kinds: [kindOf(admin)] }),
    command: (jobs, _, admin) => `sethold ${admin ? "-s" : "-u"} ${words(jobs)}`,
    undo: (j, admin) => (j.holds?.includes(kindOf(admin)) ? null : { order: "release", request: { jobs: [j.id], kinds: [kindOf(admin)] } }),
  },
  {
    order: "release", name: "Release", past: "released", own: true, level: 2, suits: (j) => waits(j) && Boolean(j.holds?.length),
    request: (jobs) => ({ jobs }),
    command: (jobs) => `releasehold -a ${words(jobs)}`,
    undo: (j, admin) => {
      const kinds = (j.holds ?? []).filter((k) => HOLDS.includes(k) && (admin || k === "user"));
      return kinds.length ? { order: "hold", request: { jobs: [j.id], kinds } } : null;
    },
  },
  {
    order: "priority", name: "Priority", past: "given that priority", own: false, level: 2, suits: waits,
    asks: { label: "System priority", hint: "1 to 1000: before all others; 0: none", kind: "number", of: (j) => String(j.system_priority ?? 0) },
    request: (jobs, value) => ({ jobs, priority: Number(value) }),
    command: (jobs, value) => `setspri ${value} ${words(jobs)}`,
    undo: (j) => ({ order: "priority", request: { jobs: [j.id], priority: j.system_priority ?? 0 } }),
  },
  {
    order: "user-priority", name: "My priority", past: "marked", own: true, level: 2, suits: waits,
    asks: { label: "User priority", hint: "0 to 100: a mark of its owner; nothing is computed from it", kind: "number", of: (j) => String(j.user_priority ?? 0) },
    request: (jobs, value) => ({ jobs, priority: Number(value) }),
    command: (jobs, value) => `setupri ${value} ${words(jobs)}`,
    undo: (j) => (j.user_priority === undefined ? null : { order: "user-priority", request: { jobs: [j.id], priority: j.user_priority } }),
  },
  {
    order: "qos", name: "QOS", past: "given that QOS", own: true, level: 2, suits: waits,
    asks: { label: "QOS", hint: "a name", kind: "name", of: (j) => j.qos ?? "" },
    request: (jobs, value) => ({ jobs, qos: value }),
    command: (jobs, value) => `setqos ${quote(value)} ${words(jobs)}`,
    undo: (j) => (j.qos ? { order: "qos", request: { jobs: [j.id], qos: j.qos } } : null),
  },
  {
    order: "modify", name: "Limit", past: "given that limit", own: true, level: 2, suits: lives,
    asks: { label: "Wall clock limit", hint: "as 2:00:00, or seconds", kind: "duration", of: (j) => (j.wclimit_s ? duration(j.wclimit_s) : "") },
    request: (jobs, value) => ({ jobs, changes: [{ attribute: "wclimit", op: "=", value }] }),
    command: (jobs, value) => `mjobctl -m wclimit=${value} ${words(jobs)}`,
    undo: (j) => (j.wclimit_s ? { order: "modify", request: { jobs: [j.id], changes: [{ attribute: "wclimit", op: "=", value: String(j.wclimit_s) }] } } : null),
  },
  {
    order: "deadline", name: "Deadline", past: "given that deadline", own: false, level: 1, suits: waits,
    asks: { label: "Complete by", hint: "a day and a time, as 2031-05-17 18:00, or +8:00:00 from now", kind: "instant" },
    request: (jobs, value) => ({ jobs, at: Number(value) }),
    command: (jobs, value) => jobs.map((j) => `setdeadline ${quote(j)} ${value}`).join("; "),
  },
  {
    order: "run", name: "Run now", past: "started", own: false, level: 2, suits: waits,
    request: (jobs) => ({ jobs }),
    command: (jobs) => `runjob ${words(jobs)}`,
  },
  {
    order: "suspend", name: "Suspend", past: "suspended", own: true, level: 2, suits: runs,
    request: (jobs) => ({ jobs }),
    command: (jobs) => `mjobctl -s ${words(jobs)}`,
    undo: (j, admin) => (admin ? { order: "resume", request: { jobs: [j.id] } } : null),
  },
  {
    order: "resume", name: "Resume", past: "resumed", own: false, level: 2, suits: (j) => j.state === "Suspended",
    request: (jobs) => ({ jobs }),
    command: (jobs) => `mjobctl -r ${words(jobs)}`,
    undo: (j) => ({ order: "suspend", request: { jobs: [j.id] } }),
  },
  {
    order: "checkpoint", name: "Checkpoint", past: "checkpointed", own: false, level: 2, suits: runs,
    request: (jobs) => ({ jobs }),
    command: (jobs) => `mjobctl -C ${words(jobs)}`,
  },
  {
    order: "requeue", name: "Requeue", past: "requeued", own: false, level: 2, suits: (j) => j.section === "active",
    destroys: "What it has worked out since its start is lost: it runs again from the beginning.",
    request: (jobs) => ({ jobs }),
    command: (jobs) => `mjobctl -R ${words(jobs)}`,
  },
  {
    order: "cancel", name: "Cancel", past: "cancelled", own: true, level: 2, suits: lives,
    destroys: "It is gone then, with what it has worked out. Nothing brings it back.",
    request: (jobs) => ({ jobs }),
    command: (jobs) => `canceljob ${words(jobs)}`,
  },
];

export const MANY = 20; // more to be cancelled or requeued: the number has to be typed

export function rules(who: Identity | null): boolean {
  return who !== null && (who.level === 1 || who.level === 2);
}

/** Would it be refused for want of a right? `ours`: it is the caller's, or of an account
    that they coordinate. */
export function mayOrder(verb: Verb, who: Identity | null, ours: boolean): boolean {
  if (!who || who.read_only) return false;
  return (who.level >= 1 && who.level <= verb.level) || (verb.own && ours);
}

/** Those of the jobs that this can be ordered about. */
export function suited(verb: Verb, jobs: Subject[], who: Identity | null, ours: (j: Subject) => boolean): Subject[] {
  return jobs.filter((j) => verb.suits(j) && mayOrder(verb, who, ours(j)));
}

/** Is the value one that can be sent? A sentence where it is not. */
export function checkValue(verb: Verb, value: string): string | null {
  const kind = verb.asks?.kind;
  if (!kind) return null;
  if (!value.trim()) return "a value is needed";
  if (kind === "number" && !/^-?\d{1,9}$/.test(value.trim())) return "a whole number is needed";
  if (kind === "duration" && !/^(\d+:)*\d+$/.test(value.trim())) return "a time is needed, as 2:00:00";
  return null;
}

/** Would a change of it be refused for want of a right? */
export function mayChange(r: Reservation | undefined, who: Identity | null): boolean {
  return Boolean(r && r.type !== "Job" && (rules(who) || (who && r.user === who.user)));
}
