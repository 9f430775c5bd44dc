// What one credential used over time, and how waits and expansion factors are distributed.
import { useMemo, useState } from "react";
import { count, duration, instant, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { usePrefs } from "../model/prefs";
import type { Distributions, UseOverTime } from "../model/types";
import { Chart } from "../parts/chart";
import { useNow } from "../parts/frame";
import { RANGES, useKept } from "./series";

const few = (n: number) => (Number.isInteger(n) || n >= 100 ? count(Math.round(n)) : n.toFixed(n >= 10 ? 1 : 2));

/** The end of a span that goes on: of this minute. */
const useMinute = () => Math.floor(useNow() / 60) * 60 + 60;

export function UseOfCredential({ kind, name }: { kind: string; name: string }) {
  const [over, setOver] = useState(RANGES[0][0]);
  const seconds = (RANGES.find(([k]) => k === over) ?? RANGES[0])[2];
  const to = useMinute();
  const answer = useAnswer(`/v1/series/${kind}?name=${encodeURIComponent(name)}&from=${to - seconds}&to=${to}&points=120`, true);
  const told = useMemo(() => (answer.text ? (JSON.parse(answer.text) as UseOverTime) : null), [answer.text]);
  const s = useKept(told, `${kind} ${name} ${seconds}`);
  const column = (n: string) => s?.points.map((p) => p[1 + s.names.indexOf(n)] ?? null) ?? [];
  const common = s ? { at: s.points.map((p) => p[0] as number), from: s.from, to: s.to, shown: few, height: 110 } : null;
  return (
    <section aria-label="Use over time">
      <h3 className="u-head">Use over time{" "}
        <label className="g-tool"><span className="sr">Over</span>
          <select value={over} onChange={(e) => setOver(e.target.value)}>{RANGES.map(([k, word]) => <option key={k} value={k}>{word}</option>)}</select>
        </label>
      </h3>
      {!s && <p className="quiet">{answer.error ? plain(answer.error.message) : "Loading …"}</p>}
      {s && common && (
        <div className="charts">
          <Chart {...common} title="Processors" curves={[{ name: "processors in use", kind: "running", area: true, values: column("procs_active") }]} />
          <Chart {...common} title="Jobs" curves={[
            { name: "in the queue", kind: "waiting", area: true, values: column("queued") },
            { name: "running", kind: "running", values: column("active") },
          ]} />
        </div>
      )}
    </section>
  );
}

/** Counts between bounds, as a table whose rows have bars. */
function Counts(props: { title: string; bounds: number[]; counts: number[]; word: (n: number) => string }) {
  const { bounds, counts } = props;
  const all = counts.reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...counts);
  const first = counts.findIndex((n) => n > 0);
  const last = counts.length - 1 - [...counts].reverse().findIndex((n) => n > 0);
  let sum = 0;
  return (
    <table className="list d-list" aria-label={props.title}>
      <thead><tr><th>{props.title}</th><th><span className="sr">As a bar</span></th><th className="number">Jobs</th><th className="number">Up to there</th></tr></thead>
      <tbody>
        {counts.map((n, i) => {
          sum += n;
          if (i < first - 1 || i > last + 1) return null;
          return (
            <tr key={i}>
              <td>{i < bounds.length ? `up to ${props.word(bounds[i])}` : `above ${props.word(bounds[bounds.length - 1])}`}</td>
              <td className="d-bar"><span className="fill-running" style={{ width: `${(100 * n) / most}%` }} aria-hidden="true" /></td>
              <td className="number">{count(n)}</td>
              <td className="number">{all ? `${((100 * sum) / all).toFixed(0)} %` : ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Of all jobs that ended in the last seconds; of one credential's where one is named. */
export function Distribution({ seconds, kind, name }: { seconds: number; kind?: string; name?: string }) {
  const to = useMinute();
  const now = useNow();
  const { zone } = usePrefs();
  const whose = kind && name ? `&kind=${kind}&name=${encodeURIComponent(name)}` : "";
  const answer = useAnswer(`/v1/distributions?from=${to - seconds}&to=${to}${whose}`, true);
  const told = useMemo(() => (answer.text ? (JSON.parse(answer.text) as Distributions) : null), [answer.text]);
  const d = useKept(told, `${whose} ${seconds}`);
  if (!d) return <p className="quiet">{answer.error ? plain(answer.error.message) : "Loading …"}</p>;
  if (!d.jobs) return <p className="quiet empty">No job that ran has ended in that time.</p>;
  return (
    <>
      <p>
        {count(d.jobs)} {d.jobs === 1 ? "job" : "jobs"} ended{d.from > to - seconds ? ` since ${instant(d.from, now, zone)} (the newest that are looked at)` : ""}; on average
        they waited <strong>{duration(d.wait_s)}</strong>{d.xfactor !== undefined && <>, with an expansion factor of <strong>{d.xfactor.toFixed(2)}</strong></>}.
      </p>
      <div className="charts">
        <Counts title="Wait" bounds={d.wait_bounds_s} counts={d.waits} word={duration} />
        <Counts title="Expansion factor" bounds={d.xfactor_bounds} counts={d.xfactors} word={String} />
      </div>
    </>
  );
}
