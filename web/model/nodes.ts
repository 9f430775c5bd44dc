// All nodes as rows of a table: ten thousand are read in a few milliseconds.
import { useMemo } from "react";
import { useAnswer } from "./live";

export interface NodeRow {
  name: string;
  state: string;
  expected: string;
  procs: number;
  used: number;
  load: number;
  jobs: number;
  reservations: number;
  mem: number;
  memUsed: number;
  partition: string;
  frame: number;
  slot: number;
  since: number;
}

const NAMES = ["name", "state", "expected_state", "procs", "procs_used", "load", "jobs", "reservations", "mem_mb", "mem_used_mb", "partition", "frame", "slot", "state_at"];

export function readNodes(text: string): NodeRow[] {
  const lines = text.split("\n");
  const place = new Map((lines[0] ?? "").split("\t").map((name, i) => [name, i]));
  const at = NAMES.map((n) => place.get(n) ?? -1);
  const rows: NodeRow[] = [];
  for (let i = 1; i < lines.length; i++) {
    if (!lines[i]) continue;
    const cells = lines[i].split("\t");
    const text = (k: number) => cells[at[k]] ?? "";
    const number = (k: number) => Number(cells[at[k]] ?? 0);
    rows.push({
      name: text(0), state: text(1), expected: text(2), procs: number(3), used: number(4), load: number(5), jobs: number(6), reservations: number(7),
      mem: number(8), memUsed: number(9), partition: text(10), frame: number(11), slot: number(12), since: number(13),
    });
  }
  return rows;
}

export function useNodes(): { rows: NodeRow[] | null; error?: string } {
  const answer = useAnswer("/v1/nodes?table=1", true);
  const rows = useMemo(() => (answer.text !== undefined ? readNodes(answer.text) : null), [answer.text]);
  return { rows, error: answer.error?.message };
}

export const isDown = (n: NodeRow) => /^(Down|Drained|Draining|Unknown|None|Flush)$/i.test(n.state);

/** What a map or a table colours by: how full (0 to 1; null: nothing to tell) and in which colour. */
export interface Shade {
  part: number;
  fill: "running" | "waiting" | "blocked" | "promised" | "idle" | "down";
  told: string;
}
export const KEYS: [string, string][] = [["use", "processors in use"], ["load", "load"], ["memory", "memory given to jobs"], ["jobs", "jobs"], ["reserved", "reservations"], ["differs", "states that differ from what is expected"]];

export function shadeOf(n: NodeRow, key: string): Shade {
  const share = (a: number, b: number) => (b > 0 ? Math.min(1, a / b) : 0);
  if (key === "differs") return n.state === n.expected ? { part: 0, fill: "idle", told: n.state } : { part: 1, fill: "blocked", told: `${n.state}, expected ${n.expected}` };
  if (isDown(n)) return { part: 1, fill: "down", told: n.state };
  if (key === "load") return { part: share(n.load, n.procs), fill: n.load > n.procs * 1.1 ? "blocked" : "running", told: `load ${n.load.toFixed(2)}` };
  if (key === "memory") return { part: share(n.memUsed, n.mem), fill: "running", told: `${n.memUsed} of ${n.mem} MB` };
  if (key === "jobs") return { part: share(n.jobs, n.procs), fill: "running", told: `${n.jobs} jobs` };
  if (key === "reserved") return { part: n.reservations ? 1 : 0, fill: "promised", told: `${n.reservations} reservations` };
  return { part: share(n.used, n.procs), fill: "running", told: `${n.used} of ${n.procs} processors` };
}
