// The queue in the order of its priorities, each part by part; and what another weight would
// come to.
import { useMemo, useState } from "react";
import { readLines } from "../api/client";
import { count, plain } from "../model/format";
import { hueOf } from "../model/hue";
import { useJobs } from "../model/lists";
import { useAnswer } from "../model/live";
import type { ParameterRecord, PriorityRecord } from "../model/types";
import { PriorityBars, piecesOf } from "../parts/priority";
import { SettingForm, useMaySet } from "../parts/setting";

const SHOWN = 60;

/** Names of weights with their values now. */
function useWeights(): ParameterRecord[] {
  const answer = useAnswer("/v1/parameters?defaults=1");
  return useMemo(() => (answer.text ? readLines<ParameterRecord>(answer.text).filter((p) => /^[A-Z]+WEIGHT$/.test(p.name)) : []), [answer.text]);
}

function Weights() {
  const all = useWeights();
  const [name, setName] = useState("");
  const chosen = all.find((p) => p.name === name);
  return (
    <section className="card" aria-label="What if a weight were another">
      <h2>What if a weight were another</h2>
      <label className="g-tool">Weight
        <select value={name} onChange={(e) => setName(e.target.value)}>
          <option value="">choose one</option>
          {all.map((p) => <option key={p.name} value={p.name}>{p.name} {p.value}</option>)}
        </select>
      </label>
      {chosen && <SettingForm key={name} name={name} value={chosen.value} hint={chosen.help} onEnd={() => setName("")} />}
    </section>
  );
}

/** The same jobs with each part as many times as large as its slider says. */
function ranksIf(records: PriorityRecord[], factors: ReadonlyMap<string, number>) {
  const changed = records.map((r, before) => {
    const delta = r.system ? 0 : piecesOf(r).reduce((n, p) => n + p.value * ((factors.get(p.name) ?? 1) - 1), 0);
    return { id: r.id, before, now: r.priority, then: Math.round(r.priority + delta) };
  });
  return changed.sort((a, b) => b.then - a.then || a.id.localeCompare(b.id, undefined, { numeric: true })).map((r, after) => ({ ...r, after }));
}

/** Sliders: what the order of these jobs would be. Worked out from what is shown. */
function Sliders({ records, names }: { records: PriorityRecord[]; names: string[] }) {
  const [factors, setFactors] = useState<ReadonlyMap<string, number>>(new Map());
  const ranks = ranksIf(records, factors);
  const moved = ranks.filter((r) => r.after !== r.before);
  return (
    <section className="card" aria-label="If parts counted more or less">
      <h2>If parts counted more or less{factors.size > 0 && <button className="w-again" onClick={() => setFactors(new Map())}>As they are</button>}</h2>
      <div className="p-sliders">
        {names.map((n) => {
          const factor = factors.get(n) ?? 1;
          return (
            <label key={n} className="p-slider">
              <span><span className={`dot ${hueOf(n)}`} aria-hidden="true" />{plain(n)}</span>
              <input type="range" min="0" max="400" step="10" value={Math.round(factor * 100)} aria-valuetext={`${Math.round(factor * 100)} percent of its weight`}
                onChange={(e) => setFactors((old) => new Map(old).set(n, Number(e.target.value) / 100))} />
              <output className="number">{Math.round(factor * 100)} %</output>
            </label>
          );
        })}
      </div>
      <p className="line" role="status">{!moved.length ? "Their order is the same." : `${count(moved.length)} of ${count(ranks.length)} jobs would be at another place.`}</p>
      {moved.length > 0 && (
        <table className="list" aria-label="Places before and after">
          <thead><tr><th>Job</th><th className="number">Place now</th><th className="number">Place then</th><th className="number">Moves</th><th className="number">Priority now</th><th className="number">Priority then</th></tr></thead>
          <tbody>
            {ranks.slice(0, 30).map((r) => (
              <tr key={r.id} className={r.after === r.before ? "quiet" : undefined}>
                <td>{plain(r.id)}</td><td className="number">{r.before + 1}</td><td className="number">{r.after + 1}</td>
                <td className="number">{r.after === r.before ? "" : r.after < r.before ? `▲ ${r.before - r.after}` : `▼ ${r.after - r.before}`}</td>
                <td className="number">{count(r.now)}</td><td className="number">{count(r.then)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function Priorities() {
  const list = useJobs({ section: "eligible", sort: "-priority", limit: String(SHOWN), fields: "id" });
  const ids = list.jobs.map((j) => j.id).join();
  const answer = useAnswer(ids ? `/v1/priorities?ids=${encodeURIComponent(ids)}` : null);
  const records = useMemo(
    () => (answer.text ? readLines<PriorityRecord>(answer.text).sort((a, b) => b.priority - a.priority) : []),
    [answer.text],
  );
  const [muted, setMuted] = useState<ReadonlySet<string>>(new Set());
  const may = useMaySet();
  const names = [...new Set(records.flatMap((r) => piecesOf(r).filter((p) => Math.round(p.value) !== 0).map((p) => p.name)))].sort();
  const total = list.summary?.eligible ?? 0;
  const toggle = (name: string) => setMuted((old) => {
    const next = new Set(old);
    if (!next.delete(name)) next.add(name);
    return next;
  });
  return (
    <>
      <div className="q-bar">
        <h1>Priorities</h1>
        <span className="quiet q-count" role="status">{list.loaded ? (total > SHOWN ? `the first ${SHOWN} of ${count(total)} jobs in the queue` : `${count(total)} ${total === 1 ? "job" : "jobs"} in the queue`) : "Loading …"}</span>
      </div>
      <div className="stack-cards">
        <section className="card" aria-label="The queue by priority">
          {list.loaded && !total && <p className="quiet empty">Nobody waits for their turn.</p>}
          {names.length > 0 && (
            <div className="legend priority-legend" role="group" aria-label="Parts that are shown">
              {names.map((n) => (
                <button key={n} aria-pressed={!muted.has(n)} className={muted.has(n) ? "part-muted" : ""} onClick={() => toggle(n)}>
                  <span className={`dot ${hueOf(n)}`} aria-hidden="true" />{plain(n)}
                </button>
              ))}
            </div>
          )}
          {records.length > 0 && (
            <table className="bars">
              <caption className="sr">Priority of each job in the queue, part by part, in their order</caption>
              <PriorityBars records={records} muted={muted} />
            </table>
          )}
        </section>
        {names.length > 0 && <Sliders records={records} names={names} />}
        {may && <Weights />}
      </div>
    </>
  );
}
