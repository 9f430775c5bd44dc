// A week of reservations, a column a day; of standing ones also what is wanted and was not found.
import { useMemo } from "react";
import { clock, count, duration, plain, weekday } from "../model/format";
import { hueOf } from "../model/hue";
import { usePrefs, type Zone } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import type { Reservation } from "../model/types";
import { Link, useNow } from "../parts/frame";

const DAY_S = 86400;
const HOUR_PX = 18;
const LANES_MAX = 8;

interface Block {
  r: Reservation;
  missing?: boolean; // wanted by its SRCFG, and not there: it was released
  from: number; // seconds of the day
  to: number;
  lane: number;
  lanes: number;
  goesOn: boolean; // it began on an earlier day
}

/** Midnight of that day, as the chosen zone has it. */
function midnight(at: number, zone: Zone): number {
  if (zone === "UTC") return Math.floor(at / DAY_S) * DAY_S;
  const d = new Date(at * 1000);
  return Math.floor(new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime() / 1000);
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Instances between others of their SRCFG that are not there: a period has a number (slot),
 * and one that is left out, on a day that is wanted, was released. */
export function missingOf(all: Reservation[], dayOf: (at: number) => number): Reservation[] {
  const by = new Map<string, Reservation[]>();
  for (const r of all) if (r.type === "Standing" && r.standing && r.slot !== undefined) by.set(r.standing, [...(by.get(r.standing) ?? []), r]);
  const found: Reservation[] = [];
  for (const [name, list] of by) {
    const there = [...list].sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0));
    const last = there[there.length - 1];
    const t = last.standing_times;
    if (!there.length || !(last.slot ?? 0) || t?.start_s === undefined) continue;
    // the first may have begun late in its period: the last two tell how long one is
    const before = there[there.length - 2];
    const step = before && (before.slot ?? 0) > 0 ? ((last.start_at ?? 0) - (before.start_at ?? 0)) / ((last.slot ?? 0) - (before.slot ?? 0)) : DAY_S;
    const period = step > 4 * DAY_S ? 7 * DAY_S : DAY_S;
    for (let slot = 0; slot < (last.slot ?? 0); slot++) {
      if (there.some((r) => r.slot === slot)) continue;
      const start = (last.start_at ?? 0) - ((last.slot ?? 0) - slot) * period;
      const length = (last.end_at ?? last.start_at ?? 0) - (last.start_at ?? 0);
      if (t.days?.length && period === DAY_S && !t.days.includes(DAYS[dayOf(start)])) continue;
      found.push({ ...last, name: `${name}, period ${slot}`, start_at: start, end_at: start + length, nodes: 0, tasks: 0, slot });
    }
  }
  return found;
}

/** Those that overlap lie beside each other. */
function blocksOf(all: Reservation[], from: number, to: number): Block[] {
  const blocks: Block[] = all
    .filter((r) => (r.start_at ?? 0) < to && (r.end_at ?? Infinity) > from)
    .map((r) => ({ r, from: Math.max(0, (r.start_at ?? from) - from), to: Math.min(to - from, (r.end_at ?? to) - from), lane: 0, lanes: 1, goesOn: (r.start_at ?? 0) < from }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  let group: Block[] = [];
  let ends: number[] = [];
  const close = () => {
    for (const b of group) b.lanes = ends.length;
    group = [];
    ends = [];
  };
  for (const b of blocks) {
    if (group.length && ends.every((e) => e <= b.from)) close();
    const free = ends.findIndex((e) => e <= b.from);
    b.lane = free >= 0 ? free : ends.length;
    ends[b.lane] = b.to;
    group.push(b);
  }
  close();
  return blocks;
}

function Piece({ b, day }: { b: Block; day: number }) {
  const { zone } = usePrefs();
  const { r } = b;
  if (b.missing)
    return (
      <span
        className="wk-piece wk-missing" role="note" tabIndex={0}
        title={`${plain(r.standing ?? "")}: this instance is wanted and is not there: it was released`}
        style={{ top: `${(b.from / 3600) * HOUR_PX}px`, height: `${Math.max(14, ((b.to - b.from) / 3600) * HOUR_PX - 1)}px`, left: `${(100 * b.lane) / b.lanes}%`, width: `calc(${100 / b.lanes}% - 2px)` }}
      >
        <span className="wk-name">{plain(r.standing ?? "")}: released</span>
      </span>
    );
  const short = (r.max_tasks ?? 0) > (r.tasks ?? 0) || !r.nodes;
  const when = `${clock(day + b.from, zone).slice(0, 5)} to ${r.end_at ? clock(day + b.to, zone).slice(0, 5) : "no end"}`;
  const told = `${r.name}, ${when}, ${count(r.nodes ?? 0)} ${r.nodes === 1 ? "node" : "nodes"}${short ? `, ${count(r.tasks ?? 0)} of ${r.max_tasks ? count(r.max_tasks) : "all"} tasks found` : ""}`;
  return (
    <button
      className={`wk-piece${short ? " wk-short" : ""}${r.type === "Standing" ? " wk-standing" : ""}`}
      title={told} aria-label={told}
      style={{ top: `${(b.from / 3600) * HOUR_PX}px`, height: `${Math.max(14, ((b.to - b.from) / 3600) * HOUR_PX - 1)}px`, left: `${(100 * b.lane) / b.lanes}%`, width: `calc(${100 / b.lanes}% - 2px)` }}
      onClick={() => go(withQuery({ sel: r.name ?? null }))}
    >
      <span className={`wk-tab ${hueOf(r.standing ?? r.name ?? "")}`} aria-hidden="true" />
      <span className="wk-name">{b.goesOn ? "… " : ""}{plain(r.name ?? "")}</span>
    </button>
  );
}

/** Of each standing one: what its line wants, and what was found of it in these days. */
function Standing({ all, from, to }: { all: Reservation[]; from: number; to: number }) {
  const rows = useMemo(() => {
    const by = new Map<string, Reservation[]>();
    for (const r of all) if (r.type === "Standing" && r.standing) by.set(r.standing, [...(by.get(r.standing) ?? []), r]);
    return [...by].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  }, [all]);
  if (!rows.length) return null;
  return (
    <section className="card wk-standings" aria-label="Standing reservations">
      <h2>Standing reservations</h2>
      <table className="list">
        <thead><tr><th>SRCFG</th><th>Days</th><th>From</th><th>To</th><th className="number">In this week</th><th className="number">Tasks wanted</th><th className="number">Found, at least</th><th>Who may use it</th></tr></thead>
        <tbody>
          {rows.map(([name, list]) => {
            const t = list[0].standing_times;
            const here = list.filter((r) => (r.start_at ?? 0) < to && (r.end_at ?? Infinity) > from);
            const least = Math.min(...list.map((r) => r.tasks ?? 0));
            const want = list[0].max_tasks ?? 0;
            return (
              <tr key={name} className={(want && least < want) || !least ? "wk-trouble" : undefined}>
                <td>{plain(name)}</td><td>{t?.days?.length ? t.days.join(" ") : "all"}</td>
                <td>{t?.start_s !== undefined ? duration(t.start_s) : "begin"}</td><td>{t?.end_s ? duration(t.end_s) : "end"}</td>
                <td className="number">{count(here.length)}</td><td className="number">{want ? count(want) : "all"}</td><td className="number">{count(least)}</td>
                <td>{(list[0].acl ?? []).map(plain).join(", ") || <span className="quiet">nobody</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

export function Week({ all }: { all: Reservation[] }) {
  const now = useNow();
  const { zone } = usePrefs();
  const week = Number(new URLSearchParams(useSearch()).get("week") ?? 0) || 0;
  const today = midnight(now, zone);
  const noon = new Date((today + DAY_S / 2) * 1000);
  const day = zone === "UTC" ? noon.getUTCDay() : noon.getDay();
  const monday = midnight(today - ((day + 6) % 7) * DAY_S + DAY_S / 2, zone) + week * 7 * DAY_S;
  const days = [0, 1, 2, 3, 4, 5, 6].map((i) => midnight(monday + i * DAY_S + 12 * 3600, zone));
  const end = midnight(monday + 7 * DAY_S + 12 * 3600, zone);
  const missing = useMemo(() => new Set(missingOf(all, (at) => (zone === "UTC" ? new Date(at * 1000).getUTCDay() : new Date(at * 1000).getDay())).filter((r) => (r.end_at ?? 0) > now)), [all, zone, Math.floor(now / 600)]);
  const columns = useMemo(
    () => days.map((d, i) => blocksOf([...all, ...missing], d, days[i + 1] ?? end).map((b) => (missing.has(b.r) ? { ...b, missing: true } : b))),
    [all, missing, days.join()],
  );
  const move = (by: number) => go(withQuery({ week: week + by ? String(week + by) : null }), true);
  return (
    <div className="q-box wk-box">
      <div className="wk-bar">
        <button onClick={() => move(-1)} aria-label="The week before">‹</button>
        <strong>{weekday(days[0], zone)} to {weekday(days[6], zone)}</strong>
        <button onClick={() => move(1)} aria-label="The week after">›</button>
        {week !== 0 && <button onClick={() => move(-week)}>This week</button>}
        <span className="quiet">a broken frame: fewer tasks were found than are wanted; dotted: wanted, and released</span>
      </div>
      <div className="wk-grid" role="group" aria-label="The week">
        <div className="wk-hours" aria-hidden="true">{[0, 3, 6, 9, 12, 15, 18, 21].map((h) => <span key={h} style={{ top: `${h * HOUR_PX}px` }}>{String(h).padStart(2, "0")}:00</span>)}</div>
        {days.map((d, i) => {
          const blocks = columns[i];
          const more = blocks.filter((b) => b.lane >= LANES_MAX).length;
          const shown = blocks.filter((b) => b.lane < LANES_MAX).map((b) => ({ ...b, lanes: Math.min(b.lanes, LANES_MAX) }));
          return (
            <section key={d} className={now >= d && now < (days[i + 1] ?? end) ? "wk-day wk-today" : "wk-day"} aria-label={weekday(d, zone)}>
              <h2>{weekday(d, zone)}{more > 0 && <span className="quiet"> +{count(more)}</span>}</h2>
              <div className="wk-column" style={{ height: `${24 * HOUR_PX}px` }}>
                {shown.map((b) => <Piece key={b.r.name} b={b} day={d} />)}
                {now >= d && now < (days[i + 1] ?? end) && <span className="wk-now" style={{ top: `${((now - d) / 3600) * HOUR_PX}px` }} />}
              </div>
            </section>
          );
        })}
      </div>
      {!all.length && <p className="quiet q-none">There is no reservation besides those of jobs. <Link to="/ui/timeline">The timeline</Link> makes one.</p>}
      <Standing all={all} from={days[0]} to={end} />
    </div>
  );
}
