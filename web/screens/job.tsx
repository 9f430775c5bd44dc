// One job: why it waits first, then when, then what it is.
import { useEffect, useMemo, useRef, type ReactNode } from "react";
import { useAnswer } from "../model/live";
import { count, duration, instant, plain, reasonText, sentence } from "../model/format";
import { usePrefs, type Zone } from "../model/prefs";
import { go, withQuery } from "../model/route";
import { quote, type Subject } from "../model/orders";
import type { Job, JobBrief } from "../model/types";
import { Actions } from "../parts/actions";
import { Command } from "../parts/copy";
import { useNow } from "../parts/frame";
import { JobLife } from "./life";
import { WhatHelps } from "./helps";
import { LimitBar, WaitDetails } from "./why";

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined || children === null || children === "" || children === false) return null;
  return (<><dt>{name}</dt><dd>{children}</dd></>);
}

function verdictOf(job: Job, now: number, zone: Zone): string {
  if (job.section === "active") return `It runs${job.end_at ? `, and ends by ${instant(job.end_at, now, zone)}` : ""}.`;
  if (job.section === "completed") return `It has ended${job.exit_status !== undefined ? `, exit status ${job.exit_status}` : ""}.`;
  return job.reason ? sentence(reasonText(job.reason, now, zone)) : "It waits for its turn.";
}

function Why({ job }: { job: Job }) {
  const now = useNow();
  const { zone } = usePrefs();
  const verdict = verdictOf(job, now, zone);
  if (job.section === "active" || job.section === "completed")
    return <p className={job.section === "active" ? "verdict verdict-running" : "verdict"}>{verdict}</p>;
  const reason = job.reason;
  const blocked = job.section === "blocked";
  return (
    <div className={blocked ? "verdict verdict-blocked" : "verdict verdict-waiting"}>
      <p>{verdict}</p>
      {reason && <LimitBar reason={reason} />}
      {reason?.until ? <p className="quiet">{reason.parts?.includes(reason.until) ? "In" : `Until ${instant(reason.until, now, zone)}, in`} {duration(reason.until - now)}.</p> : null}
      {job.reservation_at && reason?.code !== "reservation" ? <p>Promised: {instant(job.reservation_at, now, zone)}.</p> : null}
      {job.hold_text && !verdict.includes(plain(job.hold_text)) && <p className="quiet">{plain(job.hold_text)}</p>}
    </div>
  );
}

function runs(names: string[] | undefined): string {
  return names?.length ? names.map(plain).join(", ") : "";
}

function Facts({ job }: { job: Job }) {
  const now = useNow();
  const { zone } = usePrefs();
  const at = (t: number | null | undefined) => (t ? instant(t, now, zone) : undefined);
  const until = job.start_at ?? now;
  const between =
    job.expected_from && job.expected_until ? ` (between ${at(job.expected_from)} and ${at(job.expected_until)})` : "";
  const expected = job.expected_at ? at(job.expected_at) + between : undefined;
  return (
    <>
      <h3>When</h3>
      <dl className="facts">
        <Fact name="Submitted">{at(job.submit_at)}</Fact>
        <Fact name={job.start_at ? "Waited" : "Waits so far"}>{duration(until - (job.submit_at ?? until))}</Fact>
        <Fact name="Promised start">{at(job.reservation_at)}</Fact>
        <Fact name="Expected to start">{expected}</Fact>
        <Fact name="Promised to start by">{at(job.promised_by)}</Fact>
        <Fact name="Was promised to start by">{job.was_promised_by ? `${at(job.was_promised_by)}, but ${plain(job.put_off_by ?? "")}` : undefined}</Fact>
        <Fact name="Started">{at(job.start_at)}</Fact>
        <Fact name="Ends by">{at(job.end_at)}</Fact>
        <Fact name="Time left">{job.section === "active" ? duration(job.remaining_s) : undefined}</Fact>
        <Fact name="Limit">{duration(job.wclimit_s)}</Fact>
        <Fact name="Not before">{at(job.release_at)}</Fact>
        <Fact name="Deadline">{at(job.deadline_at)}</Fact>
        <Fact name="Deferred until">{at(job.defer_until)}</Fact>
        <Fact name="Tried again at">{at(job.start_again_at)}</Fact>
      </dl>
      <h3>What</h3>
      <dl className="facts">
        <Fact name="Name">{job.name && plain(job.name)}</Fact>
        <Fact name="Processors">{job.procs !== undefined && count(job.procs)}</Fact>
        <Fact name="Nodes">{job.nodes ? count(job.nodes) : undefined}</Fact>
        <Fact name="Memory">{job.mem_mb ? `${count(job.mem_mb)} MB` : undefined}</Fact>
        <Fact name="Needs reservation">{job.reservation_name && plain(job.reservation_name)}</Fact>
        <Fact name="Depends on">{runs(job.dependencies)}</Fact>
        <Fact name="Flags">{runs(job.flags)}</Fact>
        <Fact name="Comment">{job.comment && plain(job.comment)}</Fact>
        <Fact name="Folder">{job.directory && plain(job.directory)}</Fact>
      </dl>
      <h3>Whose, and how it ranks</h3>
      <dl className="facts">
        <Fact name="User, group">{[job.user, job.group].map((n) => plain(n ?? "")).join(", ")}</Fact>
        <Fact name="Account">{job.account && plain(job.account)}</Fact>
        <Fact name="Class">{job.class && plain(job.class)}</Fact>
        <Fact name="QOS">{job.qos && plain(job.qos)}</Fact>
        <Fact name="Priority">{job.priority !== undefined && count(job.priority)}</Fact>
        <Fact name="System priority">{job.system_priority ? count(job.system_priority) : undefined}</Fact>
        <Fact name="XFactor">{job.xfactor?.toFixed(2)}</Fact>
        <Fact name="Passed by backfill">{job.bypass ? `${job.bypass} times` : undefined}</Fact>
        <Fact name="Holds">{runs(job.holds)}</Fact>
        <Fact name="Efficiency">{job.efficiency ? `${job.efficiency.toFixed(0)} %` : undefined}</Fact>
      </dl>
      {job.section === "active" && job.allocation?.length ? (
        <>
          <h3>Where</h3>
          <ul className="places">
            {job.allocation.slice(0, 64).map((p, i) => (
              <li key={i}>{plain(String(p.node ?? ""))}{p.tasks ? <span className="quiet"> ×{p.tasks}</span> : null}</li>
            ))}
            {job.allocation.length > 64 && <li className="quiet">and {job.allocation.length - 64} more</li>}
          </ul>
        </>
      ) : null}
      {[...(job.warnings ?? []), ...(job.messages ?? [])].map((m) => <p key={m} className="banner banner-warn banner-in">{plain(m)}</p>)}
      <Command line={`maui checkjob -v ${quote(job.id ?? "")}`} />
    </>
  );
}

/** What a list told, of a job that is somebody else's. */
function Brief({ job }: { job: JobBrief }) {
  const now = useNow();
  const { zone } = usePrefs();
  return (
    <>
      <p className="quiet">It is {plain(job.user ?? "somebody")}'s: what lists show is all that you may see.</p>
      <dl className="facts">
        <Fact name="State">{job.shown_state}</Fact>
        <Fact name="Class">{job.class && plain(job.class)}</Fact>
        <Fact name="Processors">{job.procs !== undefined && count(job.procs)}</Fact>
        <Fact name="Limit">{job.wclimit_s === undefined ? undefined : duration(job.wclimit_s)}</Fact>
        <Fact name="Submitted">{job.submit_at ? instant(job.submit_at, now, zone) : undefined}</Fact>
        <Fact name="Promised start">{job.reservation_at ? instant(job.reservation_at, now, zone) : undefined}</Fact>
        <Fact name="Ends by">{job.end_at ? instant(job.end_at, now, zone) : undefined}</Fact>
      </dl>
    </>
  );
}

/** `why`: other than before when it was asked why it waits, which is read first then. */
export function JobDetails(props: { id: string; brief?: JobBrief; alone?: boolean; why?: number }) {
  const Title = props.alone ? "h1" : "h2";
  const answer = useAnswer(`/v1/jobs/${encodeURIComponent(props.id)}`);
  const job = useMemo(() => (answer.text ? (JSON.parse(answer.text) as Job) : undefined), [answer.text]);
  const title = useRef<HTMLHeadingElement>(null);
  const verdict = useRef<HTMLDivElement>(null);
  const answered = useRef(0);
  const now = useNow();
  const { zone } = usePrefs();
  const waits = job?.section === "eligible" || job?.section === "blocked";
  useEffect(() => title.current?.focus(), [props.id]);
  useEffect(() => {
    if (!verdict.current || (props.why ?? 0) === answered.current) return;
    answered.current = props.why ?? 0;
    verdict.current.focus();
  }, [props.why, Boolean(job)]);
  return (
    <>
      <Title ref={title} tabIndex={-1}>
        Job {plain(props.id)} {(job ?? props.brief) && <span className="tag">{(job ?? props.brief)?.shown_state}</span>}
      </Title>
      <p className="sr" role="status">{job && !answer.error ? `${job.shown_state}. ${verdictOf(job, now, zone)}` : ""}</p>
      {answer.error?.status === 404 && <p>It is gone: it has ended, or was cancelled. <code>checkjob {plain(props.id)}</code> may know more.</p>}
      {answer.error?.status === 403 && props.brief && <Brief job={props.brief} />}
      {answer.error && answer.error.status !== 404 && !(answer.error.status === 403 && props.brief) && <p>{answer.error.message}</p>}
      {!answer.error && !job && <p className="quiet">Loading …</p>}
      {!answer.error && job && (
        <>
          <div ref={verdict} tabIndex={-1} className="j-why" role="group" aria-label={verdictOf(job, now, zone)}><Why job={job} /></div>
          <Actions key={props.id} jobs={[job as unknown as Subject]} detailed />
          {waits && <WaitDetails id={job.id ?? props.id} procs={job.procs ?? 1} />}
          {waits && <WhatHelps job={job} />}
          <JobLife id={job.id ?? props.id} waits={waits} />
          <Facts job={job} />
        </>
      )}
    </>
  );
}

/** Beside a view; what it is about is in the address. */
export function JobPanel(props: { id: string; brief?: JobBrief; why?: number }) {
  const close = () => {
    go(withQuery({ sel: null }), true);
    (document.getElementById("rows") ?? document.getElementById("gantt"))?.focus();
  };
  return (
    <aside
      className="panel"
      aria-label={`Job ${props.id}`}
      onKeyDown={(e) => {
        if (e.key === "Escape") close();
      }}
    >
      <button className="panel-close" onClick={close} aria-label="Close the panel">✕</button>
      <JobDetails key={props.id} id={props.id} brief={props.brief} why={props.why} />
    </aside>
  );
}
