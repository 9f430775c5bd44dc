// Groups of rows: each may be folded into one row, with the sums of its nodes.
import type { Group, RowList } from "../gantt/rows";
import { count, plain } from "../model/format";
import { notice } from "../model/notices";
import { go, withQuery } from "../model/route";

const LISTED = 200;
const FOLD_MAX = 4096; // bytes that the scheduler reads

/** As the address and the scheduler have it: names with | between them, * of all. */
function foldOf(groups: Group[], folds: (g: Group) => boolean): string | null {
  const names = groups.filter(folds).map((g) => g.name);
  return !names.length ? null : names.length === groups.length ? "*" : names.join("|");
}

/** As the address says: rows that were asked for with it may be on their way. */
function isFolded(g: Group): boolean {
  const fold = new URLSearchParams(location.search).get("fold") ?? "";
  return fold === "*" || fold.split("|").includes(g.name);
}

/** Rows count otherwise then: which were in sight is forgotten. */
function setFold(fold: string | null): void {
  if (fold && new TextEncoder().encode(fold).length > FOLD_MAX)
    notice({ kind: "wrong", text: "The names of so many groups are too long: fold all of them, or fewer." });
  else go(withQuery({ fold, rows: null }), true);
}

export function foldAll(rows: RowList | null, folds: boolean): void {
  if (rows) setFold(foldOf(rows.groups, () => folds));
}

export function toggleGroup(rows: RowList | null, group: Group | null): void {
  if (rows && group) setFold(foldOf(rows.groups, (g) => (g.name === group.name ? !isFolded(g) : isFolded(g))));
}

export function groupAt(rows: RowList | null, row: number): Group | null {
  return rows?.groups.find((g) => row >= g.first && row < g.first + g.count) ?? null;
}

export function Groups({ rows }: { rows: RowList | null }) {
  if (!rows || (rows.groups.length < 2 && !rows.groups.some((g) => g.nodes))) return null;
  return (
    <details className="menu">
      <summary>Groups</summary>
      <div className="menu-body g-groups">
        <span className="g-buttons">
          <button onClick={() => foldAll(rows, true)}>Fold all</button>
          <button onClick={() => foldAll(rows, false)}>Unfold all</button>
        </span>
        {rows.groups.slice(0, LISTED).map((g) => (
          <label key={g.name} className="menu-check">
            <input type="checkbox" checked={!isFolded(g)} onChange={() => toggleGroup(rows, g)} />
            <span>{plain(g.name)} <span className="quiet">{count(g.nodes || g.count)}</span></span>
          </label>
        ))}
        {rows.groups.length > LISTED && <p className="quiet">and {count(rows.groups.length - LISTED)} more</p>}
      </div>
    </details>
  );
}
