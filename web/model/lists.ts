// Lists of jobs, as the API makes them.
import { useMemo } from "react";
import { readLines } from "../api/client";
import { useAnswer } from "./live";
import type { JobBrief, QueueSummary, Reservation, StandingRecord } from "./types";

export type Summary = QueueSummary["summary"] & {
  counts?: Record<string, Count[]>;
  total?: number;
};
export interface Count {
  name: string;
  active: number;
  waiting: number;
  active_procs?: number;
  waiting_ps?: number;
}

export interface JobList {
  summary?: Summary;
  jobs: JobBrief[];
  error?: string;
  loaded: boolean;
}

/** /v1/jobs with these words in its query; `seldom`: what is new in it can wait some seconds. */
export function useJobs(query: Record<string, string>, seldom = false): JobList {
  const text = new URLSearchParams(query).toString();
  const answer = useAnswer(`/v1/jobs?${text}`, seldom);
  return useMemo(() => {
    const lines = answer.text ? readLines<JobBrief | { summary: Summary }>(answer.text) : [];
    const first = lines[0] as { summary: Summary } | undefined;
    return {
      summary: first?.summary,
      jobs: lines.slice(1) as JobBrief[],
      error: answer.error?.message,
      loaded: answer.text !== undefined || answer.error !== undefined,
    };
  }, [answer.text, answer.error]);
}

/** How many jobs there are of each kind, and none of them: one question, whoever asks it. */
export function useSums(): JobList {
  return useJobs({ limit: "0", count: "class,reason" });
}

/** Names of each kind that jobs of the queue have, by kind; when they are wanted. */
export function useNames(wanted: boolean): Record<string, string[]> {
  const answer = useAnswer(wanted ? "/v1/jobs?limit=0&count=user,group,account,class,qos,reason" : null, true);
  return useMemo(() => {
    const first = answer.text ? (readLines(answer.text)[0] as { summary: Summary }) : undefined;
    return Object.fromEntries(Object.entries(first?.summary.counts ?? {}).map(([kind, all]) => [kind, all.map((c) => c.name)]));
  }, [answer.text]);
}

/** Percent of the processors that are up; null: not known, or not told to users. */
export function useInUse(): number | null {
  const { summary } = useSums();
  return summary?.procs_up ? Math.round((100 * (summary.procs_active ?? 0)) / summary.procs_up) : null;
}

/** Without where they are: that is asked for with one alone. null: they have not come yet. */
function useReservations(which: string | null): Reservation[] | null {
  const answer = useAnswer(which ? `/v1/reservations?${which}&places=0&limit=2000` : null, true);
  return useMemo(() => (answer.text !== undefined ? readLines<Reservation>(answer.text) : answer.error || !which ? [] : null), [answer.text, answer.error, which]);
}

/** All but those of jobs, the first to begin first; when they are wanted. */
export function useMadeReservations(wanted = true): Reservation[] | null {
  const all = useReservations(wanted ? "jobs=0" : null);
  return useMemo(() => all && [...all].sort((a, b) => (a.start_at ?? 0) - (b.start_at ?? 0)), [all]);
}

/** Those of jobs, when they are wanted. */
export function useJobReservations(wanted: boolean): Reservation[] | null {
  return useReservations(wanted ? "type=Job" : null);
}

/** Of each standing one, what it wants and what is there of that. */
export function useStanding(): StandingRecord[] {
  const answer = useAnswer("/v1/standing", true);
  return useMemo(() => (answer.text ? readLines<StandingRecord>(answer.text) : []), [answer.text]);
}
