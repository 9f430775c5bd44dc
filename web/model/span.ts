// How much time a picture of time begins with: as it was seen last, else so much that what
// runs can be told apart.
import { useEffect, useState } from "react";
import { ask, readLines } from "../api/client";
import { prefsNow } from "./prefs";
import type { JobBrief } from "./types";

const ASKED = "/v1/jobs?section=active&limit=200&fields=wclimit_s";
const TIMES = 8; // the limit of a job of the middle
const LEAST_S = 600;
export const USUAL_S = 30 * 3600; // where nothing runs, and at most

/** Of the jobs that run; shorter ones are not lost in days. */
export function spanOf(limits: number[]): number {
  const sorted = [...limits].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle ? Math.min(USUAL_S, Math.max(LEAST_S, TIMES * middle)) : USUAL_S;
}

async function askSpan(): Promise<number> {
  const jobs = readLines<JobBrief>(await ask("GET", ASKED));
  return spanOf(jobs.flatMap((j) => (j.wclimit_s ? [j.wclimit_s] : [])));
}

/** Seconds; null until they are known. The same as long as the screen is open. */
export function useSpan(): number | null {
  const [span, setSpan] = useState<number | null>(() => prefsNow().span_s ?? null);
  useEffect(() => {
    if (span === null) askSpan().then(setSpan, () => setSpan(USUAL_S));
  }, []);
  return span;
}
