// Use, queue and waits over time.
import { useMemo, useRef } from "react";
import { duration } from "../model/format";
import { useAnswer } from "../model/live";
import type { Series } from "../model/types";
import { Chart } from "../parts/chart";
import { useNow } from "../parts/frame";

const DAY_S = 86400;
export const RANGES: [string, string, number][] = [["day", "a day", DAY_S], ["hour", "an hour", 3600], ["week", "a week", 7 * DAY_S], ["month", "30 days", 30 * DAY_S], ["all", "60 days", 60 * DAY_S]];

/** What was told last of the same, until the next minute's has come. */
export function useKept<T>(told: T | null, of: string): T | null {
  const last = useRef<{ of: string; told: T } | null>(null);
  if (told) last.current = { of, told };
  return told ?? (last.current?.of === of ? last.current.told : null);
}

/** Asked for anew each minute, not with each change: there is a point a minute. */
export function useSeries(seconds: number): Series | null {
  const to = Math.floor(useNow() / 60) * 60 + 60;
  const answer = useAnswer(`/v1/series?from=${to - seconds}&to=${to}&points=240`, true);
  return useKept(useMemo(() => (answer.text ? (JSON.parse(answer.text) as Series) : null), [answer.text]), "all");
}

const column = (s: Series, name: string) => s.points.map((p) => p[1 + s.names.indexOf(name)] ?? null);

/** `brief`: use and jobs alone. */
export function Curves({ s, height, brief }: { s: Series; height?: number; brief?: boolean }) {
  const at = s.points.map((p) => p[0] as number);
  const common = { at, from: s.from, to: s.to, height };
  if (at.length < 2) return <p className="quiet empty">A point is counted each minute; there will be something to see soon.</p>;
  return (
    <div className="charts">
      <Chart {...common} title="Processors" curves={[
        { name: "in use", kind: "running", area: true, values: column(s, "procs_active") },
        { name: "up", kind: "idle", values: column(s, "procs") },
      ]} />
      <Chart {...common} title="Jobs" curves={[
        { name: "in the queue", kind: "waiting", area: true, values: column(s, "eligible") },
        { name: "running", kind: "running", values: column(s, "active") },
        { name: "blocked", kind: "blocked", values: column(s, "blocked") },
      ]} />
      {!brief && <Chart {...common} title="Backlog" curves={[{ name: "processor hours in the queue", kind: "waiting", area: true, values: column(s, "backlog_h") }]} />}
      {!brief && <Chart {...common} title="Wait" shown={duration} curves={[{ name: "that jobs in the queue have waited, on average", kind: "waiting", area: true, values: column(s, "wait_s") }]} />}
    </div>
  );
}
