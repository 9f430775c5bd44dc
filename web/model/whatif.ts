// What would be if: a question to /v1/whatif, asked again when its answer is of an older
// state than what the page shows. What is shown of it elsewhere (frames on the timeline)
// follows the last one.
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError, ask } from "../api/client";
import { useLive } from "./live";
import type { WhatIf, WhatIfChange } from "./types";

const REST_MS = 350; // somebody may still be typing, or dragging
const AGAIN_MS = 8000; // of a newer state, at most so often
const BUSY_MS = 1000;
const TRIES = 30;

export interface Preview {
  state: "none" | "asking" | "told" | "refused";
  answer?: WhatIf; // while it is asked again the last one is shown, marked
  stale: boolean;
  message: string;
  again: () => void;
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
export async function askPatiently(changes: WhatIfChange[], until: AbortSignal, watch?: string[]): Promise<WhatIf | null> {
  for (let n = 0; ; n++) {
    try {
      return JSON.parse(await ask("POST", "/v1/whatif", { changes, watch }, false, until)) as WhatIf;
    } catch (e) {
      const busy = e instanceof ApiError && [409, 429, 503].includes(e.status);
      if (!busy || n >= TRIES) throw e;
      await pause((e.again_s ?? 1) * BUSY_MS * (e.status === 409 ? 0.5 + Math.random() : 1)); // not both at once
      if (until.aborted) return null;
    }
  }
}

/** null: there is nothing that could be asked about yet. */
export function usePreview(changes: WhatIfChange[] | null): Preview {
  const key = changes ? JSON.stringify(changes) : "";
  const [told, setTold] = useState<{ key: string; answer?: WhatIf; error?: string; at: number } | null>(null);
  const [turn, setTurn] = useState(0);
  const revision = useLive((s) => s.revision);
  const phase = useLive((s) => s.phase);
  const mine = told?.key === key ? told : null;
  const stale = Boolean(mine?.answer && mine.answer.revision !== undefined && revision > mine.answer.revision);

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
    if (!stale || phase !== "live") return undefined;
    const timer = window.setTimeout(() => setTurn((n) => n + 1), Math.max(0, (mine?.at ?? 0) + AGAIN_MS - Date.now()));
    return () => window.clearTimeout(timer);
  }, [stale, phase, mine?.at]);
  useEffect(() => {
    show(mine?.answer ?? null);
  }, [mine]);
  useEffect(() => () => show(null), []);
  return {
    state: !key ? "none" : !mine ? "asking" : mine.error ? "refused" : "told",
    answer: mine?.answer,
    stale,
    message: mine?.error ?? "",
    again: () => setTurn((n) => n + 1),
  };
}
