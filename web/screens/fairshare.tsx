// Fairshare: of each credential its target, its use by window, and what that is worth.
import { useMemo, useState } from "react";
import { readLines } from "../api/client";
import { count, duration, plain } from "../model/format";
import { SECTIONS, kindWord } from "../model/limits";
import { useAnswer } from "../model/live";
import { go, useSearch, withQuery } from "../model/route";
import type { Credential, FairshareRecord, JobBrief } from "../model/types";
import { Link } from "../parts/frame";
import { SettingForm, useMaySet } from "../parts/setting";

type Share = NonNullable<FairshareRecord["credentials"]>[number];
const KINDS = ["account", "group", "user", "class", "qos"];
const MARKS: Record<string, string> = { "+": "at least", "-": "at most", "^": "never more than, in processor seconds", "%": "never more than" };
const SHOWN = 200;
const LOOKED = 5000; // jobs that tell who belongs to whom

interface TreeRow {
  kind: string;
  name: string;
  depth: 0 | 1 | 2;
}

function Target({ share: c }: { share: Share }) {
  if (c.target === null || c.target === undefined) return <span className="quiet">none</span>;
  return <span title={MARKS[c.modifier ?? ""] ?? "as near as can be"}>{c.target.toFixed(2)}{c.modifier === "^" ? "" : " %"}{c.modifier}{c.off_target ? " !" : ""}</span>;
}

/** From the middle: less than the target to the left, more to the right. */
function Difference({ share }: { share: Share }) {
  if (share.target === null || share.target === undefined || share.modifier === "^") return null;
  const off = Math.max(-50, Math.min(50, share.percent - share.target));
  return (
    <span className="f-off" role="img" aria-label={`${Math.abs(share.percent - share.target).toFixed(1)} points ${off < 0 ? "below" : "above"} the target`}>
      <span className={`f-bar ${share.off_target ? "fill-blocked" : "fill-running"}`} style={{ left: `${50 + Math.min(0, off)}%`, width: `${Math.abs(off)}%` }} />
    </span>
  );
}

/** The latest window at the left; each as high as its share. */
function Windows({ share, most }: { share: Share; most: number }) {
  const all = share.windows ?? [];
  return (
    <span className="f-windows" role="img" aria-label={`Shares of the windows, the latest first: ${all.map((w) => (w === null ? "none" : `${w.toFixed(0)} %`)).join(", ")}`}>
      {all.map((w, i) => <span key={i} className="fill-running" style={{ height: `${Math.max(w ? 8 : 0, (100 * (w ?? 0)) / most)}%` }} />)}
    </span>
  );
}

/** What it adds to the priority of each of its jobs, and whom its cap keeps waiting. */
function Worth({ share }: { share: Share }) {
  const points = Math.round(share.points ?? 0) || 0; // never -0
  return (
    <>
      <td className="number">{points > 0 ? "+" : ""}{count(points)}</td>
      <td className="number">{share.held ? <Link to={`/ui/jobs?q=${encodeURIComponent(`reason:fairshare-cap ${share.kind}:${share.name}`)}`}>{count(share.held)} {share.held === 1 ? "job" : "jobs"}</Link> : ""}</td>
    </>
  );
}

const word = (kind: string) => (kind === "qos" ? "QOS" : kind[0].toUpperCase() + kind.slice(1));

/** What it has used, of what, and the form that sets another target. */
function Of({ kind, rows, most }: { kind: string; rows: Share[]; most: number }) {
  const [edit, setEdit] = useState<Share | null>(null);
  const may = useMaySet();
  return (
    <section className="card f-card" aria-label={kindWord(kind)}>
      <h2>{word(kind)}</h2>
      <table className="list f-list">
        <thead><tr><th>Name</th><th className="number">Use</th><th className="number">Target</th><th>Below – above</th><th>Windows</th><th className="number">Points</th><th className="number">Held up</th>{may && <th><span className="sr">Change</span></th>}</tr></thead>
        <tbody>
          {rows.slice(0, SHOWN).map((c) => (
            <tr key={c.name}>
              <td><Link to={`/ui/credentials/${kind}/${encodeURIComponent(c.name)}`}>{plain(c.name)}</Link></td>
              <td className="number">{c.percent.toFixed(2)} %</td>
              <td className="number"><Target share={c} /></td>
              <td><Difference share={c} /></td>
              <td><Windows share={c} most={most} /></td>
              <Worth share={c} />
              {may && <td><button aria-label={`Change the target of ${plain(c.name)}`} aria-expanded={edit?.name === c.name} onClick={() => setEdit(edit?.name === c.name ? null : c)}>Change</button></td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p className="quiet">and {count(rows.length - SHOWN)} more</p>}
      {edit && <SettingForm key={edit.name} section={`${SECTIONS[kind]}[${edit.name}]`} name="FSTARGET" hint="percent of the machine: 20, 20+ at least, 20- at most, 20% never more"
        value={edit.target === null || edit.target === undefined ? "" : `${edit.target}${edit.modifier ?? ""}`} onEnd={() => setEdit(null)} />}
    </section>
  );
}

function treeOf(jobs: JobBrief[], accounts: Credential[]): TreeRow[] {
  const tree = new Map<string, Map<string, Set<string>>>(); // "": of no group that is known
  const put = (account: string, group: string, user?: string) => {
    const groups = tree.get(account) ?? tree.set(account, new Map()).get(account);
    const users = groups?.get(group) ?? groups?.set(group, new Set()).get(group);
    if (user) users?.add(user);
  };
  for (const j of jobs) if (j.account && j.user) put(j.account, j.group ?? "", j.user);
  for (const a of accounts)
    for (const m of a.members ?? []) {
      const name = m.slice(m.indexOf(":") + 1);
      if (m.startsWith("group:")) put(a.name, name);
      else if (m.startsWith("user:") && ![...(tree.get(a.name)?.values() ?? [])].some((users) => users.has(name))) put(a.name, "", name);
    }
  const sorted = <T,>(all: Iterable<T>, of: (t: T) => string) => [...all].sort((a, b) => of(a).localeCompare(of(b)));
  return sorted(tree, ([a]) => a).flatMap(([account, groups]): TreeRow[] => [
    { kind: "account", name: account, depth: 0 },
    ...sorted(groups, ([g]) => g).flatMap(([group, users]): TreeRow[] => [
      ...(group ? [{ kind: "group", name: group, depth: 1 } as const] : []),
      ...sorted(users, (u) => u).map((name): TreeRow => ({ kind: "user", name, depth: group ? 2 : 1 })),
    ]),
  ]);
}

/** Accounts, the groups that have jobs in them, and their users; members that have none yet. */
function useTree(wanted: boolean): TreeRow[] | null {
  const jobs = useAnswer(wanted ? `/v1/jobs?fields=user,group,account&limit=${LOOKED}` : null);
  const accounts = useAnswer(wanted ? "/v1/credentials/account" : null);
  return useMemo(() => (jobs.text === undefined || accounts.text === undefined ? null
    : treeOf(readLines<JobBrief>(jobs.text), readLines<Credential>(accounts.text))), [jobs.text, accounts.text]);
}

function Tree({ all }: { all: Share[] }) {
  const rows = useTree(true);
  const of = useMemo(() => new Map(all.map((c) => [`${c.kind}:${c.name}`, c])), [all]);
  if (!rows) return <p className="quiet">Loading …</p>;
  if (!rows.length) return <p className="quiet">No job has an account, and nobody may ask for one: <code>USERCFG[ann] ALIST=chem</code> says who may.</p>;
  return (
    <section className="card f-card" aria-label="Tree">
      <h2>Accounts, groups and users</h2>
      <table className="list f-list f-tree">
        <thead><tr><th>Name</th><th className="number">Use</th><th className="number">Target</th><th>Below – above</th><th className="number">Points</th><th className="number">Held up</th></tr></thead>
        <tbody>
          {rows.slice(0, SHOWN).map((r, i) => {
            const share = of.get(`${r.kind}:${r.name}`);
            return (
              <tr key={i} className={`f-depth-${r.depth}`}>
                <td><Link to={`/ui/credentials/${r.kind}/${encodeURIComponent(r.name)}`}>{plain(r.name)}</Link> <small className="quiet">{r.kind}</small></td>
                <td className="number">{share ? `${share.percent.toFixed(2)} %` : ""}</td>
                <td className="number">{share && <Target share={share} />}</td>
                <td>{share && <Difference share={share} />}</td>
                {share ? <Worth share={share} /> : <><td /><td /></>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > SHOWN && <p className="quiet">and {count(rows.length - SHOWN)} more</p>}
      <p className="quiet">Who belongs to whom is told by the first {count(LOOKED)} jobs that run or wait, and by who may ask for which account. Use and points of a user are of all its jobs.</p>
    </section>
  );
}

export function Fairshare() {
  const query = new URLSearchParams(useSearch());
  const asked = query.get("kind") ?? "";
  const kind = KINDS.includes(asked) ? asked : "";
  const tree = query.get("view") === "tree";
  const answer = useAnswer("/v1/fairshare");
  const told = useMemo(() => (answer.text ? (JSON.parse(answer.text) as FairshareRecord) : null), [answer.text]);
  if (answer.error) return <><h1>Fairshare</h1><p>{plain(answer.error.message)}</p></>;
  if (!told) return <><h1>Fairshare</h1><p className="quiet">Loading …</p></>;
  const credentials = told.credentials ?? [];
  const off = told.policy === "[NONE]";
  const most = Math.max(1, ...credentials.flatMap((c) => (c.windows ?? []).map((w) => w ?? 0)));
  const kinds = KINDS.filter((k) => (!kind || k === kind) && credentials.some((c) => c.kind === k));
  return (
    <>
      <div className="q-bar">
        <h1>Fairshare</h1>
        <div className="tabs" role="group" aria-label="Views">
          <Link to={withQuery({ view: null })} current={!tree} className="tab">By kind</Link>
          <Link to={withQuery({ view: "tree" })} current={tree} className="tab">Tree</Link>
        </div>
        {!tree && <label className="g-tool">Kind
          <select value={kind} onChange={(e) => go(withQuery({ kind: e.target.value || null }), true)}>
            <option value="">all</option>
            {KINDS.map((k) => <option key={k} value={k}>{k === "qos" ? "QOS" : k}</option>)}
          </select>
        </label>}
      </div>
      <p className="quiet">
        {off ? <>No use is counted: <code>FSPOLICY DEDICATEDPS</code> in the configuration begins it.</>
          : <>{plain(told.policy)}, {count(told.depth)} windows of {duration(told.interval_s ?? 0)}, each counts {told.decay?.toFixed(2)} times as much as the one after it. <Link to="/ui/parameters?q=FS">Parameters</Link>, <Link to="/ui/priorities">what that is worth</Link></>}
      </p>
      {tree && <Tree all={credentials} />}
      {!tree && kinds.map((k) => {
        const rows = credentials.filter((c) => c.kind === k).sort((a, b) => b.percent - a.percent || (a.name < b.name ? -1 : 1));
        return <Of key={k} kind={k} rows={rows} most={most} />;
      })}
      {!tree && !kinds.length && <p className="quiet">Nobody has used anything yet, and no target is set: <code>ACCOUNTCFG[name] FSTARGET=25</code> sets one.</p>}
      {kinds.length > 0 && <p className="quiet">+ at least, - at most, ^ and % never more; ! more than 5 points from its target. Points: what it adds to the priority of each of its jobs.</p>}
    </>
  );
}
