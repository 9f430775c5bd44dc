// What happened to a job, and what each node says to it: asked for when it is opened.
import { useMemo, useState, type ReactNode } from "react";
import { count, instant, plain } from "../model/format";
import { useAnswer } from "../model/live";
import { isPast } from "../model/past";
import { usePrefs } from "../model/prefs";
import type { Job } from "../model/types";
import { useNow } from "../parts/frame";
import { saidOf } from "./events";

const NAMED = 16;
const WORDS: Record<string, string> = {
  CPU: "too few processors", Memory: "too little memory", Swap: "too little swap space", Disk: "too little disk", GRes: "a licence or another resource is short",
  HostList: "not among the nodes that it may be on", Opsys: "another operating system", Arch: "another architecture", Features: "lacks a feature", Network: "another network",
  Class: "does not take its class", Partition: "in a partition that it may not use", State: "down, drained or in use", ReserveTime: "reserved for others in its time",
};

type Verdict = NonNullable<Job["node_verdicts"]>[number];

function Opened(props: { title: string; id: string; verbose: string; seldom?: boolean; children: (job: Job) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const answer = useAnswer(open ? `/v1/jobs/${encodeURIComponent(props.id)}?verbose=${props.verbose}` : null, props.seldom);
  const job = useMemo(() => (answer.text ? (JSON.parse(answer.text) as Job) : undefined), [answer.text]);
  return (
    <details className="fold" onToggle={(e: { currentTarget: HTMLDetailsElement }) => setOpen(e.currentTarget.open)}>
      <summary>{props.title}</summary>
      {open && answer.error && <p role="alert">{plain(answer.error.message)}</p>}
      {open && !answer.error && !job && <p className="quiet">Loading …</p>}
      {open && job && props.children(job)}
    </details>
  );
}

function Happened({ job }: { job: Job }) {
  const now = useNow();
  const { zone } = usePrefs();
  const all = job.history ?? [];
  if (!all.length) return <p className="quiet line">No events of it are kept.</p>;
  const own = `job '${job.id}'`; // each begins so
  return (
    <ol className="life">
      {all.map((e, i) => {
        const said = saidOf(e, now, zone);
        return (
          <li key={i}>
            <span className="quiet">{instant(e.at, now, zone)}</span>{" "}
            {plain(said.startsWith(own) ? said.slice(own.length).replace(/^:? /, "") : said)}{e.by && !said.includes(` by ${e.by}`) ? <span className="quiet">, by order of {plain(e.by)}</span> : null}
          </li>
        );
      })}
    </ol>
  );
}

/** Those that take it first, then the reason of most nodes. */
function grouped(all: Verdict[]): [string, Verdict[]][] {
  const groups = new Map<string, Verdict[]>();
  for (const v of all) {
    const key = v.accepted ? "" : v.reason ?? "?";
    groups.set(key, [...(groups.get(key) ?? []), v]);
  }
  return [...groups].sort((a, b) => Number(Boolean(a[0])) - Number(Boolean(b[0])) || b[1].length - a[1].length);
}

function Verdicts({ all }: { all: Verdict[] }) {
  if (!all.length) return <p className="quiet line">Nothing of nodes is told.</p>;
  return (
    <table className="list verdicts">
      <thead><tr><th>Verdict</th><th className="number">Nodes</th><th>Which</th></tr></thead>
      <tbody>
        {grouped(all).map(([reason, of]) => (
          <tr key={reason}>
            <td>{reason ? WORDS[reason] ?? plain(reason) : `free for ${count(of.reduce((n, v) => n + (v.tasks ?? 0), 0))} of its tasks`}</td>
            <td className="number">{count(of.length)}</td>
            <td>{of.slice(0, NAMED).map((v) => plain(v.node)).join(", ")}{of.length > NAMED ? ` and ${count(of.length - NAMED)} more` : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `waits`: of others nothing is asked of nodes. A view of the past has no events. */
export function JobLife({ id, waits }: { id: string; waits: boolean }) {
  return (
    <>
      {waits && <Opened title="What each node says" id={id} verbose="1" seldom>{(job) => <Verdicts all={job.node_verdicts ?? []} />}</Opened>}
      {!isPast() && <Opened title="What happened to it" id={id} verbose="history">{(job) => <Happened job={job} />}</Opened>}
    </>
  );
}
