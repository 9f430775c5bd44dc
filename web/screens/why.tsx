// Why a job waits: all that keeps it, each with its object and its numbers; who is ahead of
// it, what comes free for it, and how its priority adds up.
import { useMemo } from "react";
import { useAnswer } from "../model/live";
import { readLines } from "../api/client";
import { count, duration, instant, plain, reasonText, sentence } from "../model/format";
import { hueOf } from "../model/hue";
import { usePrefs } from "../model/prefs";
import { jobAddress } from "../model/route";
import type { PriorityRecord, Reason, WhyRecord } from "../model/types";
import { Link, useNow } from "../parts/frame";
import { PriorityBars, piecesOf, points } from "../parts/priority";

const LISTED = ["user", "group", "account", "class", "qos"]; // kinds that the queue filters by

/** What of a limit is used, and what the job would add. */
export function LimitBar({ reason }: { reason: Reason }) {
  const { limit, used, asked } = reason;
  if (!limit || used === undefined || asked === undefined) return null;
  const whole = Math.max(limit, used + asked);
  const share = (n: number) => `${(100 * n) / whole}%`;
  return (
    <div className="limit">
      <div className="limit-bar" aria-hidden="true">
        <span className="fill-running" style={{ width: share(used) }} />
        <span className="fill-blocked" style={{ width: share(asked) }} />
        <i style={{ left: share(limit) }} />
      </div>
      <span className="quiet">
        in use {count(used)}, asked {count(asked)}, limit {count(limit)}
      </span>
    </div>
  );
}

/** The thing that a reason is about: where to see it. */
function ObjectLink({ reason }: { reason: Reason }) {
  const { object, object_kind: kind } = reason;
  if (!object || !kind) return null;
  const name = plain(object);
  if (kind === "job") return <Link to={jobAddress(object)}>job {name}</Link>;
  if (LISTED.includes(kind))
    return <Link to={`/ui/jobs?q=${encodeURIComponent(`${kind}:${object} section:active`)}`}>jobs of {kind} {name}</Link>;
  return <span className="quiet">{kind} {name}</span>;
}

function ReasonCard({ reason }: { reason: Reason }) {
  const now = useNow();
  const { zone } = usePrefs();
  return (
    <li className="reason">
      <p>{sentence(reasonText(reason, now, zone))}</p>
      <LimitBar reason={reason} />
      <p className="quiet reason-foot">
        <ObjectLink reason={reason} />
        {reason.until && !reason.parts?.includes(reason.until) ? <span>until {instant(reason.until, now, zone)}</span> : null}
      </p>
    </li>
  );
}

function Ahead({ why }: { why: WhyRecord }) {
  if (!why.place || !why.of) return null;
  const ahead = why.ahead ?? [];
  return (
    <>
      <h3>Ahead of it</h3>
      <p className="line">Place <strong>{count(why.place)}</strong> of {count(why.of)} in the queue.</p>
      {ahead.length > 0 && (
        <table className="list">
          <thead><tr><th>Job</th><th>User</th><th className="number">Processors</th><th className="number">Limit</th></tr></thead>
          <tbody>
            {ahead.map((j) => (
              <tr key={j.id}>
                <td><Link to={jobAddress(j.id ?? "")}>{plain(j.id ?? "")}</Link></td>
                <td>{plain(j.user ?? "")}</td>
                <td className="number">{count(j.procs ?? 0)}</td>
                <td className="number">{duration(j.wclimit_s)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {why.place - 1 > ahead.length && <p className="quiet line">and {count(why.place - 1 - ahead.length)} more</p>}
    </>
  );
}

export function Frees({ why, procs }: { why: Pick<WhyRecord, "frees">; procs: number }) {
  const now = useNow();
  const { zone } = usePrefs();
  const frees = why.frees ?? [];
  const most = Math.max(procs, ...frees.map((f) => f.procs));
  if (!frees.length) return null;
  return (
    <>
      <h3>What comes free</h3>
      <table className="bars">
        <caption className="sr">The next ends, by limit, of jobs on nodes that it could use</caption>
        <tbody>
          {frees.map((f, i) => (
            <tr key={i}>
              <th scope="row">{f.at ? instant(f.at, now, zone) : "no end"}</th>
              <td className="bars-track"><span className="bars-bar fill-running" style={{ width: `${(100 * f.procs) / most}%` }} /></td>
              <td className="number">{count(f.procs)}</td>
              <td>{f.job ? <Link to={jobAddress(f.job)}>{plain(f.job)}</Link> : null} <span className="quiet">{plain(f.user ?? "")}</span></td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export function Obstacles({ why }: { why: Pick<WhyRecord, "obstacles"> }) {
  const now = useNow();
  const { zone } = usePrefs();
  const all = why.obstacles ?? [];
  if (!all.length) return null;
  return (
    <>
      <h3>In the way</h3>
      <ul className="plain-list">
        {all.map((o, i) => (
          <li key={i}>
            {o.kind.replace("_", " ")} <strong>{plain(o.name ?? "of others")}</strong>
            {o.nodes !== undefined && `, ${count(o.nodes)} ${o.nodes === 1 ? "node" : "nodes"}`}
            {o.asked !== undefined && `, asked ${count(o.asked)}`}
            {o.text ? `, ${plain(o.text)}` : ""}
            {o.free !== undefined && `, free ${count(o.free)}`}
            {o.until ? `, until ${instant(o.until, now, zone)}` : ""}
          </li>
        ))}
      </ul>
    </>
  );
}



// ---- priority ----

function Priority({ id, ahead }: { id: string; ahead: string[] }) {
  const ids = [...ahead.slice(0, 3), id].join();
  const answer = useAnswer(`/v1/priorities?ids=${encodeURIComponent(ids)}`);
  const records = useMemo(
    () => (answer.text ? readLines<PriorityRecord>(answer.text).sort((a, b) => b.priority - a.priority) : []),
    [answer.text],
  );
  const own = records.find((r) => r.id === id);
  if (!own) return null;
  const pieces = piecesOf(own).filter((p) => Math.abs(p.value) >= 0.05);
  return (
    <>
      <h3>Priority</h3>
      {own.system && <p className="line">An administrator has set it.</p>}
      <table className="bars">
        <caption className="sr">Priority of this job and of those ahead of it, part by part</caption>
        <PriorityBars records={records} mine={id} />
      </table>
      <ul className="legend priority-parts">
        {pieces.map((p) => (
          <li key={p.name}><span className={`dot ${hueOf(p.name)}`} aria-hidden="true" />{plain(p.name)} <strong>{points(p.value)}</strong></li>
        ))}
        {!pieces.length && <li className="quiet">Nothing counts for or against it.</li>}
      </ul>
    </>
  );
}

/** Behind the verdict of a job that waits. */
export function WaitDetails({ id, procs }: { id: string; procs: number }) {
  const answer = useAnswer(`/v1/jobs/${encodeURIComponent(id)}/why`);
  const why = useMemo(() => (answer.text ? (JSON.parse(answer.text) as WhyRecord) : undefined), [answer.text]);
  if (!why) return null;
  // A verdict that quotes another reason (deferred, as it is over a limit) has said it.
  const [first, ...rest] = why.reasons;
  const others = rest.filter((r) => !first.text.includes(r.text));
  const objects = why.reasons.filter((r) => r.object && !others.includes(r));
  return (
    <>
      {objects.map((r, i) => <p key={i} className="quiet line"><ObjectLink reason={r} /></p>)}
      {others.length > 0 && (
        <>
          <h3>Besides</h3>
          <ul className="reasons">{others.map((r, i) => <ReasonCard key={`${r.code}${i}`} reason={r} />)}</ul>
        </>
      )}
      <Obstacles why={why} />
      <Ahead why={why} />
      <Frees why={why} procs={procs} />
      <Priority id={id} ahead={(why.ahead ?? []).map((j) => j.id ?? "")} />
    </>
  );
}
