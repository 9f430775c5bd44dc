// Who may use a reservation: its list as chips, its triggers, and whether that job may, which
// the scheduler answers.
import { useState } from "react";
import { ApiError, getRecord } from "../api/client";
import { duration, plain } from "../model/format";
import type { Job, Reservation } from "../model/types";

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

type Verdict = { granted: boolean; text: string };

async function askVerdict(job: string, name: string): Promise<Verdict> {
  try {
    const told = await getRecord<Job>(`/v1/jobs/${encodeURIComponent(job)}?reservation=${encodeURIComponent(name)}`);
    return told.reservation_verdicts?.[0] ?? { granted: false, text: "the scheduler has no answer" };
  } catch (e) {
    return { granted: false, text: e instanceof ApiError ? e.message : "no answer from the scheduler" };
  }
}

export function MayJob({ name }: { name: string }) {
  const [job, setJob] = useState("");
  const [told, setTold] = useState<(Verdict & { job: string }) | null>(null);
  const id = job.trim();
  return (
    <form className="may" onSubmit={(e) => {
      e.preventDefault();
      if (id) void askVerdict(id, name).then((v) => setTold({ ...v, job: id }));
    }}>
      <label className="field">
        <span>May that job use it?</span>
        <span className="may-line">
          <input id="may-job" value={job} placeholder="the job's id" spellCheck={false} autoComplete="off" onChange={(e) => setJob(e.target.value)} />
          <button type="submit" disabled={!id}>Ask</button>
        </span>
      </label>
      {told && <p className={`verdict ${told.granted ? "verdict-running" : "verdict-blocked"}`} role="status">Job {plain(told.job)}: {plain(told.text)}</p>}
    </form>
  );
}
