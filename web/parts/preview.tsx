// What a change would come to, in words: who would start later, whose promise would break,
// what is in the way.
import { useEffect } from "react";
import { count, duration, instant, plain, reasonText } from "../model/format";
import { askNow } from "../model/live";
import { usePrefs } from "../model/prefs";
import { jobAddress } from "../model/route";
import type { WhatIf, WhatIfJob, WhatIfObstacle } from "../model/types";
import type { Preview } from "../model/whatif";
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
    stand === "none" ? "–" : at ? (stand === "running" ? (at <= now ? "now" : instant(at, now, zone)) : `${instant(at, now, zone)}`) : stand;
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

function Lists({ answer }: { answer: WhatIf }) {
  const counts = answer.counts as Record<string, number> | undefined;
  const broken = new Set((answer.broken ?? []).map((j) => j.id));
  const rows: { j: WhatIfJob; word: string }[] = KINDS.flatMap(([kind, word]) => ((answer[kind] ?? []) as WhatIfJob[]).map((j) => ({ j, word })));
  const listed = new Set(rows.map((r) => r.j.id));
  for (const j of answer.broken ?? []) if (!listed.has(j.id)) rows.unshift({ j, word: "" });
  const all = KINDS.reduce((n, [kind]) => n + (counts?.[kind] ?? 0), 0);
  const said = [
    counts?.later ? `${plural(counts.later, "job", "jobs")} later` : "", counts?.earlier ? `${plural(counts.earlier, "job", "jobs")} earlier` : "",
    counts?.cut ? `${plural(counts.cut, "job", "jobs")} cut off` : "", counts?.held ? `${count(counts.held)} kept back` : "",
    counts?.freed ? `${count(counts.freed)} with a start they had not` : "", counts?.never ? `${count(counts.never)} that could not start` : "",
    counts?.gone ? `${count(counts.gone)} gone` : "", counts?.placed ? `${count(counts.placed)} new` : "",
  ].filter(Boolean);
  return (
    <>
      <p className="w-sum">
        {said.length ? `${said.join(", ")}.` : "No job would start earlier or later."}{" "}
        {counts?.broken ? <strong className="w-bad">{plural(counts.broken, "promise", "promises")} broken.</strong> : "No promise is broken."}
      </p>
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
      <p className="w-sum"><strong className="w-bad">It would be refused{answer.refused === undefined ? `, for ${plural(lines.length, "job", "jobs")}` : ""}:</strong></p>
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

export function PreviewOf({ preview }: { preview: Preview }) {
  const { answer, state, stale } = preview;
  const now = useNow();
  const { zone } = usePrefs();
  if (state === "none") return null;
  return (
    <section className={stale ? "w-box w-stale" : "w-box"} aria-label="What if" aria-busy={state === "asking"}>
      <h3>
        What if <button type="button" className="w-again" onClick={preview.again} disabled={state === "asking"}>Ask again</button>
      </h3>
      {state === "asking" && <p className="quiet line" role="status">Trying it on a copy of the scheduler …</p>}
      {state === "refused" && <p className="line" role="alert">{plain(preview.message)}</p>}
      {answer && (
        <>
          <p className="quiet line" role="status">
            As of {instant(answer.as_of, now, zone)}{stale ? " (something has changed since: it is asked again)" : ""}; all jobs are taken to run to their limits.
          </p>
          <Refusals answer={answer} />
          {answer.refused === undefined && <Lists answer={answer} />}
          <Sums answer={answer} />
          {answer.in_the_way && answer.in_the_way.length > 0 && <InTheWay all={answer.in_the_way} />}
          {(answer.notes ?? []).map((n) => <p key={n} className="quiet line">{plain(n)}</p>)}
        </>
      )}
    </section>
  );
}
