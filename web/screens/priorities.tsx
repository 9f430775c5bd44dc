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
        {may && <Weights />}
      </div>
    </>
  );
}
