// What a change would come to, in words: who would start later, whose promise would break,
// what is in the way.
import { useEffect, useState } from "react";
import { count, duration, instant, plain, reasonText } from "../model/format";
import { askNow } from "../model/live";
import { usePrefs } from "../model/prefs";
import { jobAddress } from "../model/route";
import type { WhatIf, WhatIfJob, WhatIfObstacle } from "../model/types";
import type { Ahead, Preview } from "../model/whatif";
import { Link, useNow } from "./frame";

const LISTED = 12;
const KINDS = [
  ["later", "later"], ["cut", "runs no more"], ["held", "is kept back"], ["never", "cannot start"],
  ["earlier", "earlier"], ["freed", "has a start"], ["gone", "is gone"], ["placed", "is new"],
] as const;

const plural = (n: number, one: string, many: string) => `${count(n)} ${n === 1 ? one : many}`;

function Change({ j, word, broken }: { j: WhatIfJob; word: string; broken: boolean }) {
  const now = useNow();
  const { zone } = usePrefs();
  const start = (stand: string, at?: number) =>
    stand === "none" ? "–" : stand === "beyond" && at ? `after ${instant(at, now, zone)}` : at ? (stand === "running" ? (at <= now ? "now" : instant(at, now, zone)) : `${instant(at, now, zone)}`) : stand;
  const delta = j.delta_s ? `${duration(Math.abs(j.delta_s))} ` : "";
  const why = j.reason && reasonText(j.reason, now, zone);
  return (
    <>
    <tr className={broken ? "w-broken" : ""}>
      <td><Link to={jobAddress(j.id)}>{plain(j.id)}</Link></td>
      <td>{plain(j.user ?? "")}</td>
      <td className="number">{start(j.before, j.before_at)}</td>
      <td className="number">{start(j.after, j.after_at)}</td>
      <td>{delta}{word}{broken ? ", promise broken" : ""}</td>
    </tr>
    {why && <tr className={broken ? "w-why w-broken" : "w-why"}><td /><td colSpan={4} className="quiet">{plain(why)}</td></tr>}
    </>
  );
}

function InTheWay({ all }: { all: WhatIfObstacle[] }) {
  const now = useNow();
  const { zone } = usePrefs();
  return (
    <>
      <h4>In the way</h4>
      <ul className="plain-list">
        {all.slice(0, LISTED).map((o, i) => (
          <li key={i}>
            {o.name ? <>{o.kind} <strong>{plain(o.name)}</strong> ({plain(o.state)}{o.user ? `, ${plain(o.user)}` : ""})</> : `${o.kind}s that you may not see`}
            {o.nodes ? `, on ${plural(o.nodes, "node", "nodes")}` : ""}
            {o.until ? `, until ${instant(o.until, now, zone)}` : ""}
          </li>
        ))}
        {all.length > LISTED && <li className="quiet">and {all.length - LISTED} more</li>}
      </ul>
    </>
  );
}

/** What it comes to, in a sentence. */
function Sum({ answer }: { answer: WhatIf }) {
  const counts = answer.counts as Record<string, number> | undefined;
  const said = [
    counts?.later ? `${plural(counts.later, "job", "jobs")} later` : "", counts?.earlier ? `${plural(counts.earlier, "job", "jobs")} earlier` : "",
    counts?.cut ? `${plural(counts.cut, "job", "jobs")} cut off` : "", counts?.held ? `${count(counts.held)} kept back` : "",
    counts?.freed ? `${count(counts.freed)} with a start they had not` : "", counts?.never ? `${count(counts.never)} that could not start` : "",
    counts?.gone ? `${count(counts.gone)} gone` : "", counts?.placed ? `${count(counts.placed)} new` : "",
  ].filter(Boolean);
  return (
    <>
      {said.length ? `${said.join(", ")}.` : "No job would start earlier or later."}{" "}
      {counts?.broken ? <strong className="w-bad">{plural(counts.broken, "promise", "promises")} broken.</strong> : "No promise is broken."}
    </>
  );
}

function Lists({ answer }: { answer: WhatIf }) {
  const counts = answer.counts as Record<string, number> | undefined;
  const broken = new Set((answer.broken ?? []).map((j) => j.id));
  const rows: { j: WhatIfJob; word: string }[] = KINDS.flatMap(([kind, word]) => ((answer[kind] ?? []) as WhatIfJob[]).map((j) => ({ j, word })));
  const listed = new Set(rows.map((r) => r.j.id));
  for (const j of answer.broken ?? []) if (!listed.has(j.id)) rows.unshift({ j, word: "" });
  const all = KINDS.reduce((n, [kind]) => n + (counts?.[kind] ?? 0), 0);
  return (
    <>
      {rows.length > 0 && (
        <table className="list w-list">
          <thead><tr><th>Job</th><th>User</th><th className="number">Starts</th><th className="number">Would start</th><th>So it is</th></tr></thead>
          <tbody>{rows.slice(0, LISTED).map((r) => <Change key={r.j.id} j={r.j} word={r.word} broken={broken.has(r.j.id)} />)}</tbody>
        </table>
      )}
      {all > Math.min(rows.length, LISTED) && <p className="quiet line">and {count(all - Math.min(rows.length, LISTED))} more</p>}
    </>
  );
}

/** Of an order the jobs that would not take it; of another change its sentence. */
function Refusals({ answer }: { answer: WhatIf }) {
  const lines = (answer.changes ?? []).flatMap((c) => {
    const jobs = (c.jobs ?? []).filter((j) => !j.ok).map((j) => j.message);
    return jobs.length ? jobs : c.ok ? [] : [c.message ?? ""];
  });
  if (!lines.length) return null;
  return (
    <>
      <p className="w-sum" role="alert"><strong className="w-bad">It would be refused{answer.refused === undefined ? `, for ${plural(lines.length, "job", "jobs")}` : ""}:</strong></p>
      <ul className="plain-list">
        {lines.slice(0, LISTED).map((line, i) => <li key={i}>{plain(line)}</li>)}
        {lines.length > LISTED && <li className="quiet">and {lines.length - LISTED} more</li>}
      </ul>
    </>
  );
}

/** Nothing was done: what was looked at is of a state that is no more. */
export function Moved() {
  useEffect(askNow, []); // what it is by now is seen around it
  return (
    <p className="banner banner-warn banner-in" role="alert">
      Nothing was done: settings, nodes or reservations have changed since, or minutes have passed. Look again at what it would come to, then press once more.
    </p>
  );
}

const SUMS = [["user", "By user"], ["account", "By account"]] as const;

/** Whose jobs they are, where they are several people's. */
function Sums({ answer }: { answer: WhatIf }) {
  return (
    <>
      {SUMS.map(([kind, title]) => {
        const rows = answer.sums?.[kind] ?? [];
        if (rows.length < 2) return null;
        return (
          <details key={kind}>
            <summary>{title}: {count(rows.length)} {rows.length === 1 ? "is" : "are"} concerned</summary>
            <table className="list w-list">
              <thead><tr><th>Name</th><th className="number">Later</th><th className="number">Earlier</th><th className="number">Broken</th><th className="number">Together</th></tr></thead>
              <tbody>
                {rows.slice(0, LISTED).map((r) => (
                  <tr key={r.name}>
                    <td>{plain(r.name)}</td><td className="number">{count(r.later)}</td><td className="number">{count(r.earlier)}</td>
                    <td className="number">{count(r.broken)}</td><td className="number">{r.delta_s > 0 ? "+" : ""}{duration(r.delta_s)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        );
      })}
    </>
  );
}

const HORIZONS = [[86400, "a day"], [7 * 86400, "a week"], [30 * 86400, "30 days"]] as const;
const RUNTIMES = [["limit", "to their limits"], ["usual", "as is usual"]] as const;

/** The copy lives on, instead of one plan: its button, which is the one to end it too. */
function Thorough({ preview }: { preview: Preview }) {
  const [ahead, setAhead] = useState<Ahead>({ horizon_s: 86400, runtime: "limit" });
  const now = useNow();
  const { zone } = usePrefs();
  const { life } = preview;
  const going = life?.state === "going";
  const got = life?.at ? instant(life.at, now, zone) : "its first day";
  return (
    <div className="w-life" role="group" aria-label="Check thoroughly">
      {going ? (
        <>
          <progress max={100} value={life.percent} aria-label="How far it got" aria-valuetext={`${life.percent} %, at ${got}`} />
          <span className="quiet number">{got}</span>
        </>
      ) : (
        <>
          <label>Live on <select value={ahead.horizon_s} onChange={(e) => setAhead({ ...ahead, horizon_s: Number(e.target.value) })}>
            {HORIZONS.map(([s, word]) => <option key={s} value={s}>{word}</option>)}
          </select></label>
          <label>jobs run <select value={ahead.runtime} onChange={(e) => setAhead({ ...ahead, runtime: e.target.value as Ahead["runtime"] })}>
            {RUNTIMES.map(([name, word]) => <option key={name} value={name}>{word}</option>)}
          </select></label>
        </>
      )}
      <button type="button" className="w-again" onClick={() => (going ? preview.cancel() : preview.check(ahead))}>{going ? "Cancel" : "Check thoroughly"}</button>
      <p className="quiet line" role="status">{going ? "Living on, on a copy of the scheduler …" : ""}</p>
      {life?.state === "refused" && <p className="line" role="alert">{plain(life.message)}</p>}
    </div>
  );
}

/** What both lives come to in all. */
function Totals({ before, after }: { before: WhatIf["before"]; after: WhatIf["after"] }) {
  if (!before || !after) return null;
  const rows = [
    ["Jobs that start", count(before.starts ?? 0), count(after.starts ?? 0)],
    ["Average wait", duration(before.wait_average_s ?? 0), duration(after.wait_average_s ?? 0)],
    ["95 of 100 wait up to", duration(before.wait_95_s ?? 0), duration(after.wait_95_s ?? 0)],
    ["Use of all processors", ...[before, after].map((t) => `${((t.use ?? 0) * 100).toFixed(1)} %`)],
    ["Still waits then, processor hours", ...[before, after].map((t) => count(Math.round((t.backlog_ps ?? 0) / 3600)))],
  ];
  return (
    <table className="list w-totals">
      <thead><tr><th>In all</th><th className="number">Now</th><th className="number">Then</th></tr></thead>
      <tbody>{rows.map(([what, was, is]) => <tr key={what}><td>{what}</td><td className="number">{was}</td><td className="number">{is}</td></tr>)}</tbody>
    </table>
  );
}

/** What the answer rests on. */
function Basis({ answer, stale }: { answer: WhatIf; stale: boolean }) {
  const now = useNow();
  const { zone } = usePrefs();
  const lived = answer.method === "run" && answer.until;
  return (
    <p className="quiet line">
      As of {instant(answer.as_of, now, zone)}{stale ? ` (something has changed since${lived ? "" : ": it is asked again"})` : ""};{" "}
      {lived
        ? <>lived on to {instant(lived, now, zone)}; jobs end {answer.runtime === "usual" ? "as is usual for their owners" : "at their limits"}, and nobody new comes.</>
        : "all jobs are taken to run to their limits."}
    </p>
  );
}

export function PreviewOf({ preview }: { preview: Preview }) {
  const { answer, state, stale } = preview;
  if (state === "none") return null;
  return (
    <section className={stale ? "w-box w-stale" : "w-box"} aria-label="What if" aria-busy={state === "asking"}>
      <h3>
        What if <button type="button" className="w-again" onClick={preview.again} disabled={state === "asking"}>{preview.life?.answer ? "Back to the plan" : "Ask again"}</button>
      </h3>
      <p className="w-sum" role="status">
        {answer ? answer.refused === undefined && <Sum answer={answer} />
          : state === "asking" && <span className="quiet">Trying it on a copy of the scheduler …</span>}
      </p>
      {state === "refused" && <p className="line" role="alert">{plain(preview.message)}</p>}
      {answer && (
        <>
          <Refusals answer={answer} />
          {answer.refused === undefined && <Lists answer={answer} />}
          {answer.method === "run" && <Totals before={answer.before} after={answer.after} />}
          <Sums answer={answer} />
          {answer.in_the_way && answer.in_the_way.length > 0 && <InTheWay all={answer.in_the_way} />}
          {answer.refused === undefined && <Thorough preview={preview} />}
          <Basis answer={answer} stale={stale} />
          {(answer.notes ?? []).map((n) => <p key={n} className="quiet line">{plain(n)}</p>)}
        </>
      )}
    </section>
  );
}
