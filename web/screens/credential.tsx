// One credential, beside the list: its limits with their bars, its lists, and the form that
// changes one of them.
import { useEffect, useRef, useState } from "react";
import { count, duration, plain } from "../model/format";
import { SECTIONS, choicesOf, kindWord } from "../model/limits";
import { useMadeReservations } from "../model/lists";
import { quote } from "../model/orders";
import { useLive } from "../model/live";
import type { Credential } from "../model/types";
import { Command } from "../parts/copy";
import { Link } from "../parts/frame";
import { RelationsDrawing, type Relation } from "../parts/relations";
import { SettingForm, useMaySet } from "../parts/setting";
import { UseOfCredential } from "./usetime";

export type LimitRecord = NonNullable<Credential["limits_in_force"]>[number];

/** Of those that are counted, the one of which most is in use. */
export function fullest(all: LimitRecord[]): LimitRecord | undefined {
  const share = (l: LimitRecord) => (l.used ?? 0) / Math.max(1, l.hard);
  return all.filter((l) => l.used !== undefined && l.hard > 0).sort((a, b) => share(b) - share(a))[0];
}

const amount = (l: LimitRecord, n: number) => (l.unit === "s" ? duration(n) : count(n));

export function LimitBar({ l }: { l: LimitRecord }) {
  if (l.hard < 0) return <span className="quiet">no limit</span>;
  if (l.used === undefined) return <span className="number">{amount(l, l.hard)}</span>;
  const percent = (n: number) => `${Math.min(100, (100 * n) / Math.max(1, l.hard))}%`;
  const state = l.used >= l.hard ? "blocked" : l.soft !== undefined && l.used >= l.soft ? "waiting" : "running";
  return (
    <span className="l-line">
      <span className="limit-bar l-bar" aria-hidden="true">
        <span className={`fill-${state}`} style={{ width: percent(l.used) }} />
        {l.soft !== undefined && <i style={{ left: percent(l.soft) }} />}
      </span>
      <span className="number">{amount(l, l.used)} of {l.soft !== undefined ? `${amount(l, l.soft)}, at most ` : ""}{amount(l, l.hard)}</span>
    </span>
  );
}

const valueOf = (l: LimitRecord) => (l.unit === "s" ? duration(l.hard) : l.soft !== undefined ? `${l.soft},${l.hard}` : String(l.hard));

function whence(l: LimitRecord, kind: string): string {
  if (!l.source) return "told by the resource manager";
  if (l.source.startsWith("changeparam:")) return `${l.by_default ? `${SECTIONS[kind]}[DEFAULT], ` : ""}changed at run time`;
  return `${l.by_default ? `${SECTIONS[kind]}[DEFAULT], ` : ""}${l.source.replace(/^.*\//, "")}`;
}

type Edit = { name: string; value: string } | null;

function Limits({ c, kind, own, onEdit }: { c: Credential; kind: string; own: boolean; onEdit?: (e: Edit) => void }) {
  const all = c.limits_in_force ?? [];
  if (!all.length) return <p className="quiet line">Nothing limits {own ? "you" : c.name === "DEFAULT" ? "them" : "it"}.</p>;
  return (
    <table className="list l-limits">
      <thead><tr><th>Limit</th><th>In use</th><th className="number">Holds up</th>{onEdit && <th><span className="sr">Change</span></th>}</tr></thead>
      <tbody>
        {all.map((l) => (
          <tr key={l.limit}>
            <td>{plain(l.limit)}<small className="quiet">{plain(whence(l, kind))}</small></td>
            <td><LimitBar l={l} /></td>
            <td className="number">{l.held ? count(l.held) : ""}</td>
            {onEdit && <td><button aria-label={`Change ${l.limit}`} onClick={() => onEdit({ name: l.limit, value: valueOf(l) })}>Change</button></td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ManagerLimits({ c }: { c: Credential }) {
  if (!c.manager_limits?.length) return null;
  return (
    <>
      <h3>Limits of the resource manager</h3>
      <ul className="plain-list">
        {c.manager_limits.map((q) => (
          <li key={q.name}>{plain(q.source)}, {plain(q.name)}{q.each ? `, each ${plain(q.each)}` : ""}: {q.limits.map((l) => `${plain(l.limit)}${l.used !== undefined ? ` (${count(l.used)} in use)` : ""}`).join(", ")}</li>
        ))}
      </ul>
    </>
  );
}

const ENTRY: Record<string, string> = { user: "USER", group: "GROUP", account: "ACCOUNT", class: "CLASS", qos: "QOS" };

/** Whom it may use, who may use it, and what is kept for it: links, with how they are related. */
function Relations({ c, kind }: { c: Credential; kind: string }) {
  const reservations = useMadeReservations();
  const admin = useLive((s) => (s.who?.level ?? 0) > 0);
  const to = (k: string, name: string) => (admin ? `/ui/credentials/${k}/${encodeURIComponent(name)}` : undefined);
  const word = ENTRY[kind];
  const rows: Relation[] = [
    ...(kind === "account" ? [] : [...new Set([...(c.account_default ? [c.account_default] : []), ...(c.account_list ?? [])])]).map((a) => ({ what: "account", name: a, how: a === c.account_default ? "has it where none is asked for" : "may ask for it", to: to("account", a), side: "right" as const })),
    ...[...new Set([...(c.qos_default ? [c.qos_default] : []), ...(c.qos_list ?? [])])].map((q) => ({ what: "QOS", name: q, how: q === c.qos_default ? "has it where none is asked for" : "may ask for it", to: to("qos", q), side: "right" as const })),
    ...[...new Set([...(c.partition_default ? [c.partition_default] : []), ...(c.partition_list ?? [])])].map((p) => ({ what: "partition", name: p, how: p === c.partition_default ? "is tried first" : "may use it", side: "right" as const })),
    ...(c.members ?? []).map((m) => { const [k, name] = [m.slice(0, m.indexOf(":")), m.slice(m.indexOf(":") + 1)]; return { what: k, name, how: "may use it", to: to(k, name), side: "left" as const }; }),
    ...(reservations ?? []).flatMap((r) => (r.acl ?? []).filter((a) => a.startsWith(`${word}==${c.name}`) && /^[-+=&~*:]*$/.test(a.slice(word.length + 2 + c.name.length))).map((a) => ({ what: "reservation", name: r.name ?? "", how: a.endsWith("*") ? "is required for it" : "may use it", to: `/ui/reservations?sel=${encodeURIComponent(r.name ?? "")}`, side: "right" as const }))),
    ...(reservations ?? []).filter((r) => r.owner === `${word}:${c.name}` || (r[kind as "user" | "group" | "account" | "qos"] as string | undefined) === c.name).map((r) => ({ what: "reservation", name: r.name ?? "", how: r.owner === `${word}:${c.name}` ? "owns it" : "is charged for it", to: `/ui/reservations?sel=${encodeURIComponent(r.name ?? "")}`, side: "right" as const })),
  ];
  if (!rows.length) return null;
  return (
    <>
      <h3>Relations</h3>
      <RelationsDrawing name={c.name} all={rows} />
      <table className="list" aria-label="Relations">
        <thead><tr><th>What</th><th>Name</th><th>How</th></tr></thead>
        <tbody>{rows.slice(0, 100).map((r, i) => <tr key={i}><td>{r.what === "qos" ? "QOS" : r.what}</td><td>{r.to ? <Link to={r.to}>{plain(r.name)}</Link> : plain(r.name)}</td><td>{r.how}</td></tr>)}</tbody>
      </table>
      {rows.length > 100 && <p className="quiet">and {count(rows.length - 100)} more</p>}
    </>
  );
}

export function CredentialPanel(props: { kind: string; name: string; c?: Credential; onClose?: () => void }) {
  const { kind, name, c } = props;
  const [edit, setEdit] = useState<Edit>(null);
  const may = useMaySet();
  const title = useRef<HTMLHeadingElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => title.current?.focus(), [name]);
  const section = `${SECTIONS[kind]}[${name}]`;
  const word = kindWord(kind);
  const current = edit && c?.limits_in_force?.find((l) => l.limit === edit.name);
  const end = () => {
    setEdit(null);
    bar.current?.querySelector("button")?.focus();
  };
  return (
    <aside className="panel panel-wide" aria-label={`${word} ${name}`} onKeyDown={(e) => { if (e.key === "Escape") props.onClose?.(); }}>
      {props.onClose && <button className="panel-close" onClick={props.onClose} aria-label="Close the panel">✕</button>}
      <h2 ref={title} tabIndex={-1}>{word === "QOS" ? word : word[0].toUpperCase() + word.slice(1)} {plain(name)}</h2>
      {!c && <p>Nobody knows {word} {plain(name)} here: no job and no line of the configuration has named it.</p>}
      {name === "DEFAULT" && <p className="quiet line">What holds for all that have no value of their own.</p>}
      {may && (
        <div className="actions" role="group" aria-label="Actions" ref={bar}>
          <button data-do="set" aria-expanded={edit?.name === ""} onClick={() => setEdit(edit?.name === "" ? null : { name: "", value: "" })}>Set something</button>
        </div>
      )}
      {edit && <SettingForm key={edit.name} section={section} name={edit.name} value={current ? valueOf(current) : edit.value} choices={choicesOf(kind)} hint="soft,hard as 4,8; -1: no limit" onEnd={end} />}
      {c && (
        <>
          <h3>Limits in force</h3>
          <Limits c={c} kind={kind} own={!props.onClose} onEdit={may ? setEdit : undefined} />
          <ManagerLimits c={c} />
          <h3>Settings</h3>
          <dl className="facts">
            <dt>Priority</dt><dd>{count(c.priority ?? 0)}</dd>
            <dt>Fairshare</dt><dd>{c.fs_usage !== undefined ? `${c.fs_usage.toFixed(2)} %` : "–"}{c.fs_target && !c.fs_target.startsWith("0.00") ? `, target ${plain(c.fs_target)} %` : ", no target"}{props.onClose && <> (<Link to={`/ui/fairshare?kind=${kind}`}>of all</Link>)</>}</dd>
            <dt>QOS</dt><dd>{plain((c.qos_list ?? []).join(", ")) || "the default one"}{c.qos_default ? `; ${plain(c.qos_default)} where none is asked for` : ""}</dd>
            <dt>Partitions</dt><dd>{plain((c.partition_list ?? []).join(", ")) || "all"}{c.partition_default ? `; ${plain(c.partition_default)} first` : ""}</dd>
            {c.flags && c.flags.length > 0 && <><dt>Flags</dt><dd>{plain(c.flags.join(", "))}</dd></>}
          </dl>
          {name !== "DEFAULT" && <UseOfCredential kind={kind} name={name} />}
          <Relations c={c} kind={kind} />
          <p className="line"><Link to={`/ui/jobs?q=${encodeURIComponent(`${kind}:${name}`)}`}>{props.onClose ? "Its jobs" : "Your jobs"}</Link></p>
        </>
      )}
      <Command line={`maui diagnose -${kind === "qos" ? "Q" : kind[0]} ${quote(name)}`} />
    </aside>
  );
}
