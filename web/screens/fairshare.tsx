// Fairshare: of each credential its target, its use by window, and what that is worth.
import { useMemo, useState } from "react";
import { count, duration, plain } from "../model/format";
import { SECTIONS, kindWord } from "../model/limits";
import { useAnswer } from "../model/live";
import { go, useSearch, withQuery } from "../model/route";
import type { FairshareRecord } from "../model/types";
import { Link } from "../parts/frame";
import { SettingForm, useMaySet } from "../parts/setting";

type Share = NonNullable<FairshareRecord["credentials"]>[number];
const KINDS = ["account", "group", "user", "class", "qos"];
const MARKS: Record<string, string> = { "+": "at least", "-": "at most", "^": "never more than, in processor seconds", "%": "never more than" };
const SHOWN = 200;

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

const word = (kind: string) => (kind === "qos" ? "QOS" : kind[0].toUpperCase() + kind.slice(1));

/** What it has used, of what, and the form that sets another target. */
function Of({ kind, rows, most }: { kind: string; rows: Share[]; most: number }) {
  const [edit, setEdit] = useState<Share | null>(null);
  const may = useMaySet();
  return (
    <section className="card f-card" aria-label={kindWord(kind)}>
      <h2>{word(kind)}</h2>
      <table className="list f-list">
        <thead><tr><th>Name</th><th className="number">Use</th><th className="number">Target</th><th>Below – above</th><th>Windows</th>{may && <th><span className="sr">Change</span></th>}</tr></thead>
        <tbody>
          {rows.slice(0, SHOWN).map((c) => (
            <tr key={c.name}>
              <td><Link to={`/ui/credentials/${kind}/${encodeURIComponent(c.name)}`}>{plain(c.name)}</Link></td>
              <td className="number">{c.percent.toFixed(2)} %</td>
              <td className="number">{c.target === null || c.target === undefined ? <span className="quiet">none</span>
                : <span title={MARKS[c.modifier ?? ""] ?? "as near as can be"}>{c.target.toFixed(2)}{c.modifier === "^" ? "" : " %"}{c.modifier}{c.off_target ? " !" : ""}</span>}</td>
              <td><Difference share={c} /></td>
              <td><Windows share={c} most={most} /></td>
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

export function Fairshare() {
  const query = new URLSearchParams(useSearch());
  const asked = query.get("kind") ?? "";
  const kind = KINDS.includes(asked) ? asked : "";
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
        <label className="g-tool">Kind
          <select value={kind} onChange={(e) => go(withQuery({ kind: e.target.value || null }), true)}>
            <option value="">all</option>
            {KINDS.map((k) => <option key={k} value={k}>{k === "qos" ? "QOS" : k}</option>)}
          </select>
        </label>
      </div>
      <p className="quiet">
        {off ? <>No use is counted: <code>FSPOLICY DEDICATEDPS</code> in the configuration begins it.</>
          : <>{plain(told.policy)}, {count(told.depth)} windows of {duration(told.interval_s ?? 0)}, each counts {told.decay?.toFixed(2)} times as much as the one after it. <Link to="/ui/parameters?q=FS">Parameters</Link>, <Link to="/ui/priorities">what that is worth</Link></>}
      </p>
      {kinds.map((k) => {
        const rows = credentials.filter((c) => c.kind === k).sort((a, b) => b.percent - a.percent || (a.name < b.name ? -1 : 1));
        return <Of key={k} kind={k} rows={rows} most={most} />;
      })}
      {!kinds.length && <p className="quiet">Nobody has used anything yet, and no target is set: <code>ACCOUNTCFG[name] FSTARGET=25</code> sets one.</p>}
      {kinds.length > 0 && <p className="quiet">+ at least, - at most, ^ and % never more; ! more than 5 points from its target.</p>}
    </>
  );
}
