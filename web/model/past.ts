// The past: where in time the page is. The address says it (?at=), the scheduler has a view
// of then for this tab, and all that can be told of the past is asked of that view.
import { useSyncExternalStore } from "react";
import { ApiError, answered, ask, travelBy } from "../api/client";
import { siteTold } from "./format";
import { notice } from "./notices";
import { prefsNow } from "./prefs";
import { leave, onAddress, withQuery, go } from "./route";
import { readInstant } from "./times";
import type { Past, PastView } from "./types";

export interface PastState {
  at: number | null; // as the address says; null = the present
  view: PastView | null; // where the scheduler's view is
  error: ApiError | null;
  busy: boolean;
  speed: number; // seconds a second; 0 = it stands
}

const STEP_MS = 1000; // of what plays
const ASKED = /^\/v1\/(jobs|start|forecast|windows|rows|timeline|nodes|reservations|standing|statistics|parameters|priorities|partitions|credentials|fairshare|series|promises|accounting|events)\b/;
const ALLOWED = /^\/v1\/(past|session)\b/; // whatever is shown

let state: PastState = { at: null, view: null, error: null, busy: false, speed: 0 };
let work: Promise<void> = Promise.resolve();
let moved: () => void = () => undefined;
const readers = new Set<() => void>();

function set(change: Partial<PastState>): void {
  state = { ...state, ...change };
  readers.forEach((read) => read());
}

export function usePast(): PastState {
  return useSyncExternalStore((read) => {
    readers.add(read);
    return () => readers.delete(read);
  }, () => state);
}

export const isPast = () => state.at !== null;

/** Can that be told of the past? */
export const isTold = (path: string) => ASKED.test(path);

const addressAt = () => new URLSearchParams(location.search).get("at");

/** Seconds since 1970, or what a person writes: 2026-11-27T14:30, in the zone that is shown, or with Z or +01:00. */
function readAt(): number | null {
  const text = addressAt()?.replace(/(:\d\d) (\d\d:?\d\d)$/, "$1+$2"); // in an address + is a blank
  if (!text) return null;
  const n = /^\d+$/.test(text) ? Number(text) : readInstant(text, 0, prefsNow().zone);
  return n && n > 0 ? n : null;
}

/** What a person wrote becomes seconds, which are the same instant to whoever gets the address. */
async function settle(): Promise<void> {
  if (!/\D/.test(addressAt() ?? "")) return;
  await siteTold;
  const at = readAt();
  if (at === null) return;
  set({ at });
  go(withQuery({ at: String(at) }), true);
}

// ---- the view ----

async function drop(view: PastView, leaving = false): Promise<void> {
  await ask("DELETE", `/v1/past/${view.past}`, undefined, leaving).catch(() => undefined); // it ends by itself
}

async function move(how: Record<string, unknown>): Promise<PastView> {
  const { view } = state;
  if (!view) return JSON.parse(await ask("POST", "/v1/past", { at: state.at })) as PastView;
  try {
    return JSON.parse(await ask("PATCH", `/v1/past/${view.past}`, how)) as PastView;
  } catch (e) {
    if (!(e instanceof ApiError && e.status === 404 && e.field === "past")) throw e;
    set({ view: null }); // nobody asked it for long
    return JSON.parse(await ask("POST", "/v1/past", { at: state.at })) as PastView;
  }
}

/** One after another; what is asked meanwhile waits for it. */
function travel(how: (at: number) => Record<string, unknown> | null): Promise<void> {
  set({ busy: true });
  work = work.catch(() => undefined).then(async () => {
    await settle();
    const { at, view } = state;
    const asked = at === null ? null : how(at);
    try {
      if (at === null && view) {
        set({ view: null });
        await answered();
        await drop(view);
      } else if (asked) {
        const now = await move(asked);
        set({ view: now, error: null });
        if (!("at" in asked) && state.at !== null) {
          set({ at: now.at });
          go(withQuery({ at: String(now.at) }), true);
        }
      }
    } catch (e) {
      set({ error: e instanceof ApiError ? e : new ApiError(0, "lost", "no answer from the scheduler"), speed: 0 });
    }
    set({ busy: false });
    moved();
  });
  return work;
}

function look(): void {
  const at = readAt();
  if (at === null && addressAt()) {
    notice({ kind: "wrong", text: `"${addressAt()}" is no day and time, as 2031-05-17T18:00: this is the present.` });
    return leave(withQuery({ at: null }));
  }
  if (at === state.at) return;
  const turns = (at === null) !== (state.at === null);
  set({ at, error: null, speed: at === null ? 0 : state.speed });
  if (turns) moved();
  void travel((to) => ({ at: to }));
}

/** From now on the address is followed; `then` is called when something else is to be shown. */
export function followPast(then: () => void): void {
  moved = then;
  travelBy(through, mayAsk, lostView);
  onAddress(look);
  window.addEventListener("pagehide", () => state.view && void drop(state.view, true));
  look();
}

/** The path as it is to be asked: of now, or of then. */
async function through(path: string): Promise<string> {
  if (state.at === null || !ASKED.test(path)) return path;
  await work;
  if (state.at === null) return path;
  if (state.error && !state.view) throw state.error;
  if (!state.view) return path;
  return `${path}${path.includes("?") ? "&" : "?"}past=${encodeURIComponent(state.view.past)}`;
}

/** Nothing of the past can be changed. */
function mayAsk(method: string, path: string): boolean {
  return state.at === null || method === "GET" || ALLOWED.test(path);
}

/** The view that was asked there has gone: another is made. */
function lostView(there: string): void {
  if (state.at === null || !state.view || !there.endsWith(`past=${encodeURIComponent(state.view.past)}`)) return;
  set({ view: null });
  void travel((at) => ({ at }));
}

// ---- where to ----

export function travelTo(at: number | null): void {
  if (at === null) leave(withQuery({ at: null, from: null, to: null }));
  else go(withQuery({ at: String(Math.floor(at)), ...(state.at === null ? { from: null, to: null } : {}) }), state.at !== null);
}

export const stepCycles = (cycles: number) => travel(() => ({ cycles }));
export const nextAbout = (about: string) => travel(() => ({ about }));
export const travelBySeconds = (s: number) => state.at !== null && travelTo(Math.min(state.at + s, state.view?.newest_at ?? Infinity));

export async function kept(): Promise<Past> {
  return JSON.parse(await ask("GET", "/v1/past")) as Past;
}

let timer = 0;
/** It goes on by itself, so many seconds in each; 0: it stands. */
export function play(speed: number): void {
  window.clearTimeout(timer);
  set({ speed });
  if (!speed) return;
  timer = window.setTimeout(async () => {
    const { at, view } = state;
    const to = Math.min((at ?? 0) + speed, view?.newest_at ?? 0);
    if (at === null || to <= at) return play(0);
    set({ at: to });
    go(withQuery({ at: String(to) }), true);
    await travel((t) => ({ at: t }));
    if (state.speed === speed) play(speed);
  }, STEP_MS);
}
