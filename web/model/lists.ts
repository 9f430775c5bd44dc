// Lists of jobs, as the API makes them.
import { useMemo } from "react";
import { readLines } from "../api/client";
import { useAnswer } from "./live";
import type { JobBrief, QueueSummary, Reservation } from "./types";

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

/** /v1/jobs with these words in its query. */
export function useJobs(query: Record<string, string>): JobList {
  const text = new URLSearchParams(query).toString();
  const answer = useAnswer(`/v1/jobs?${text}`);
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

/** Reservations of one kind, without where they are; null: they have not come yet. */
export function useReservations(type: "User" | "Standing" | "Job" | null): Reservation[] | null {
  const answer = useAnswer(type ? `/v1/reservations?type=${type}&places=0&limit=2000` : null, true);
  return useMemo(() => (answer.text !== undefined ? readLines<Reservation>(answer.text) : answer.error || !type ? [] : null), [answer.text, answer.error, type]);
}

/** All but those of jobs, the first to begin first. */
export function useMadeReservations(): Reservation[] | null {
  const made = useReservations("User");
  const standing = useReservations("Standing");
  return useMemo(() => (made && standing ? [...made, ...standing].sort((a, b) => (a.start_at ?? 0) - (b.start_at ?? 0)) : null), [made, standing]);
}
