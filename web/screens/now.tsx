// What is going on, and what comes next: the screen that the page begins with.
import { useMemo, type ReactNode } from "react";
import { useAnswer, useLive } from "../model/live";
import { count, duration, hours, instant, plain, reasonText } from "../model/format";
import { REASONS } from "../model/hue";
import { useJobs, useMadeReservations, useSums, type Count, type Summary } from "../model/lists";
import { usePrefs } from "../model/prefs";
import type { JobBrief, SchedulerState } from "../model/types";
import { Link, useNow } from "../parts/frame";
import { Bars, Shares } from "../parts/gauge";
import { Ahead } from "./ahead";
import { WeekOfPromises } from "./promises";
import { FitLink } from "./fit";
import { Curves, useSeries } from "./series";

const BRIEF = "id,user,class,procs,start_at,end_at,reservation_at,section,shown_state,remaining_s,name,wclimit_s,submit_at,state,reason";

function Card(props: { title: string; children: ReactNode; wide?: boolean; more?: ReactNode }) {
  return (
    <section className={props.wide ? "card card-wide" : "card"} aria-label={props.title}>
      <h2>{props.title}{props.more && <span className="card-more">{props.more}</span>}</h2>
      {props.children}
    </section>
  );
}

function Machine({ summary }: { summary: Summary }) {
  if (summary.procs === undefined)
    return <p className="quiet">What nodes do is shown to administrators, as the resource manager is configured.</p>;
  const procs = summary.procs ?? 0;
  const up = summary.procs_up ?? 0;
  const used = summary.procs_active ?? 0;
  const nodes = summary.nodes ?? 0;
  const nodesUp = summary.nodes_up ?? 0;
  const busy = summary.nodes_active ?? 0;
  return (
    <>
      <div className="figure">
        <span className="big">{up ? `${Math.round((100 * used) / up)} %` : "–"}</span>
        <span className="quiet">of {count(up)} processors in use</span>
      </div>
      <Shares unit="processors" parts={[
        { name: "in use", value: used, kind: "running" },
        { name: "free", value: Math.max(0, up - used), kind: "idle" },
        { name: "down", value: procs - up, kind: "down" },
      ]} />
      <h3>Nodes</h3>
      <Shares unit="nodes" parts={[
        { name: "with jobs", value: busy, kind: "running" },
        { name: "idle", value: Math.max(0, nodesUp - busy), kind: "idle" },
        { name: "down", value: nodes - nodesUp, kind: "down" },
      ]} />
    </>
  );
}

function Jobs({ summary }: { summary: Summary }) {
  const all = (summary.active ?? 0) + (summary.eligible ?? 0) + (summary.blocked ?? 0);
  return (
    <>
      <div className="figure">
        <span className="big">{count(all)}</span>
        <span className="quiet">{all === 1 ? "job" : "jobs"}</span>
      </div>
      <Shares unit="jobs" parts={[
        { name: "running", value: summary.active ?? 0, kind: "running" },
        { name: "in the queue", value: summary.eligible ?? 0, kind: "waiting" },
        { name: "blocked", value: summary.blocked ?? 0, kind: "blocked" },
      ]} />
      <h3>Backlog</h3>
      <p className="line">
        <strong>{hours(summary.backlog_ps ?? 0)}</strong> processor hours in the queue
        {summary.procs_up ? (
          <span className="quiet">, {duration((summary.backlog_ps ?? 0) / summary.procs_up)} of the whole machine</span>
        ) : null}
      </p>
    </>
  );
}

function rowsOf(counts: Count[] | undefined, field: string, kind: "waiting" | "blocked") {
  return (counts ?? [])
    .filter((c) => c.waiting > 0)
    .slice(0, 8)
    .map((c) => ({
      key: c.name,
      name: field === "reason" ? REASONS[c.name] ?? c.name : c.name === "DEFAULT" ? "no class" : c.name,
      to: `/ui/jobs?q=${encodeURIComponent(`${field}:${c.name}${field === "reason" ? "" : " section:eligible,blocked"}`)}`,
      value: c.waiting_ps ?? 0,
      shown: `${hours(c.waiting_ps ?? 0)} h`,
      note: `${count(c.waiting)} ${c.waiting === 1 ? "job" : "jobs"}`,
      kind,
    }));
}

function JobRows(props: { jobs: JobBrief[]; at: (j: JobBrief) => number | null | undefined; word: string; empty: ReactNode }) {
  const now = useNow();
  const { zone } = usePrefs();
  const jobs = props.jobs.filter((j) => props.at(j));
  if (!jobs.length) return <p className="quiet empty">{props.empty}</p>;
  return (
    <table className="list">
      <thead>
        <tr><th>Job</th><th>User</th><th>Class</th><th className="number">Procs</th><th className="number">{props.word}</th><th className="number">in</th></tr>
      </thead>
      <tbody>
        {jobs.map((j) => {
          const at = props.at(j) as number;
          return (
            <tr key={j.id}>
              <td><Link to={`/ui/jobs?sel=${encodeURIComponent(j.id ?? "")}`}>{plain(j.id ?? "")}</Link></td>
              <td>{plain(j.user ?? "")}</td>
              <td>{plain(j.class ?? "–")}</td>
              <td className="number">{count(j.procs ?? 0)}</td>
              <td className="number">{instant(at, now, zone)}</td>
              <td className="number quiet">{at < now ? "overrun" : duration(at - now)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Reservations() {
  const all = useMadeReservations();
  const now = useNow();
  const { zone } = usePrefs();
  if (!all) return <p className="quiet empty">Loading …</p>;
  if (!all.length) return <p className="quiet empty">None. <code>setres</code> makes one; SRCFG lines make standing ones.</p>;
  return (
    <table className="list">
      <thead><tr><th>Name</th><th>Kind</th><th className="number">Procs</th><th className="number">From</th><th className="number">Until</th></tr></thead>
      <tbody>
        {all.slice(0, 8).map((r) => (
          <tr key={r.name}>
            <td><Link to={`/ui/reservations?sel=${encodeURIComponent(r.name ?? "")}`}>{plain(r.name ?? "")}</Link></td>
            <td>{(r.type ?? "").toLowerCase()}{r.state === "active" ? "" : ", planned"}</td>
            <td className="number">{r.procs}</td>
            <td className="number">{instant(r.start_at, now, zone)}</td>
            <td className="number">{r.end_at ? instant(r.end_at, now, zone) : "without end"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** For administrators: what they would want to know first. */
function Warnings() {
  const scheduler = useAnswer("/v1/scheduler");
  const state = scheduler.text ? (JSON.parse(scheduler.text) as SchedulerState) : undefined;
  const now = useNow();
  if (!state) return null;
  const lines = [...(state.warnings ?? []), ...(state.messages ?? [])];
  return (
    <>
      {Boolean(state.rm_failure_until && state.rm_failure_until > now) && (
        <p className="banner banner-warn banner-in">The resource manager is taken as failed for {duration((state.rm_failure_until ?? now) - now)}.</p>
      )}
      {lines.map((line) => <p key={line} className="banner banner-warn banner-in">{plain(line)}</p>)}
    </>
  );
}

function Mine({ user }: { user: string }) {
  const list = useJobs({ user, limit: "10", fields: BRIEF });
  const now = useNow();
  const { zone } = usePrefs();
  if (!list.loaded) return <p className="quiet empty">Loading …</p>;
  if (list.error || !list.jobs.length)
    return <p className="quiet empty">You have no jobs. <code>msub -l nodes=1,walltime=1:00:00 SCRIPT</code> submits one.</p>;
  return (
    <table className="list my-jobs">
      <thead><tr><th>Job</th><th>Name</th><th>State</th><th className="number">Procs</th><th className="last">When, or why not</th></tr></thead>
      <tbody>
        {list.jobs.map((j) => (
          <tr key={j.id}>
            <td><Link to={`/ui/jobs?sel=${encodeURIComponent(j.id ?? "")}`}>{plain(j.id ?? "")}</Link></td>
            <td>{plain(j.name ?? "–")}</td>
            <td>{j.shown_state}</td>
            <td className="number">{count(j.procs ?? 0)}</td>
            <td className="last">
              {j.section === "active" ? `ends by ${instant(j.end_at, now, zone)}`
                : j.reservation_at ? `promised ${instant(j.reservation_at, now, zone)}`
                : j.reason ? plain(reasonText(j.reason, now, zone)) : "waits for its turn"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Now() {
  const who = useLive((s) => s.who);
  const all = useSums();
  const ends = useJobs({ section: "active", sort: "end_at", limit: "10", fields: BRIEF });
  const starts = useJobs({ section: "eligible,blocked", sort: "reservation_at", limit: "10", fields: BRIEF });
  const past = useSeries(86400);
  const admin = (who?.level ?? 0) > 0;
  if (!all.summary) return <><h1>Now</h1>{all.error ? <p role="alert">{all.error}</p> : <p className="quiet">Loading …</p>}</>;
  const summary = all.summary;
  return (
    <>
      <div className="q-bar"><h1>Now</h1><FitLink /></div>
      {admin && <Warnings />}
      <div className="cards">
        {!admin && who && <Card title="My jobs" wide><Mine user={who.user} /></Card>}
        <Card title="Processors"><Machine summary={summary} /></Card>
        <Card title="Jobs"><Jobs summary={summary} /></Card>
        <Ahead />
        <Card title="Why work waits">
          <Bars
            label="Processor hours that wait, by reason"
            rows={rowsOf(summary.counts?.reason, "reason", "blocked")}
            empty="Nothing waits."
          />
        </Card>
        <Card title="Queue by class">
          <Bars
            label="Processor hours that wait, by class"
            rows={rowsOf(summary.counts?.class, "class", "waiting")}
            empty="Nothing waits."
          />
        </Card>
        <Card title="Next ends"><JobRows jobs={ends.jobs} at={(j) => j.end_at} word="Ends by" empty="Nothing runs." /></Card>
        <Card title="Next promised starts">
          <JobRows jobs={starts.jobs} at={(j) => j.reservation_at} word="Promised" empty="No waiting job has a promised start." />
        </Card>
        <Card title="Promises of the last week" wide more={<Link to="/ui/promises">all of them</Link>}><WeekOfPromises /></Card>
        <Card title="The last day" wide>{past ? <Curves s={past} brief height={110} /> : <p className="quiet empty">Loading …</p>}</Card>
        <Card title="Reservations" wide><Reservations /></Card>
      </div>
    </>
  );
}
