// What would be if: a question to /v1/whatif, asked again when its answer is of an older
// state than what the page shows. What is shown of it elsewhere (frames on the timeline)
// follows the last one.
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError, ask, askStream } from "../api/client";
import { useLive } from "./live";
import type { WhatIf, WhatIfChange, WhatIfProgress } from "./types";

const REST_MS = 350; // somebody may still be typing, or dragging
const AGAIN_MS = 8000; // of a newer state, at most so often
const BUSY_MS = 1000;
const TRIES = 30;
const SILENT_MS = 60000; // a copy that says nothing for so long is ended

/** How the copy is to live on. */
export interface Ahead {
  horizon_s: number;
  runtime: "limit" | "usual";
}

/** Of "check thoroughly": the copy lives on. */
export interface Life {
  state: "going" | "told" | "refused";
  at?: number; // it got to that instant
  percent: number;
  answer?: WhatIf;
  message: string;
}

export interface Preview {
  state: "none" | "asking" | "told" | "refused";
  answer?: WhatIf; // while it is asked again the last one is shown, marked
  stale: boolean;
  message: string;
  again: () => void;
  life: Life | null; // null: the plan is what is shown
  check: (ahead: Ahead) => void;
  cancel: () => void;
}

// ---- the one that is looked at, for others to draw ----

let current: WhatIf | null = null;
const readers = new Set<() => void>();

function show(answer: WhatIf | null): void {
  if (current === answer) return;
  current = answer;
  readers.forEach((read) => read());
}

export function useShown(): WhatIf | null {
  return useSyncExternalStore((read) => {
    readers.add(read);
    return () => readers.delete(read);
  }, () => current);
}

function pause(ms: number): Promise<void> {
  return new Promise((then) => window.setTimeout(then, ms));
}

/** Questions hold the scheduler up, and it says when it has had enough of them, or that one
    of another tab took the place of this one: reads are tried again, as changes are not. */
async function askTill<T>(until: AbortSignal, question: () => Promise<T>): Promise<T | null> {
  for (let n = 0; ; n++) {
    try {
      return await question();
    } catch (e) {
      const busy = e instanceof ApiError && [409, 429, 503].includes(e.status);
      if (!busy || n >= TRIES) throw e;
      await pause((e.again_s ?? 1) * BUSY_MS * (e.status === 409 ? 0.5 + Math.random() : 1)); // not both at once
      if (until.aborted) return null;
    }
  }
}

export function askPatiently(changes: WhatIfChange[], until: AbortSignal, watch?: string[]): Promise<WhatIf | null> {
  return askTill(until, async () => JSON.parse(await ask("POST", "/v1/whatif", { changes, watch }, false, until)) as WhatIf);
}

/** Lives on where it is asked to, with the changes of that key: others end it. */
function useLife(key: string) {
  const [asked, setAsked] = useState<{ key: string; ahead: Ahead } | null>(null);
  const [life, setLife] = useState<Life | null>(null);
  const mine = asked && asked.key === key ? asked : null;

  useEffect(() => {
    setLife(null);
    if (!mine) return undefined;
    const end = new AbortController();
    const tell = (l: Life) => {
      if (!end.signal.aborted) setLife(l);
    };
    const hear = ({ progress }: WhatIfProgress) => {
      if (progress) tell({ state: "going", percent: progress.percent ?? 0, at: progress.at, message: "" });
    };
    const body = { changes: JSON.parse(mine.key) as WhatIfChange[], method: "run", ...mine.ahead };
    tell({ state: "going", percent: 0, message: "" });
    askTill(end.signal, () => askStream<WhatIf & WhatIfProgress>("/v1/whatif", body, end.signal, SILENT_MS, hear)).then(
      (answer) => answer && tell({ state: "told", percent: 100, answer, message: "" }),
      (e) => tell({ state: "refused", percent: 0, message: (e as Error).message }),
    );
    return () => end.abort();
  }, [mine]);
  return {
    life: mine && life,
    check: (ahead: Ahead) => setAsked({ key, ahead }),
    cancel: () => setAsked(null),
  };
}

/** null: there is nothing that could be asked about yet. */
export function usePreview(changes: WhatIfChange[] | null): Preview {
  const key = changes ? JSON.stringify(changes) : "";
  const [told, setTold] = useState<{ key: string; answer?: WhatIf; error?: string; at: number } | null>(null);
  const [turn, setTurn] = useState(0);
  const revision = useLive((s) => s.revision);
  const phase = useLive((s) => s.phase);
  const mine = told?.key === key ? told : null;
  const { life, check, cancel } = useLife(key);
  const answer = life?.answer ?? mine?.answer;
  const stale = Boolean(answer && answer.revision !== undefined && revision > answer.revision);

  useEffect(() => {
    if (!key) return undefined;
    const end = new AbortController(); // of the copy, too, when nobody waits for it any more
    const timer = window.setTimeout(async () => {
      try {
        const answer = await askPatiently(JSON.parse(key) as WhatIfChange[], end.signal);
        if (!end.signal.aborted && answer) setTold({ key, answer, at: Date.now() });
      } catch (e) {
        if (!end.signal.aborted) setTold({ key, error: (e as Error).message, at: Date.now() });
      }
    }, REST_MS);
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [key, turn]);
  useEffect(() => {
    if (!stale || life || phase !== "live") return undefined; // who looks at a life, or waits for it, is not disturbed
    const timer = window.setTimeout(() => setTurn((n) => n + 1), Math.max(0, (mine?.at ?? 0) + AGAIN_MS - Date.now()));
    return () => window.clearTimeout(timer);
  }, [stale, phase, mine?.at, life !== null]);
  useEffect(() => {
    show(answer ?? null);
  }, [answer]);
  useEffect(() => () => show(null), []);
  return {
    state: !key ? "none" : !mine ? "asking" : mine.error ? "refused" : "told",
    answer,
    stale,
    message: mine?.error ?? "",
    again: () => {
      cancel();
      setTurn((n) => n + 1);
    },
    life,
    check,
    cancel,
  };
}
