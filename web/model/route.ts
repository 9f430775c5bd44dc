// Where the page is: the address says all that is shown, so that it can be passed on.
import { useSyncExternalStore } from "react";

const readers = new Set<() => void>();
window.addEventListener("popstate", () => readers.forEach((read) => read()));

/** With the instant that the page is at, which goes along to all screens. */
export function address(to: string): string {
  const at = new URLSearchParams(location.search).get("at");
  if (!at || /[?&]at=/.test(to) || !to.startsWith("/ui")) return to;
  return `${to}${to.includes("?") ? "&" : "?"}at=${encodeURIComponent(at)}`;
}

export function go(to: string, replace = false): void {
  change(address(to), replace);
}

/** To the present. */
export function leave(to: string): void {
  change(to, false);
}

function change(to: string, replace: boolean): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  readers.forEach((read) => read());
}

/** Called whenever it is another. */
export function onAddress(run: () => void): void {
  readers.add(run);
}

function subscribe(read: () => void): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

export function useSearch(): string {
  return useSyncExternalStore(subscribe, () => location.search);
}

/** The address with this of its query set; null takes it away. */
export function withQuery(change: Record<string, string | null>): string {
  const q = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change))
    if (value === null || value === "") q.delete(name);
    else q.set(name, value);
  const text = q.toString().replace(/%3A/gi, ":").replace(/%2C/gi, ",");
  return location.pathname + (text ? `?${text}` : "");
}

/** Where the job is seen: in the queue as it is filtered, if that is what is shown. */
export function jobAddress(id: string): string {
  return location.pathname === "/ui/jobs" ? withQuery({ sel: id }) : `/ui/jobs?sel=${encodeURIComponent(id)}`;
}
