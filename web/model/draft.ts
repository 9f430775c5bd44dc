// A reservation that is being made or changed: what its form says, and the box that is drawn
// for it on the timeline. Nothing of it is sent before its button is pressed, but questions.
import { useSyncExternalStore } from "react";
import { readDuration, readInstant, writeInstant } from "./times";
import { duration } from "./format";
import type { Zone } from "./prefs";
import type { Reservation, ReservationChange, ReservationDraft } from "./types";

/** Rows and time, as drawn; both rows are in it. */
export interface Box {
  from: number;
  to: number;
  first: number;
  last: number;
}

export type Field =
  | "start_at" | "duration_s" | "hosts" | "tasks" | "resources" | "users" | "groups" | "accounts" | "classes" | "qos"
  | "name" | "owner" | "charge" | "label" | "subtype" | "features" | "partition" | "nodeset" | "flags" | "trigger" | "comment";
export type Form = Partial<Record<Field, string>> & { exclusive?: boolean };

export interface Draft {
  of: string | null; // the reservation that is changed; null: a new one
  form: Form;
  was: Form; // of a change: as it is
  rows: [number, number] | null; // that were drawn, and `hosts` means
  open: boolean; // its form has been asked for
}

const LISTS: Field[] = ["users", "groups", "accounts", "classes", "qos", "flags"];
const ACCESS: Record<string, Field> = { USER: "users", GROUP: "groups", ACCT: "accounts", ACCOUNT: "accounts", CLASS: "classes", QOS: "qos" };
/** What formOf() leaves out: of a change nobody knows here what it was. */
export const UNTOLD: Field[] = ["resources", "name", "charge", "partition", "nodeset", "flags", "trigger"];
const HOUR = 3600;

let draft: Draft | null = null;
const readers = new Set<() => void>();

export function setDraft(next: Draft | null): void {
  draft = next;
  readers.forEach((read) => read());
}

const KEPT = "maui.draft";

/** A session has ended while it was made: whoever logs in here next has it again, if that is the same user. */
export function keepDraft(user: string | undefined): void {
  if (draft && user) sessionStorage.setItem(KEPT, JSON.stringify({ user, draft }));
}

export function takeKept(user: string): void {
  const { user: whose, draft: kept } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  sessionStorage.removeItem(KEPT);
  if (whose === user) setDraft(kept as Draft);
}

export function theDraft(): Draft | null {
  return draft;
}

export function useDraft(): Draft | null {
  return useSyncExternalStore((read) => {
    readers.add(read);
    return () => readers.delete(read);
  }, () => draft);
}

export function beginNew(form: Form = {}): void {
  setDraft({ of: null, form: { start_at: "now", duration_s: duration(HOUR), ...form }, was: {}, rows: null, open: false });
}

/** What a reservation is, as its form would say it. */
export function formOf(r: Reservation, zone: Zone): Form {
  const form: Form = {
    start_at: writeInstant(r.start_at, zone),
    duration_s: r.end_at ? duration(r.end_at - r.start_at) : "unlimited",
    hosts: r.hosts ?? "", tasks: r.max_tasks ? String(r.max_tasks) : "",
    owner: r.owner ?? "", label: r.label ?? "", subtype: r.subtype ?? "", comment: r.comment ?? "",
    features: (r.features ?? []).join(":"),
  };
  for (const entry of r.acl ?? []) {
    const [, kind, not, name] = /^([A-Z]+)(!?)=+(.*)$/.exec(entry) ?? [];
    const field = kind ? ACCESS[kind] : undefined;
    if (field && name) form[field] = `${form[field] ? `${form[field] as string}, ` : ""}${not}${name}`;
  }
  return form;
}

const AMOUNTS = { procs: "PROCS", mem_mb: "MEM", swap_mb: "SWAP", disk_mb: "DISK" } as const;

/** What it says besides, which of a change is not known to be as it was asked for. */
function besides(r: Reservation): Form {
  const each = Object.entries(AMOUNTS).flatMap(([k, word]) => {
    const n = r.per_task?.[k as keyof typeof AMOUNTS];
    return n && n > 0 ? [`${word}=${n}`] : [];
  });
  return {
    resources: each.join(";"), flags: (r.flags ?? []).join(", "), charge: [r.account, r.group, r.user].map((w) => w ?? "").join(",").replace(/,+$/, ""),
    partition: r.partition && r.partition !== "ALL" ? r.partition : "",
  };
}

/** One like it, right behind it, or a day later where it has no end. */
export function beginCopy(r: Reservation, zone: Zone): void {
  const form = { ...formOf(r, zone), ...besides(r), start_at: writeInstant(r.end_at ?? r.start_at + 24 * HOUR, zone) };
  setDraft({ of: null, form, was: {}, rows: null, open: true });
}

export function beginChange(r: Reservation, zone: Zone, rows: [number, number] | null): void {
  const was = formOf(r, zone);
  setDraft({ of: r.name, form: { ...was }, was, rows, open: false });
}

/** Members as the form says them; wrong: of which field, and what is expected. */
function readField(field: Field, text: string, now: number, zone: Zone): { value?: unknown; wrong?: string } {
  const word = text.trim();
  if (field === "start_at") {
    const at = readInstant(word, now, zone);
    if (at === null) return { wrong: "a day and a time are needed, as 2031-05-17 18:00, now, or +2:00:00" };
    // so long from now is another instant each second: the question would never come to rest
    return { value: word.startsWith("+") ? Math.ceil(at / 60) * 60 : at };
  }
  if (field === "duration_s") {
    if (/^(unlimited|none)$/i.test(word)) return { value: null };
    const s = readDuration(word);
    return s ? { value: s } : { wrong: "a time is needed, as 2:00:00, or unlimited" };
  }
  if (field === "tasks") return /^\d{1,9}$/.test(word) ? { value: Number(word) } : { wrong: "a whole number is needed" };
  if (LISTS.includes(field)) return { value: word.split(/[\s,]+/).filter(Boolean) };
  return { value: word };
}

export interface Asked {
  body: ReservationDraft & ReservationChange;
  wrong: Partial<Record<Field, string>>;
  same: boolean; // of a change: nothing is different
}

/** What is to be sent, as far as it can be read. */
export function askedOf(d: Draft, now: number, zone: Zone): Asked {
  const body: Record<string, unknown> = {};
  const wrong: Partial<Record<Field, string>> = {};
  for (const [name, text] of Object.entries(d.form)) {
    if (typeof text !== "string") continue;
    const field = name as Field;
    if (d.of === null ? !text.trim() : text === (d.was[field] ?? "")) continue;
    if (d.of === null && field === "start_at" && /^\s*now\s*$/i.test(text)) continue;
    if (d.of !== null && !text.trim() && !LISTS.includes(field)) {
      body[field] = field === "tasks" ? 0 : "";
      continue;
    }
    const { value, wrong: sentence } = readField(field, text, now, zone);
    if (sentence) wrong[field] = sentence;
    else body[field] = value;
  }
  if (d.form.exclusive) body.exclusive = true;
  if (d.of === null && !d.form.hosts?.trim() && !d.form.tasks?.trim()) wrong.hosts = "nodes, or a number of tasks, are needed";
  return { body: body as Asked["body"], wrong, same: d.of !== null && !Object.keys(body).length && !Object.keys(wrong).length };
}

/** When it would be; null: it cannot be read. */
export function windowOf(d: Draft, now: number, zone: Zone): { from: number; to: number | null } | null {
  const start = readField("start_at", d.form.start_at || "now", now, zone).value as number | undefined;
  const length = readField("duration_s", d.form.duration_s || "unlimited", now, zone).value as number | null | undefined;
  if (start === undefined || length === undefined) return null;
  return { from: start, to: length === null ? null : start + length };
}

/** The draft as the box says. */
export function takeBox(b: Box, zone: Zone, hosts: (first: number, last: number) => string): void {
  const d = draft;
  if (!d) return;
  const moved = !d.rows || d.rows[0] !== b.first || d.rows[1] !== b.last;
  setDraft({
    ...d,
    rows: [b.first, b.last],
    form: {
      ...d.form,
      start_at: writeInstant(Math.round(b.from), zone),
      duration_s: duration(Math.round(b.to) - Math.round(b.from)),
      ...(moved ? { hosts: hosts(b.first, b.last), tasks: d.of === null ? "" : d.form.tasks } : {}),
    },
  });
}
