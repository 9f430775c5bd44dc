// Who may use what, as a matrix: QOS of accounts, classes of nodes, and whom reservations
// are for. The same table is read by a screen reader, so a mark is a word.
import { useMemo } from "react";
import { readLines } from "../api/client";
import { count, plain } from "../model/format";
import { useMadeReservations } from "../model/lists";
import { useAnswer } from "../model/live";
import { go, useSearch, withQuery } from "../model/route";
import type { Credential, NodeRecord } from "../model/types";
import { Link } from "../parts/frame";

const VIEWS = [["qos", "QOS of accounts"], ["partitions", "Partitions of users"], ["accountpartitions", "Partitions of accounts"], ["classes", "Classes of nodes"], ["reservations", "Reservations"]] as const;
const SHOWN = 200;

type Cell = "yes" | "first" | "needed" | "not" | "";
const WORDS: Record<Cell, string> = { yes: "yes", first: "default", needed: "required", not: "all but", "": "–" };

/** How a list counts beside those of a job's other credentials (QLIST, PLIST with & or ^). */
const MODES: Record<string, string | undefined> = { and: "only what all lists have", excluded: "this list alone counts" };

interface Matrix {
  corner: string;
  columns: string[];
  rows: { name: string; to?: string; note?: string; cells: Cell[] }[];
}

function useRecords<T>(path: string | null): T[] | null {
  const answer = useAnswer(path, true);
  return useMemo(() => (answer.text ? readLines<T>(answer.text) : answer.error ? [] : null), [answer.text, answer.error]);
}

function Cells({ m, empty }: { m: Matrix; empty: string }) {
  if (!m.rows.length || !m.columns.length) return <p className="quiet">{empty}</p>;
  return (
    <div className="q-box c-box m-box">
      <table className="list m-table">
        <thead><tr><th>{m.corner}</th>{m.columns.map((c) => <th key={c} className="m-head">{plain(c)}</th>)}</tr></thead>
        <tbody>
          {m.rows.slice(0, SHOWN).map((r) => (
            <tr key={r.name}>
              <th scope="row">{r.to ? <Link to={r.to}>{plain(r.name)}</Link> : plain(r.name)}{r.note && <span className="tag">{plain(r.note)}</span>}</th>
              {r.cells.map((c, i) => <td key={i} className={c && c !== "not" ? "m-yes" : "m-no"}>{WORDS[c]}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {m.rows.length > SHOWN && <p className="quiet q-none">and {count(m.rows.length - SHOWN)} more</p>}
    </div>
  );
}

function Qos() {
  const accounts = useRecords<Credential>("/v1/credentials/account");
  const qos = useRecords<Credential>("/v1/credentials/qos");
  if (!accounts || !qos) return <p className="quiet">Loading …</p>;
  const columns = qos.map((q) => q.name).filter((n) => n !== "DEFAULT");
  const rows = accounts.map((a) => ({
    name: a.name,
    to: `/ui/credentials/account/${encodeURIComponent(a.name)}`,
    note: MODES[a.qos_list_mode ?? ""],
    cells: columns.map((q) => (a.qos_default === q ? "first" as const : (a.qos_list ?? []).includes(q) ? "yes" as const : "" as const)),
  }));
  return <Cells m={{ corner: "Account", columns, rows }} empty="There are no QOS, or no accounts. QOSCFG lines make the one, ACCOUNTCFG lines with QLIST the other." />;
}

/** PLIST and PDEF; a name without a list may use all. */
function Partitions({ kind }: { kind: "user" | "account" }) {
  const who = useRecords<Credential>(`/v1/credentials/${kind}`);
  const partitions = useRecords<{ name: string }>("/v1/partitions");
  const told = useMemo(() => (Array.isArray(partitions?.[0]) ? (partitions?.[0] as { name: string }[]) : partitions), [partitions]);
  if (!who || !told) return <p className="quiet">Loading …</p>;
  const columns = told.map((p) => p.name);
  const rows = who.map((a) => ({
    name: a.name,
    to: `/ui/credentials/${kind}/${encodeURIComponent(a.name)}`,
    note: !a.partition_list?.length ? "no list: all" : MODES[a.partition_list_mode ?? ""],
    cells: columns.map((p) => (a.partition_default === p ? "first" as const : !a.partition_list?.length || a.partition_list.includes(p) ? "yes" as const : "" as const)),
  }));
  return <Cells m={{ corner: kind === "user" ? "User" : "Account", columns, rows }} empty={`There are no ${kind}s yet. ${kind === "user" ? "USERCFG" : "ACCOUNTCFG"} lines with PLIST and PDEF tell who may use which partition.`} />;
}

/** Nodes that take the same classes are one row. */
function Classes() {
  const nodes = useRecords<NodeRecord>("/v1/nodes");
  const classes = useRecords<Credential>("/v1/credentials/class");
  if (!nodes || !classes) return <p className="quiet">Loading …</p>;
  const columns = classes.map((c) => c.name).filter((n) => n !== "DEFAULT");
  const alike = new Map<string, NodeRecord[]>();
  for (const n of nodes) {
    const key = (n.classes ?? []).map((c) => c.name).sort().join(" ");
    alike.set(key, [...(alike.get(key) ?? []), n]);
  }
  const rows = [...alike.values()].map((group) => ({
    name: group.length === 1 ? group[0].name : `${group[0].name} … ${group[group.length - 1].name}`,
    note: group.length === 1 ? undefined : `${count(group.length)} nodes`,
    cells: columns.map((c) => (!group[0].classes?.length || group[0].classes.some((k) => k.name === c) ? "yes" as const : "" as const)),
  }));
  return <Cells m={{ corner: "Nodes", columns, rows }} empty="There are no classes. CLASSCFG lines make them, or the queues of the resource manager." />;
}

/** USER==ann+*: of USER ann, who is required; USER!=eve: all but USER eve. */
const bare = (entry: string) => entry.replace(/[=+&~*:-]+$/, "").replace(/[!=]=/, " ");

function cellOf(entry: string | undefined): Cell {
  if (entry === undefined) return "";
  return entry.includes("!") ? "not" : entry.endsWith("*") ? "needed" : "yes";
}

function Reservations() {
  const mine = useMadeReservations();
  if (!mine) return <p className="quiet">Loading …</p>;
  const columns = [...new Set(mine.flatMap((r) => (r.acl ?? []).map(bare)))].sort();
  const rows = mine.map((r) => ({
    name: r.name ?? "",
    to: `/ui/reservations?sel=${encodeURIComponent(r.name ?? "")}`,
    note: r.acl?.length ? undefined : "for nobody",
    cells: columns.map((c) => cellOf((r.acl ?? []).filter((a) => bare(a) === c).pop())),
  }));
  return <Cells m={{ corner: "Reservation", columns, rows }} empty="There is no reservation besides those of jobs. setres makes one; SRCFG lines make standing ones." />;
}

export function Access() {
  const asked = new URLSearchParams(useSearch()).get("of") ?? "qos";
  const of = VIEWS.some(([k]) => k === asked) ? asked : "qos";
  return (
    <>
      <div className="q-bar">
        <label className="g-tool">Matrix
          <select value={of} onChange={(e) => go(withQuery({ of: e.target.value === "qos" ? null : e.target.value }), true)}>
            {VIEWS.map(([k, name]) => <option key={k} value={k}>{name}</option>)}
          </select>
        </label>
      </div>
      {of === "qos" ? <Qos /> : of === "partitions" ? <Partitions kind="user" /> : of === "accountpartitions" ? <Partitions kind="account" /> : of === "classes" ? <Classes /> : <Reservations />}
    </>
  );
}
