// Orders on their way: sent once, told as the scheduler answers, undone by other orders.
import { ApiError, ask } from "../api/client";
import { plain } from "./format";
import { askNow } from "./live";
import { notice } from "./notices";
import { byId, type Subject, type Verb } from "./orders";
import type { JobOrder, Outcome } from "./types";

const jobsWord = (n: number) => (n === 1 ? "1 job" : `${n} jobs`);

/** What became of a change of which no answer came, nobody knows: it is not sent again. */
export function tellFailure(what: string, e: unknown): void {
  if (e instanceof ApiError) notice({ kind: "wrong", text: `${what}: ${e.message}` });
  else notice({ kind: "wrong", text: `${what}: no answer came, so it is not known whether it was done. What is shown is asked for again.` });
  askNow();
}

/** On the basis of what was tried: refused when settings, nodes or reservations are others. */
export function withBasis(path: string, basis: string | undefined): string {
  return basis ? `${path}?basis=${encodeURIComponent(basis)}` : path;
}

/** It was refused for that: what was looked at is of a state that is no more. */
export function isStale(e: unknown): boolean {
  return e instanceof ApiError && e.status === 409 && e.field === "basis";
}

async function order(verb: string, request: JobOrder, basis?: string): Promise<Outcome> {
  return JSON.parse(await ask("POST", withBasis(`/v1/orders/${verb}`, basis), byId(request))) as Outcome;
}

/** Those of one kind together. */
function groupUndo(verb: Verb, jobs: Subject[], admin: boolean): { order: string; request: JobOrder }[] {
  const groups = new Map<string, { order: string; request: JobOrder }>();
  for (const j of jobs) {
    const back = verb.undo?.(j, admin);
    if (!back) continue;
    const key = JSON.stringify([back.order, { ...back.request, jobs: [] }]);
    const group = groups.get(key);
    if (group) group.request.jobs?.push(j.id);
    else groups.set(key, back);
  }
  return [...groups.values()];
}

async function undoAll(all: { order: string; request: JobOrder }[]): Promise<void> {
  const wrong: string[] = [];
  let n = 0;
  try {
    for (const one of all) {
      const answer = await order(one.order, one.request);
      n += answer.results.filter((r) => r.ok).length;
      wrong.push(...answer.results.filter((r) => !r.ok).map((r) => r.message));
    }
    notice({ kind: wrong.length ? "wrong" : "done", text: `Undone for ${jobsWord(n)}.`, more: wrong });
  } catch (e) {
    tellFailure("Undo", e);
  }
  askNow();
}

/** True: some took it. */
export async function carryOut(verb: Verb, jobs: Subject[], value: string, admin: boolean, basis?: string): Promise<boolean | "stale"> {
  try {
    const answer = await order(verb.order, verb.request(jobs.map((j) => j.id), value, admin), basis);
    const took = new Set(answer.results.filter((r) => r.ok).map((r) => r.job));
    const wrong = answer.results.filter((r) => !r.ok).map((r) => r.message);
    const done = jobs.filter((j) => took.has(j.id));
    const back = groupUndo(verb, done, admin);
    const told = answer.results.find((r) => r.ok)?.message ?? "";
    const text = done.length === 1 ? `Job ${plain(done[0].id)} ${verb.past}: ${told}` : `${jobsWord(done.length)} ${verb.past}.`;
    notice({
      kind: wrong.length ? "wrong" : "done",
      text: done.length ? (wrong.length ? `${text} ${jobsWord(wrong.length)} did not take it:` : text) : `${verb.name}: refused.`,
      more: wrong,
      undo: back.length ? () => undoAll(back) : undefined,
    });
    askNow();
    return done.length > 0;
  } catch (e) {
    if (isStale(e)) return "stale";
    tellFailure(verb.name, e);
    return false;
  }
}
