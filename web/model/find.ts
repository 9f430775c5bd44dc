// What the search finds by words: jobs are asked for, names of all else are gone through here.
import { ask, readLines } from "../api/client";
import { readRows } from "../gantt/rows";
import { plain } from "./format";
import { KINDS, kindWord } from "./limits";
import type { JobBrief, ParameterRecord, Reservation } from "./types";

export interface Found {
  kind: string;
  name: string;
  note?: string;
  to: string;
}

const EACH = 4; // of a kind
const KEPT_MS = 20000; // names that were asked for

type List = { kind: string; of: () => Promise<{ name: string; note?: string }[]>; to: (name: string) => string; admin?: boolean };
const name = encodeURIComponent;

async function askLines<T>(path: string): Promise<T[]> {
  return readLines<T>(await ask("GET", path));
}

async function nodeNames() {
  const rows = readRows(await ask("GET", "/v1/rows?by=partition"));
  return Array.from({ length: rows.n }, (_, i) => ({ name: rows.name(i) }));
}

const LISTS: List[] = [
  { kind: "node", admin: true, of: nodeNames, to: (n) => `/ui/nodes?sel=${name(n)}` },
  {
    kind: "reservation", to: (n) => `/ui/reservations?sel=${name(n)}`,
    of: async () => (await askLines<Reservation>("/v1/reservations?jobs=0&places=0&limit=2000")).map((r) => ({ name: r.name ?? "", note: r.label })),
  },
  ...KINDS.map((k) => ({
    kind: kindWord(k), admin: true, to: (n: string) => `/ui/credentials/${k}/${name(n)}`,
    of: () => askLines<{ name: string }>(`/v1/credentials/${k}`),
  })),
  {
    kind: "parameter", admin: true, to: (n) => `/ui/parameters?all=1&sel=${name(n)}`,
    of: async () => (await askLines<ParameterRecord>("/v1/parameters?defaults=1")).map((p) => ({ name: p.name, note: p.value })),
  },
];

type Names = Promise<{ name: string; note?: string }[]>;
const kept = new Map<string, { at: number; all: Names }>();
let then: string | null = null; // the instant that they are of; null: now

function namesOf(list: List): Names {
  const instant = new URLSearchParams(location.search).get("at");
  if (instant !== then) kept.clear(); // of another time
  then = instant;
  const old = kept.get(list.kind);
  if (old && Date.now() - old.at < KEPT_MS) return old.all;
  const all: Names = list.of().catch(() => {
    if (kept.get(list.kind)?.all === all) kept.delete(list.kind);
    return [];
  });
  kept.set(list.kind, { at: Date.now(), all });
  return all;
}

async function findJobs(word: string): Promise<Found[]> {
  if (!/^[\w.*-]+$/.test(word)) return []; // the queue has a language of its own
  const lines = await askLines<JobBrief>(`/v1/jobs?q=${name(word)}&limit=${EACH}&fields=id,name,user`).catch(() => []);
  return lines.flatMap((j) => (j.id ? [{ kind: "job", name: j.id, note: [j.name, j.user].filter(Boolean).map((w) => plain(w as string)).join(", "), to: `/ui/jobs?sel=${name(j.id)}` }] : []));
}

/** Names that begin with it before those that have it anywhere; a few of each kind. */
export async function find(word: string, admin: boolean): Promise<Found[]> {
  const wanted = word.toLowerCase();
  const rank = (n: string) => (n.toLowerCase() === wanted ? 0 : n.toLowerCase().startsWith(wanted) ? 1 : 2);
  const lists = await Promise.all(LISTS.filter((l) => admin || !l.admin).map(async (l) => {
    const all = (await namesOf(l)).filter((n) => n.name.toLowerCase().includes(wanted));
    return all.sort((a, b) => rank(a.name) - rank(b.name)).slice(0, EACH).map((n): Found => ({ kind: l.kind, name: n.name, note: n.note, to: l.to(n.name) }));
  }));
  return [...await findJobs(word), ...lists.flat()].sort((a, b) => rank(a.name) - rank(b.name));
}
