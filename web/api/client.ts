// Requests to the API, with the session of this tab.
import type { Session } from "../model/types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field?: string,
    readonly nearest?: string,
    readonly again_s?: number,
    readonly blind = false, // the scheduler itself waits, for a resource manager's first word
  ) {
    super(message);
  }

  /** That answer has to wait, and no other: the scheduler has much to do. */
  get isPutOff(): boolean {
    return this.status === 503 && this.again_s !== undefined && !this.blind;
  }
}

const KEY = "maui.session";
let held: Session | null = null;

export function session(): Session | null {
  if (!held) {
    const text = sessionStorage.getItem(KEY);
    held = text ? (JSON.parse(text) as Session) : null;
  }
  return held;
}

export function keepSession(s: Session | null): void {
  held = s;
  if (s) sessionStorage.setItem(KEY, JSON.stringify(s));
  else sessionStorage.removeItem(KEY);
}

// Where the page is in time says another (model/past.ts): which path a question has there, and
// what can be asked at all.
let through: (path: string) => Promise<string> = async (path) => path;
let mayAsk: (method: string, path: string) => boolean = () => true;
let lost: (there: string) => void = () => undefined;

export function travelBy(path: typeof through, may: typeof mayAsk, gone: typeof lost): void {
  through = path;
  mayAsk = may;
  lost = gone;
}

async function refusal(answer: Response): Promise<ApiError> {
  const again = Number(answer.headers.get("Retry-After")) || undefined;
  try {
    const { error: e, waiting_for } = await answer.json();
    return new ApiError(answer.status, e.code, e.message, e.field, e.nearest, again, Boolean(waiting_for));
  } catch {
    return new ApiError(answer.status, "internal", `the scheduler answered ${answer.status}`);
  }
}

let going = 0; // questions to a view of the past that have no answer yet

/** Until they have: the view can go then. Not for ever. */
export async function answered(): Promise<void> {
  for (let i = 0; going && i < 100; i++) await new Promise((then) => window.setTimeout(then, 20));
}

const PUT_OFF_TRIES = 30;

/** Who asks too often is told when to come again, and nothing was done: the question waits. */
async function fetchInTime(there: string, init: RequestInit): Promise<Response> {
  for (let n = 0; ; n++) {
    const answer = await fetch(there, init);
    const again = Number(answer.headers.get("Retry-After"));
    if (answer.status !== 429 || !again || n >= PUT_OFF_TRIES) return answer;
    await new Promise((then) => window.setTimeout(then, again * 1000 * (0.75 + Math.random() / 2)));
  }
}

async function fetchCounted(there: string, init: RequestInit): Promise<Response> {
  going += 1;
  try {
    return await fetchInTime(there, init);
  } finally {
    going -= 1;
  }
}

/** A view of the past that has gone is made anew, and then asked once more. */
async function fetchThere(path: string, init: RequestInit): Promise<Response> {
  const there = await through(path);
  const answer = await (there === path ? fetchInTime : fetchCounted)(there, init);
  if (there === path || answer.status !== 404 || (await refusal(answer.clone())).field !== "past") return answer;
  lost(there);
  return fetchInTime(await through(path), init);
}

/** null: the answer is the one that has this tag. */
async function askOther(path: string, tag?: string): Promise<Response | null> {
  const headers: Record<string, string> = { Authorization: `Session ${session()?.secret ?? ""}` };
  if (tag) headers["If-None-Match"] = tag;
  const answer = await fetchThere(path, { headers, cache: "no-store", credentials: "omit", redirect: "error" });
  if (answer.status === 304) return null;
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** A binary answer; null: it is the one that is known by this state. */
export async function askBytes(path: string, state?: string): Promise<ArrayBuffer | null> {
  return (await askOther(path, state && `"${state}"`))?.arrayBuffer() ?? null;
}

/** An answer as text, and the tag that it has, if any; null: it is the one of that tag. */
export async function askText(path: string, tag?: string): Promise<{ text: string; tag?: string } | null> {
  const answer = await askOther(path, tag);
  return answer && { text: await answer.text(), tag: answer.headers.get("ETag") ?? undefined };
}

async function send(method: string, path: string, headers: Record<string, string>, body?: unknown, leaving = false, until?: AbortSignal): Promise<Response> {
  if (!mayAsk(method, path)) throw new ApiError(409, "conflict", "what is past cannot be changed any more");
  const s = session();
  if (s?.secret) headers.Authorization = `Session ${s.secret}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await (method === "GET" ? fetchThere : fetchInTime)(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    keepalive: leaving,
    signal: until,
  });
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** The answer as text; ApiError when it is refused, TypeError when there is none. */
export async function ask(method: string, path: string, body?: unknown, leaving = false, until?: AbortSignal): Promise<string> {
  return (await send(method, path, {}, body, leaving, until)).text();
}

/** Records of a stream, as they come. */
export async function* readStream<T>(answer: Response, silentMs: number): AsyncGenerator<T> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const timer = window.setTimeout(() => void reader.cancel(), silentMs);
    const { done, value } = await reader.read();
    window.clearTimeout(timer);
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) yield JSON.parse(line) as T;
  }
}

/** A question whose answer comes line by line: the last of it is the answer, or why there is none. */
export async function askStream<T extends object>(path: string, body: unknown, until: AbortSignal, silentMs: number, hear: (line: T) => void): Promise<T> {
  const answer = await send("POST", path, { Accept: "application/x-ndjson" }, body, false, until);
  let last: T | null = null;
  for await (const line of readStream<T>(answer, silentMs)) {
    last = line as T;
    hear(last);
  }
  if (!last) throw new TypeError("the answer ended before it was whole");
  const { error } = last as { error?: { code: string; message: string } };
  if (error) throw new ApiError(answer.status, error.code, error.message);
  return last;
}

export async function getRecord<T>(path: string): Promise<T> {
  return JSON.parse(await ask("GET", path)) as T;
}

/** Lists are a record a line. */
export function readLines<T>(text: string): T[] {
  return text.split("\n").filter((line) => line).map((line) => JSON.parse(line) as T);
}
