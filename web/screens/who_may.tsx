// Who may use a reservation: its list as chips, its triggers, whether that job or that user may,
// and which jobs do, want to, or wait for its end: the scheduler answers.
import { useState } from "react";
import { ApiError, getRecord } from "../api/client";
import { count, duration, plain } from "../model/format";
import { useJobs } from "../model/lists";
import { useLive } from "../model/live";
import { mayChange } from "../model/orders";
import { usePast } from "../model/past";
import { jobAddress } from "../model/route";
import type { Job, Reservation, WhatIfChange } from "../model/types";
import { usePreview } from "../model/whatif";
import { Link } from "../parts/frame";
import { PreviewOf } from "../parts/preview";

const MARKS: Record<string, string> = {
  "+": "drawn to it", "-": "only where nothing else is free", "=": "neither drawn to it nor away", "*": "required: without it nobody gets in",
  "!": "whoever it names is kept out",
};

/** What the marks behind an entry say. */
function saidOf(entry: string): string {
  const marks = (/[-+=*!]+$/.exec(entry)?.[0] ?? "") + (entry.includes("!") ? "!" : "");
  return [...new Set(marks)].map((m) => MARKS[m]).filter(Boolean).join("; ");
}

export function Entries({ r }: { r: Reservation }) {
  const acl = r.acl ?? [];
  if (!acl.length) return <>{r.type === "Job" ? "the job" : "nobody"}</>;
  return <ul className="places" aria-label="Who may use it">{acl.map((a) => <li key={a} title={saidOf(a)}>{plain(a)}</li>)}</ul>;
}

export function Triggers({ r }: { r: Reservation }) {
  if (!r.triggers?.length) return null;
  return (
    <>
      <h3>Triggers</h3>
      <ul className="plain-list">
        {r.triggers.map((t, i) => (
          <li key={i}>{plain(t.event ?? "")}{t.offset_s ? ` ${t.offset_s > 0 ? "+" : ""}${duration(t.offset_s)}` : ""}: {plain(t.action ?? "")} {t.data && <code>{plain(t.data)}</code>} <span className="tag">{plain(t.state ?? "")}</span></li>
        ))}
      </ul>
    </>
  );
}

type Verdict = { granted: boolean; text: string; by?: string };
const ASKED = ["job", "user", "group", "account", "class", "qos"] as const;
type Asked = (typeof ASKED)[number];
const WORDS: Record<Asked, string> = { job: "job", user: "user", group: "group", account: "account", class: "class", qos: "QOS" };

async function askVerdict(kind: Asked, of: string, name: string): Promise<Verdict> {
  const [it, who] = [encodeURIComponent(name), encodeURIComponent(of)];
  try {
    const told = kind === "job" ? (await getRecord<Job>(`/v1/jobs/${who}?reservation=${it}`)).reservation_verdicts?.[0]
      : (await getRecord<Reservation>(`/v1/reservations/${it}?${kind}=${who}`)).verdict;
    return told ?? { granted: false, text: "the scheduler has no answer" };
  } catch (e) {
    return { granted: false, text: e instanceof ApiError ? e.message : "no answer from the scheduler" };
  }
}

export function MayUse({ name }: { name: string }) {
  const [kind, setKind] = useState<Asked>("job");
  const [of, setOf] = useState("");
  const [told, setTold] = useState<(Verdict & { who: string }) | null>(null);
  const word = of.trim();
  return (
    <form aria-label="May it be used by" className="may" onSubmit={(e) => {
      e.preventDefault();
      const who = `${kind === "qos" ? "QOS" : WORDS[kind][0].toUpperCase() + WORDS[kind].slice(1)} ${word}`;
      if (word) void askVerdict(kind, word, name).then((v) => setTold({ ...v, who }));
    }}>
      <span className="field">
        <label htmlFor="may-job">May it be used by</label>
        <span className="may-line">
          <select aria-label="Kind of what is asked about" value={kind} onChange={(e) => { setKind(e.target.value as Asked); setTold(null); }}>
            {ASKED.map((k) => <option key={k} value={k}>{WORDS[k]}</option>)}
          </select>
          <input id="may-job" value={of} placeholder={kind === "job" ? "the job's id" : "its name"} spellCheck={false} autoComplete="off" onChange={(e) => setOf(e.target.value)} />
          <button type="submit" disabled={!word}>Ask</button>
        </span>
      </span>
      {told && <p className={`verdict ${told.granted ? "verdict-running" : "verdict-blocked"}`} role="status">{plain(told.who)}: {plain(told.text)}{told.by ? <> <span className="quiet">({plain(told.by)})</span></> : null}</p>}
    </form>
  );
}

// ---- its jobs ----

const LISTED = 10;

/** Jobs of the queue that a word finds: the first ones, and where all of them are. */
function JobsOf({ q, title, none }: { q: string; title: string; none: string }) {
  const { jobs, summary, loaded } = useJobs({ q, limit: String(LISTED), fields: "id,user,procs,shown_state" }, true);
  const all = summary?.total ?? jobs.length;
  if (!loaded) return null;
  return (
    <>
      <h3>{title}{jobs.length > 0 && ` (${count(all)})`}</h3>
      {!jobs.length && <p className="quiet line">{none}</p>}
      {jobs.length > 0 && (
        <table className="list" aria-label={title}>
          <thead><tr><th>Job</th><th>User</th><th className="number">Processors</th><th>State</th></tr></thead>
          <tbody>
            {jobs.map((j) => (
              <tr key={j.id}>
                <td><Link to={jobAddress(j.id ?? "")}>{plain(j.id ?? "")}</Link></td><td>{plain(j.user ?? "")}</td>
                <td className="number">{count(j.procs ?? 0)}</td><td>{plain(j.shown_state ?? "")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {all > jobs.length && <p className="quiet line"><Link to={`/ui/jobs?q=${encodeURIComponent(q)}`}>all {count(all)} in the queue</Link></p>}
    </>
  );
}

/** Whose start would be earlier without it: asked for, as it is worked out on a copy. */
function HeldUp({ name }: { name: string }) {
  const [asked, setAsked] = useState(false);
  const preview = usePreview(asked ? [{ release_reservation: { name } } as WhatIfChange] : null);
  return (
    <>
      <h3>Jobs that it holds up</h3>
      {!asked && <p className="line"><button data-do="held-up" onClick={() => setAsked(true)}>Try what would be without it</button></p>}
      <PreviewOf preview={preview} />
    </>
  );
}

export function JobsOfReservation({ r }: { r: Reservation }) {
  const who = useLive((s) => s.who);
  const live = useLive((s) => s.phase === "live");
  const { at } = usePast();
  if (r.type === "Job") return null;
  return (
    <>
      <JobsOf q={`in:${r.name}`} title="Jobs in it" none="None." />
      <JobsOf q={`wants:${r.name}`} title="Jobs that wait for it" none="None asks for it by name." />
      {live && at === null && mayChange(r, who) && <HeldUp key={r.name} name={r.name} />}
    </>
  );
}
