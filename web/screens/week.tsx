// A week of reservations, a column a day; of standing ones also what is wanted and not there.
import { useMemo } from "react";
import { clock, count, duration, plain, weekday, zoneName } from "../model/format";
import { hueOf } from "../model/hue";
import { usePrefs, type Zone } from "../model/prefs";
import { atWall, midnight, offsetAt } from "../model/times";
import { go, useSearch, withQuery } from "../model/route";
import { useStanding } from "../model/lists";
import type { Reservation, StandingRecord } from "../model/types";
import { Link, useNow } from "../parts/frame";

const DAY_S = 86400;
const HOUR_PX = 18;
const LANES_MAX = 8;
const LEAST_S = (14 / HOUR_PX) * 3600; // so low is a line of text
const MISSING: Record<string, string> = { released: "was released", missing: "has not been made" };
const PERIODS = { DAY: "day", WEEK: "week", INFINITY: "always" };

/** A reservation, or one that its SRCFG wants and that is not there. */
type Piece = Reservation & { missing?: string };

interface Block {
  r: Piece;
  from: number; // seconds of the day, as its clocks show them
  to: number;
  lane: number;
  lanes: number;
  goesOn: boolean; // it began on an earlier day
}

/** So far from the top of the day's column as its clocks say: when they are set a day has 23 hours, or 25. */
function wallOf(at: number, day: number, zone: Zone): number {
  return Math.min(DAY_S, Math.max(0, at + offsetAt(at, zone) - day - offsetAt(day, zone)));
}

/** The Monday at or before that midnight, both as their clocks show them. */
const mondayOf = (wall: number) => wall - ((wall / DAY_S + 3) % 7) * DAY_S;

/** Instances that are wanted and not there, as the scheduler tells. */
function missingOf(standing: StandingRecord[]): Piece[] {
  return standing.flatMap((s) => s.wanted.filter((w) => w.state !== "there").map((w) => ({
    name: `${s.name}, period ${w.slot}`, type: "Standing", standing: s.name, start_at: w.start_at, end_at: w.end_at, missing: w.state,
  })));
}

/** Those that overlap lie beside each other; none is so low that its name has no room. */
function blocksOf(all: Piece[], day: number, next: number, zone: Zone): Block[] {
  const blocks: Block[] = all
    .filter((r) => (r.start_at ?? 0) < next && (r.end_at ?? Infinity) > day)
    .map((r) => {
      const from = Math.min(wallOf(Math.max(day, r.start_at ?? day), day, zone), DAY_S - LEAST_S);
      const to = r.end_at && r.end_at < next ? wallOf(r.end_at, day, zone) : DAY_S;
      return { r, from, to: Math.max(to, from + LEAST_S), lane: 0, lanes: 1, goesOn: (r.start_at ?? 0) < day };
    })
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

function PieceBox({ b, day, next }: { b: Block; day: number; next: number }) {
  const { zone } = usePrefs();
  const { r } = b;
  if (r.missing)
    return (
      <span
        className="wk-piece wk-missing" role="note" tabIndex={0}
        title={`${plain(r.standing ?? "")}: this instance is wanted and ${MISSING[r.missing]}`}
        style={{ top: `${(b.from / 3600) * HOUR_PX}px`, height: `${((b.to - b.from) / 3600) * HOUR_PX - 1}px`, left: `${(100 * b.lane) / b.lanes}%`, width: `calc(${100 / b.lanes}% - 2px)` }}
      >
        <span className="wk-name">{plain(r.standing ?? "")}: {r.missing}</span>
      </span>
    );
  const short = (r.max_tasks ?? 0) > (r.tasks ?? 0) || !r.nodes;
  const hour = (at: number) => clock(Math.min(next, Math.max(day, at)), zone).slice(0, 5);
  const when = `${hour(r.start_at ?? day)} to ${r.end_at ? hour(r.end_at) : "no end"}`;
  const told = `${r.name}, ${when}, ${count(r.nodes ?? 0)} ${r.nodes === 1 ? "node" : "nodes"}${short ? `, ${count(r.tasks ?? 0)} of ${r.max_tasks ? count(r.max_tasks) : "all"} tasks found` : ""}`;
  return (
    <button
      className={`wk-piece${short ? " wk-short" : ""}${r.type === "Standing" ? " wk-standing" : ""}`}
      title={told} aria-label={told}
      style={{ top: `${(b.from / 3600) * HOUR_PX}px`, height: `${((b.to - b.from) / 3600) * HOUR_PX - 1}px`, left: `${(100 * b.lane) / b.lanes}%`, width: `calc(${100 / b.lanes}% - 2px)` }}
      onClick={() => go(withQuery({ sel: r.name ?? null }))}
    >
      <span className={`wk-tab ${hueOf(r.standing ?? r.name ?? "")}`} aria-hidden="true" />
      <span className="wk-name">{b.goesOn ? "… " : ""}{plain(r.name ?? "")}</span>
    </button>
  );
}

/** Of each standing one: what its line wants, and what was found of it. */
function Standing({ standing, all, from, to }: { standing: StandingRecord[]; all: Reservation[]; from: number; to: number }) {
  if (!standing.length) return null;
  return (
    <section className="card wk-standings" aria-label="Standing reservations">
      <h2>Standing reservations</h2>
      <table className="list">
        <thead><tr><th>SRCFG</th><th>Every</th><th>Days</th><th>From</th><th>To</th><th className="number">In this week</th><th className="number">There</th><th className="number">Tasks wanted</th><th className="number">Found, at least</th><th>Who may use it</th></tr></thead>
        <tbody>
          {standing.map((s) => {
            const list = all.filter((r) => r.type === "Standing" && r.standing === s.name);
            const here = list.filter((r) => (r.start_at ?? 0) < to && (r.end_at ?? Infinity) > from);
            const least = list.length ? Math.min(...list.map((r) => r.tasks ?? 0)) : 0;
            const there = s.wanted.filter((w) => w.state === "there").length;
            const bad = (is: boolean) => (is ? "number wk-bad" : "number");
            return (
              <tr key={s.name}>
                <td>{plain(s.name)}</td><td>{PERIODS[s.period]}</td><td>{s.period === "DAY" && s.times.days?.length ? s.times.days.join(" ") : "all"}</td>
                <td>{s.times.start_s !== undefined ? duration(s.times.start_s) : "begin"}</td><td>{s.times.end_s ? duration(s.times.end_s) : "end"}</td>
                <td className="number">{count(here.length)}</td><td className={bad(there < s.wanted.length)}>{count(there)} of {count(s.wanted.length)}</td>
                <td className="number">{s.max_tasks ? count(s.max_tasks) : "all"}</td><td className={bad(least < (s.max_tasks || 1))}>{list.length ? count(least) : ""}</td>
                <td>{s.acl.map(plain).join(", ") || <span className="quiet">nobody</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

export function Week({ all, wanted }: { all: Reservation[]; wanted: string[] }) {
  const told = useStanding();
  const now = useNow();
  const { zone } = usePrefs();
  const asked = new URLSearchParams(useSearch()).get("week") ?? "";
  const today = midnight(now, zone);
  const wall = today + offsetAt(today, zone); // days of its clocks are of one length
  const current = mondayOf(wall);
  const monday = /^\d+-\d\d-\d\d$/.test(asked) ? mondayOf(Date.parse(asked) / 1000) || current : current + (Number(asked) || 0) * 7 * DAY_S;
  const [days, end] = useMemo(() => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => atWall(monday + i * DAY_S, zone));
    return [all.slice(0, 7), all[7]];
  }, [monday, zoneName(zone)]);
  const standing = useMemo(() => told.filter((s) => wanted.every((w) => `${s.name} standing ${s.acl.join(" ")}`.toLowerCase().includes(w))), [told, wanted.join(" ")]);
  const columns = useMemo(() => {
    const pieces = [...all, ...missingOf(standing)];
    return days.map((d, i) => blocksOf(pieces, d, days[i + 1] ?? end, zone));
  }, [all, standing, days]);
  const show = (day: number) => go(withQuery({ week: day === current ? null : new Date(day * 1000).toISOString().slice(0, 10) }), true);
  return (
    <div className="q-box wk-box">
      <div className="wk-bar">
        <button onClick={() => show(monday - 7 * DAY_S)} aria-label="The week before">‹</button>
        <strong>{weekday(days[0], zone)} to {weekday(days[6], zone)}</strong>
        <button onClick={() => show(monday + 7 * DAY_S)} aria-label="The week after">›</button>
        {monday !== current && <button onClick={() => show(current)}>This week</button>}
        <span className="quiet">a broken frame: fewer tasks were found than are wanted; dotted: wanted, and not there</span>
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
                {shown.map((b) => <PieceBox key={b.r.name} b={b} day={d} next={days[i + 1] ?? end} />)}
                {now >= d && now < (days[i + 1] ?? end) && <span className="wk-now" style={{ top: `${(wallOf(now, d, zone) / 3600) * HOUR_PX}px` }} />}
              </div>
            </section>
          );
        })}
      </div>
      {!all.length && !standing.length && <p className="quiet q-none">There is no reservation besides those of jobs. <Link to="/ui/timeline">The timeline</Link> makes one.</p>}
      <Standing standing={standing} all={all} from={days[0]} to={end} />
    </div>
  );
}
