// What was done, or could not be: told at the foot of the page until somebody takes it away,
// with what undoes it.
import { useSyncExternalStore } from "react";

export interface Notice {
  id: number;
  kind: "done" | "wrong";
  text: string;
  more: string[]; // a line for each job that did not take it
  undo?: () => Promise<void>;
  of?: string; // the reservation that it is about
}

const STAYS_MS = 60000;
let all: Notice[] = [];
let last = 0;
const readers = new Set<() => void>();

function set(next: Notice[]): void {
  all = next;
  readers.forEach((read) => read());
}

export function dropNotice(id: number): void {
  set(all.filter((n) => n.id !== id));
}

/** The reservation is gone: nothing about it can be undone any more. */
export function forgetUndo(of: string): void {
  set(all.map((n) => (n.of === of ? { ...n, undo: undefined } : n)));
}

/** What went wrong stays; the rest goes after a minute. */
export function notice(n: Omit<Notice, "id" | "more"> & { more?: string[] }): void {
  const id = ++last;
  set([...all, { more: [], ...n, id }].slice(-4));
  if (n.kind === "done") window.setTimeout(() => dropNotice(id), STAYS_MS);
}

export function useNotices(): Notice[] {
  return useSyncExternalStore((read) => {
    readers.add(read);
    return () => readers.delete(read);
  }, () => all);
}
