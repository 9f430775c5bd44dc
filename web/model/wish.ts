// A job that nobody has submitted: what it would ask for, as its form and the address say it.
import { readDuration, readInstant, writeFull } from "./times";
import type { Zone } from "./prefs";

export const WISHES = [
  "procs", "duration_s", "procs_per_task", "mem_per_proc_mb", "from", "user", "account", "class", "qos", "features", "partition",
] as const;
export type WishField = (typeof WISHES)[number];
export type Wish = Partial<Record<WishField, string>>;

const USUAL: Wish = { procs: "1", duration_s: "1:00:00" };
const NUMBERS: WishField[] = ["procs", "procs_per_task", "mem_per_proc_mb"];
const MOST = 2 ** 31 - 1;

/** "procs=8;class=fast"; what is not said is as usual. */
export function readWish(text: string): Wish {
  const wish: Wish = { ...USUAL };
  for (const part of text.split(";")) {
    const [name, ...rest] = part.split("=");
    if (WISHES.includes(name as WishField)) wish[name as WishField] = rest.join("=");
  }
  return wish;
}

/** As the address has it: a time of the zone that is shown says how far that is from UTC. */
export function writeWish(asked: Wish, zone: Zone): string {
  const from = asked.from?.trim() ?? "";
  const at = /^\d/.test(from) ? readInstant(from, 0, zone) : null;
  const wish = at === null ? asked : { ...asked, from: writeFull(at, zone) };
  const said = WISHES.filter((f) => (wish[f] ?? "") !== (USUAL[f] ?? "")).map((f) => `${f}=${(wish[f] ?? "").replace(/;/g, ",")}`);
  return said.join(";") || "1";
}

export interface WishAsked {
  words: Partial<Record<WishField, string>>; // as the API has them
  wrong: Partial<Record<WishField, string>>;
}

function readField(field: WishField, text: string, now: number, zone: Zone): { value?: string; wrong?: string } {
  if (NUMBERS.includes(field)) return /^\d{1,10}$/.test(text) && Number(text) > 0 && Number(text) <= MOST ? { value: text } : { wrong: "a whole number is needed" };
  if (field === "duration_s") {
    const s = readDuration(text);
    return s && s <= MOST ? { value: String(s) } : { wrong: "a time is needed, as 2:00:00" };
  }
  if (field === "features") return { value: text.split(/[\s,:]+/).filter(Boolean).join() };
  if (field !== "from") return { value: text };
  const at = readInstant(text, now, zone);
  if (at === null) return { wrong: "a day and a time are needed, as 2031-05-17 18:00, or +2:00:00" };
  return /^now$/i.test(text) ? {} : { value: String(text.startsWith("+") ? Math.ceil(at / 60) * 60 : Math.round(at)) };
}

export function askedBy(wish: Wish, now: number, zone: Zone): WishAsked {
  const asked: WishAsked = { words: {}, wrong: {} };
  for (const field of WISHES) {
    const text = wish[field]?.trim() ?? "";
    const needed = USUAL[field] !== undefined;
    if (!text && !needed) continue;
    const { value, wrong } = readField(field, text, now, zone);
    if (wrong) asked.wrong[field] = wrong;
    else if (value) asked.words[field] = value;
  }
  return asked;
}

/** The same as a submission, to be tried. */
export function submissionOf(words: WishAsked["words"]) {
  const each = Number(words.procs_per_task ?? 1);
  const memory = words.mem_per_proc_mb ? { mem_mb: Number(words.mem_per_proc_mb) * each } : {};
  return {
    script: "#!/bin/sh\n",
    wclimit_s: Number(words.duration_s),
    requests: [{ tasks: Math.ceil(Number(words.procs) / each), per_task: { procs: each, ...memory }, features: words.features?.split(",") }],
    account: words.account, class: words.class, qos: words.qos,
    partitions: words.partition ? [words.partition] : undefined,
    release_at: words.from ? Number(words.from) : undefined,
  };
}
