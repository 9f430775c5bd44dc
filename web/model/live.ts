// What the page knows, and how it is kept up to date: one loop asks for what the screen
// shows, one request after another, when something changed, and only while somebody can
// see it. Where nothing is told it asks now and then.
import { useEffect, useSyncExternalStore } from "react";
import { ApiError, ask, askText, keepSession, session } from "../api/client";
import { askOthers, exchange, serveOthers, takeLogin } from "../api/login";
import { tellSite } from "./format";
import { keepDraft } from "./draft";
import { followChanges, type News } from "./changes";
import { followPast, isPast, isTold } from "./past";
import { notice } from "./notices";
import type { Identity, Session } from "./types";

export type Phase =
  | "starting" | "login" | "loading" | "live" | "stale" | "reconnecting"
  | "ended" | "refused" | "stopping" | "updated";

/** What each is called; 0 is everybody else. */
export const LEVELS = ["user", "administrator", "operator", "help desk"];

const MOVED_AFTER = 4; // failures: not a moment
const POLL_MS = 4000;
const TOLD_POLL_MS = 12000; // of what no change tells: waits, times, use
const SLOW_MS = 10000; // of long lists, whatever changes
const APART_MS = 400; // what changes meanwhile is asked for together,
const APART_MOST_MS = 5000;
const SHARE = 3; // and a page that gets its answers slowly rests so many times as long
const STALE_MS = 20000;
const OTHERS_TRIES = 40; // another tab may have much to do

interface State {
  phase: Phase;
  message: string;
  session: Session | null;
  who: Identity | null;
  heardAt: number; // by the browser's clock
  data: Map<string, string>;
  errors: Map<string, ApiError>;
  putOff: string; // why something is not new yet
  lookOnly: boolean;
  revision: number; // of the scheduler's state, as far as it was told
}

let state: State = {
  phase: "starting", message: "", session: null, who: null, heardAt: 0,
  data: new Map(), errors: new Map(), putOff: "", lookOnly: false, revision: 0,
};
const readers = new Set<() => void>();
const rounds = new Set<() => void>();
const watched = new Map<string, number>();
const slow = new Set<string>();
const askedAt = new Map<string, number>();
const tags = new Map<string, string>(); // of the answers that are there
const putOff = new Map<string, number>(); // what was, and when it is asked for again
let timer: number | undefined;
let asking = false;
let failures = 0;
let channel: BroadcastChannel | null = null;
let unfollow: (() => void) | null = null;
let toldAt = 0; // a sign of life comes every 15 s
let leaving = false; // nothing is asked any more
let changed = false; // since the last round began
let whole = false; // the next round asks for what is slow as well
let dueAt = 0; // the next round
let roundAt = 0;
let roundMs = 0; // that the last one took
let whoAt = 0;

function set(change: Partial<State>): void {
  state = { ...state, ...change };
  readers.forEach((read) => read());
}

export function useLive<T>(pick: (s: State) => T): T {
  return useSyncExternalStore(
    (read) => {
      readers.add(read);
      return () => readers.delete(read);
    },
    () => pick(state),
  );
}

/** Called whenever something may be different from before; returns how to end that. */
export function onRound(run: () => void): () => void {
  rounds.add(run);
  return () => rounds.delete(run);
}

/** The text of an answer, which is asked for again and again while it is shown; of a long
 * list now and then only, and after what the user did here. */
export function useAnswer(asked: string | null, long = false): { text?: string; error?: ApiError } {
  const path = asked && isPast() && !isTold(asked) ? null : asked;
  useEffect(() => {
    if (!path) return;
    if (long) slow.add(path);
    watched.set(path, (watched.get(path) ?? 0) + 1);
    askMissing();
    return () => {
      const n = (watched.get(path) ?? 1) - 1;
      if (n) watched.set(path, n);
      else {
        watched.delete(path);
        slow.delete(path);
        askedAt.delete(path);
        tags.delete(path);
        forgetPutOff(path);
        state.data.delete(path);
        state.errors.delete(path);
      }
    };
  }, [path, long]);
  const text = useLive((s) => (path ? s.data.get(path) : undefined));
  const error = useLive((s) => (path ? s.errors.get(path) : undefined));
  return { text, error };
}

// ---- the loop ----

function askSoon(): void {
  if (state.phase !== "starting" && state.phase !== "login" && state.session) later(0);
}

/** What came to be watched, and no more: the rest is asked for when its time comes. */
function askMissing(): void {
  if (state.phase !== "live") return askSoon();
  window.clearTimeout(timer);
  timer = window.setTimeout(fillIn, 0);
}

export function askNow(): void {
  failures = 0;
  forgetPutOff();
  whole = true;
  askSoon();
}

function pollMs(): number {
  return Date.now() - toldAt < STALE_MS ? TOLD_POLL_MS : POLL_MS;
}

function askApart(): void {
  const apart = Math.min(APART_MOST_MS, Math.max(APART_MS, SHARE * roundMs));
  later(Math.max(0, roundAt + apart - Date.now()));
}

function hear(news: News): void {
  toldAt = Date.now();
  if (isPast()) return; // nothing changes there
  if (news.revision > state.revision) set({ revision: news.revision });
  if (state.phase !== "live" || !(news.all || news.plan || news.kinds.length)) return;
  changed = true;
  if (!asking) askApart();
}

function endSession(message: string): void {
  unfollow?.();
  unfollow = null;
  window.clearTimeout(timer);
  keepSession(null);
  forgetPutOff();
  if (!leaving) keepDraft(state.who?.user);
  set({ phase: "ended", message, session: null, who: null, data: new Map(), errors: new Map(), putOff: "", revision: 0 });
}

function later(ms: number): void {
  dueAt = Date.now() + ms;
  window.clearTimeout(timer);
  timer = window.setTimeout(round, ms);
}

/** Nothing said: of all. */
function forgetPutOff(path?: string): void {
  if (path === undefined) putOff.clear();
  else putOff.delete(path);
  if (state.putOff && !putOff.size) set({ putOff: "" });
}

/** What was shown stays, and it is asked for again when the scheduler says. */
function wait(path: string, e: ApiError): void {
  putOff.set(path, Date.now() + e.again_s! * 1000);
  set({ putOff: e.message });
}

/** Until the next round; what was put off comes sooner. */
function restMs(ms: number): number {
  return Math.max(0, Math.min(ms, ...[...putOff.values()].map((at) => at - Date.now())));
}

/** What a failed request says of the whole page; false: of that request alone. */
function tellFailure(e: unknown): boolean {
  if (e instanceof ApiError && e.status === 401) {
    endSession(e.message);
    return true;
  }
  if (e instanceof ApiError && e.status === 503 && !e.isPutOff) {
    set({ phase: "stopping", message: e.message });
    later((e.again_s ?? 5) * 1000);
    return true;
  }
  if (e instanceof ApiError) return false;
  failures += 1;
  const wait = Math.min(30, 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
  const elsewhere = failures < MOVED_AFTER ? "" : "; started anew, its page may have another address, which `maui dashboard` tells";
  set({ phase: "reconnecting", message: `no answer from the scheduler; asked again in ${Math.ceil(wait)} s${elsewhere}` });
  later(wait * 1000);
  return true;
}

async function askWho(): Promise<boolean> {
  const who = JSON.parse(await ask("GET", "/v1/identity")) as Identity;
  const other = state.who?.build && who.build && state.who.build !== who.build;
  whoAt = Date.now();
  if (state.who && state.who.user === who.user && state.who.level !== who.level)
    notice({ kind: "wrong", text: `An administrator has changed what you may do: you are ${LEVELS[who.level]} by now, and were ${LEVELS[state.who.level]}.` });
  tellSite(who.zone, who.utc_offset_s);
  set({ who: isPast() ? { ...who, read_only: true } : who, heardAt: whoAt });
  if (other) set({ phase: "updated", message: "the scheduler was updated" });
  return !other;
}

function isAnswered(path: string): boolean {
  return state.data.has(path) || state.errors.has(path) || waits(path);
}

function waits(path: string): boolean {
  return (putOff.get(path) ?? 0) > Date.now();
}

function isDue(path: string, all: boolean): boolean {
  if (waits(path)) return false;
  if (isPast()) return all || putOff.has(path) || !isAnswered(path);
  return all || putOff.has(path) || !slow.has(path) || !isAnswered(path) || Date.now() - (askedAt.get(path) ?? 0) >= SLOW_MS;
}

async function askOne(path: string): Promise<boolean> {
  const past = isPast();
  try {
    const answer = await askText(path, state.data.has(path) ? tags.get(path) : undefined);
    if (!state.session || leaving) return false;
    if (isPast() !== past) return true; // an answer of now is none of then
    if (!watched.has(path)) return true;
    askedAt.set(path, Date.now());
    forgetPutOff(path);
    const errors = new Map(state.errors);
    if (!answer) {
      if (errors.delete(path)) set({ errors });
      return true; // what is there is what it is
    }
    const data = new Map(state.data);
    data.set(path, answer.text);
    if (answer.tag) tags.set(path, answer.tag);
    else tags.delete(path);
    errors.delete(path);
    set({ data, errors });
  } catch (e) {
    if (tellFailure(e)) return false;
    if (isPast() !== past) return true;
    if (!watched.has(path)) return true;
    if (e instanceof ApiError && e.isPutOff) {
      wait(path, e);
      return true;
    }
    askedAt.set(path, Date.now());
    forgetPutOff(path);
    set({ errors: new Map(state.errors).set(path, e as ApiError) });
  }
  return true;
}

function isMissing(): boolean {
  return [...watched.keys()].some((path) => !isAnswered(path));
}

async function fillIn(): Promise<void> {
  if (asking || leaving || !state.session) return;
  if (whole || document.hidden || Date.now() >= dueAt) return round();
  asking = true;
  let answered = true; // else when to ask again is decided
  try {
    while (answered && isMissing())
      for (const path of [...watched.keys()]) if (!isAnswered(path) && !(answered = await askOne(path))) break;
  } finally {
    asking = false;
    if (answered && changed && !whole) askApart();
    else if (answered) later(whole ? 0 : restMs(dueAt - Date.now()));
  }
}

async function round(): Promise<void> {
  if (asking || leaving || !state.session) return;
  if (document.hidden && state.phase === "live") return later(POLL_MS);
  asking = true;
  roundAt = Date.now();
  changed = false;
  const all = whole;
  whole = false;
  let answered = false; // else when to ask again is decided
  try {
    if ((state.phase !== "live" || Date.now() - whoAt > POLL_MS) && !(await askWho())) return;
    for (const path of [...watched.keys()]) if (isDue(path, all) && !(await askOne(path))) return;
    if (!state.session || leaving) return; // it has ended meanwhile
    failures = 0;
    roundMs = Date.now() - roundAt;
    if (state.phase !== "live") set({ phase: "live", message: "" });
    unfollow ??= followChanges(hear, () => state.phase === "live" && askSoon());
    rounds.forEach((run) => run());
    answered = true;
    if (changed) askApart();
    else later(restMs(pollMs()));
  } catch (e) {
    if (e instanceof ApiError && e.isPutOff) later(e.again_s! * 1000);
    else if (!tellFailure(e) && e instanceof ApiError) {
      set({ phase: "refused", message: e.message });
      later(POLL_MS);
    }
  } finally {
    asking = false;
    // What came to be watched meanwhile is not left for the next turn, nor another instant.
    if (answered && whole) later(0);
    else if (answered && isMissing()) askMissing();
  }
}

let wasPast = false;
/** The page is at another instant: nothing that is shown is of another. */
function turn(): void {
  if (isPast() !== wasPast) {
    wasPast = isPast();
    set({ data: new Map(), errors: new Map(), who: state.who && { ...state.who, read_only: wasPast || state.session?.read_only } });
  }
  askNow();
}

function lookAtAge(): void {
  if (state.phase === "live" && !document.hidden && Date.now() - state.heardAt > STALE_MS)
    set({ phase: "stale", message: "" });
}

// ---- begin and end ----

function enter(): void {
  if (state.session) return; // it came from two tabs
  followPast(turn);
  set({ phase: "loading", message: "", session: session() });
  askSoon();
}

/** In another tab somebody has logged out, or in. */
function logged(other: Session | null): void {
  if (!other) endSession("you have logged out: run `maui dashboard`");
  else if (state.phase === "ended" || state.phase === "login") {
    keepSession(other);
    enter();
  }
}

export async function begin(): Promise<void> {
  const login = takeLogin();
  channel = serveOthers(logged);
  window.setInterval(lookAtAge, 1000);
  document.addEventListener("visibilitychange", () => !document.hidden && askSoon());
  window.addEventListener("hashchange", () => location.hash.startsWith("#login=") && location.reload());
  try {
    if (login) await exchange(login);
    if (login) channel.postMessage({ give: session() });
  } catch (e) {
    set({ phase: "ended", message: (e as Error).message });
    return;
  }
  for (let n = 0; !session() && n < OTHERS_TRIES && !(await askOthers()); n++) set({ phase: "login" });
  if (session()) enter();
}

export async function logOut(): Promise<void> {
  let told = "you have logged out: `maui dashboard` opens the page again";
  const id = session()?.id;
  leaving = true;
  unfollow?.();
  unfollow = null;
  for (let i = 0; asking && i < 100; i++) await new Promise((then) => window.setTimeout(then, 20));
  try {
    await ask("DELETE", "/v1/session");
  } catch (e) {
    // It is forgotten here in any case.
    if (!(e instanceof ApiError && e.status === 401))
      told = `this tab has forgotten your session, but the scheduler did not take the end of it: \`maui dashboard --end ${id}\` ends it`;
  }
  channel?.postMessage({ end: true });
  endSession(told);
  leaving = false;
}

export function setLookOnly(lookOnly: boolean): void {
  set({ lookOnly });
}
