// The rows that the scheduler tells: their names, sizes and groups.
import type { Rows } from "../model/types";

export interface Group {
  name: string;
  first: number;
  count: number; // rows
  nodes: number; // of a folded one
}

export interface RowList {
  tag: string;
  n: number;
  nodes: number; // in all of them
  name: (row: number) => string;
  procs: Uint32Array;
  folded: Uint8Array; // 1: a group that is one row
  groups: Group[];
}

type Run = { prefix?: string; from?: number; width?: number; count?: number };

export function readRows(text: string): RowList {
  const told = JSON.parse(text) as Rows;
  const n = told.rows ?? 0;
  const starts: number[] = [];
  const names = (told.names ?? []) as (string | Run)[];
  let at = 0;
  for (const name of names) {
    starts.push(at);
    at += typeof name === "string" ? 1 : name.count ?? 0;
  }
  const procs = new Uint32Array(n);
  for (const k of told.kinds ?? []) procs.fill(k.procs ?? 0, k.first ?? 0, (k.first ?? 0) + (k.count ?? 0));
  const groups = (told.groups ?? []).map((g) => ({ name: g.name ?? "", first: g.first ?? 0, count: g.count ?? 0, nodes: g.folded ?? 0 }));
  const folded = new Uint8Array(n);
  for (const g of groups) if (g.nodes) folded[g.first] = 1;
  return {
    tag: told.tag ?? "",
    n,
    nodes: groups.reduce((sum, g) => sum + (g.nodes || g.count), 0),
    procs,
    folded,
    groups,
    name: (row) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const mid = (low + high + 1) >> 1;
        if (starts[mid] <= row) low = mid;
        else high = mid - 1;
      }
      const found = names[low];
      if (found === undefined || typeof found === "string") return found ?? "";
      return (found.prefix ?? "") + String((found.from ?? 0) + row - starts[low]).padStart(found.width ?? 0, "0");
    },
  };
}

const NAMED_MAX = 8; // one by one, where no range says it

/** The rows as a host expression that means them and no others. */
export function hostsOf(rows: RowList, first: number, last: number): string {
  if (first === 0 && last === rows.n - 1) return "ALL";
  const names = Array.from({ length: last - first + 1 }, (_, i) => rows.name(first + i));
  const [a, b] = [/^(.*?)(\d+)$/.exec(names[0]), /^(.*?)(\d+)$/.exec(names[names.length - 1])];
  // Of one digit it would be a pattern, which is found in other names too.
  const follow = a && b && a[1] === b[1] && a[2].length > 1 && a[2].length === b[2].length
    && names.every((name, i) => name === a[1] + String(Number(a[2]) + i).padStart(a[2].length, "0"));
  if (!follow || names.length <= NAMED_MAX) return names.join(",");
  return `${a[1]}[${a[2]}-${b[2]}]`;
}
