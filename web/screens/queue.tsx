// The queue: as many rows as there are jobs, of which only those in sight are asked for.
import { useEffect, useMemo, useRef, useState, type CSSProperties, type KeyboardEvent } from "react";
import { count } from "../model/format";
import { ask, readLines } from "../api/client";
import { useJobs, type JobList } from "../model/lists";
import { usePrefs } from "../model/prefs";
import { go, useSearch, withQuery } from "../model/route";
import type { JobBrief } from "../model/types";
import type { Subject } from "../model/orders";
import { useMayChange } from "../parts/actions";
import { Filter } from "../parts/filter";
import { useNow } from "../parts/frame";
import { ChosenPanel, NEEDED, type Chosen } from "./chosen";
import { COLUMNS, USUAL, type Column } from "./columns";
import { FitLink } from "./fit";
import { JobPanel } from "./job";
import { useWindow } from "../parts/insight";
import { ROW_PX, Row, type Hands } from "./queue_rows";

const CHOSEN_MAX = 5000; // that one order may be about

/** The last list that came, while the next one is on its way; not put in another order
 * under somebody's hand. */
function useKept(list: JobList, key: string, offset: number, held: boolean) {
  const kept = useRef<{ list: JobList; key: string; offset: number }>();
  const ids = (l: JobList) => l.jobs.map((j) => j.id).join(" ");
  if (list.loaded) {
    const old = kept.current;
    const moved = old && old.list !== list && old.key === key && old.offset === offset && ids(old.list) !== ids(list);
    if (!old || !held || !moved) kept.current = { list, key, offset };
    else {
      const fresh = new Map(list.jobs.map((j) => [j.id, j]));
      const jobs = old.list.jobs.map((j) => fresh.get(j.id) ?? j);
      return { shown: { ...old.list, jobs }, offset: old.offset, waiting: true };
    }
  }
  return { shown: kept.current?.list ?? list, offset: kept.current?.offset ?? offset, waiting: false };
}

function ChooseColumns({ chosen }: { chosen: string[] }) {
  return (
    <details className="menu">
      <summary>Columns</summary>
      <div className="menu-body menu-columns">
        {COLUMNS.map((c) => (
          <label key={c.key} className="menu-check">
            <input
              type="checkbox"
              checked={chosen.includes(c.key)}
              onChange={(e) => {
                const keys = COLUMNS.map((k) => k.key).filter((k) => (k === c.key ? e.target.checked : chosen.includes(k)));
                go(withQuery({ cols: keys.join() === USUAL.join() ? null : keys.join() }), true);
              }}
            />
            {c.name}
          </label>
        ))}
      </div>
    </details>
  );
}

/** Jobs that were chosen, for several at once; as they are now, where they are in sight. */
function useChosen(jobs: JobBrief[], q: string) {
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const anchor = useRef<string>("");
  useEffect(() => setChosen(new Map()), [q]);
  const fresh = useMemo(() => {
    const seen = new Map(jobs.map((j) => [j.id, j as Subject]));
    return new Map([...chosen].map(([id, j]) => [id, { ...j, ...seen.get(id) }] as const));
  }, [chosen, jobs]);
  return {
    chosen: fresh,
    clear: () => setChosen(new Map()),
    put: (all: Subject[]) => setChosen(new Map(all.map((j) => [j.id, j] as const))),
    toggle: (j: JobBrief | undefined) => {
      if (!j) return;
      anchor.current = j.id;
      setChosen((old) => {
        const next = new Map(old);
        if (!next.delete(j.id) && next.size < CHOSEN_MAX) next.set(j.id, j as Subject);
        return next;
      });
    },
    /** From the last one that was chosen to this, as far as the list has been loaded. */
    reach: (j: JobBrief) => {
      const [a, b] = [jobs.findIndex((k) => k.id === anchor.current), jobs.indexOf(j)];
      const all = a < 0 ? [j] : jobs.slice(Math.min(a, b), Math.max(a, b) + 1);
      setChosen((old) => new Map([...old, ...all.map((k) => [k.id, k as Subject] as const)]));
    },
  };
}

function acrossOf(columns: Column[], marks: boolean): CSSProperties {
  const least = columns.reduce((sum, c) => sum + Number(/[\d.]+/.exec(c.width)?.[0]) + 0.9, marks ? 2.9 : 0.9);
  return { gridTemplateColumns: (marks ? "1.1rem " : "") + columns.map((c) => c.width).join(" "), minWidth: `${least}rem` };
}

function Heading(props: { columns: Column[]; sort: string; across: CSSProperties; marks: boolean }) {
  return (
    <div className="q-head q-row" role="row" style={props.across}>
      {props.marks && <span role="columnheader"><span className="sr">Chosen</span></span>}
      {props.columns.map((c) => {
        const mine = c.sort && props.sort.replace("-", "") === c.sort;
        const down = mine && props.sort.startsWith("-");
        const next = !mine ? (c.number ? `-${c.sort}` : c.sort ?? "") : down === Boolean(c.number) ? (down ? c.sort ?? "" : `-${c.sort}`) : "";
        return (
          <span key={c.key} role="columnheader" className={c.number ? "number" : ""} aria-sort={mine ? (down ? "descending" : "ascending") : undefined}>
            {c.sort ? (
              <button className="q-sort" onClick={() => go(withQuery({ sort: next || null }), true)}>
                {c.name}{mine ? (down ? " ↓" : " ↑") : ""}
              </button>
            ) : c.name}
          </span>
        );
      })}
    </div>
  );
}

export function Queue() {
  const query = new URLSearchParams(useSearch());
  const q = query.get("q") ?? "";
  const sort = query.get("sort") ?? "";
  const sel = query.get("sel");
  const keys = query.get("cols")?.split(",") ?? USUAL;
  const columns = useMemo(() => COLUMNS.filter((c) => keys.includes(c.key)), [keys.join()]);
  const fields = [...new Set(["id", ...NEEDED, ...columns.flatMap((c) => c.fields)])].join();
  const { box, first, last, offset, limit, see } = useWindow(ROW_PX);
  const [held, setHeld] = useState(false);
  const [cursor, setCursor] = useState(0);
  const now = useNow();
  const { zone } = usePrefs();
  const asked: Record<string, string> = { fields, limit: String(limit), offset: String(offset) };
  if (q) asked.q = q;
  if (sort) asked.sort = sort;
  const list = useJobs(asked);
  const key = `${q} ${sort} ${fields}`;
  const { shown, offset: from, waiting } = useKept(list, key, offset, held);
  const total = shown.summary?.total ?? 0;
  const may = useMayChange();
  const picked = useChosen(shown.jobs, q);
  const several = picked.chosen.size > 0;
  const across = useMemo(() => acrossOf(columns, may), [columns, may]);
  const acts = useRef<Hands>();
  const hands = useMemo<Hands>(() => ({ open: (...of) => acts.current?.open(...of), mark: (...of) => acts.current?.mark(...of) }), []);
  const brief = useMemo(() => shown.jobs.find((j) => j.id === sel), [shown, sel]);

  useEffect(() => {
    setCursor(0);
    if (box.current) box.current.scrollTop = 0;
  }, [q, sort]);

  function moveTo(index: number) {
    const to = Math.max(0, Math.min(total - 1, index));
    setCursor(to);
    const b = box.current;
    if (!b) return;
    const head = ROW_PX + 4;
    if (to * ROW_PX < b.scrollTop) b.scrollTop = to * ROW_PX;
    if ((to + 1) * ROW_PX > b.scrollTop + b.clientHeight - head) b.scrollTop = (to + 1) * ROW_PX - b.clientHeight + head;
  }
  function open(j: JobBrief | undefined) {
    if (j?.id) go(withQuery({ sel: j.id }), Boolean(sel));
  }
  async function chooseAll() {
    const query = new URLSearchParams({ fields: ["id", ...NEEDED, "procs"].join(), limit: String(CHOSEN_MAX), ...(q ? { q } : {}) });
    const lines = readLines<JobBrief>(await ask("GET", `/v1/jobs?${query}`));
    picked.put(lines.filter((j) => j.id) as Subject[]);
  }
  function read(e: KeyboardEvent & { shiftKey?: boolean }) {
    const page = Math.floor((box.current?.clientHeight ?? 0) / ROW_PX) - 2;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
    if (e.key in steps) {
      if (e.shiftKey && may && !several) picked.toggle(shown.jobs[cursor - from]);
      moveTo(cursor + steps[e.key]);
      const to = shown.jobs[Math.max(0, Math.min(total - 1, cursor + steps[e.key])) - from];
      if (e.shiftKey && may && to) picked.reach(to);
    } else if (e.key === "x" && may && e.target === e.currentTarget) picked.toggle(shown.jobs[cursor - from]);
    else if (e.key === "Enter" && e.target === e.currentTarget) open(shown.jobs[cursor - from]);
    else if (e.key === "Escape" && several) picked.clear();
    else if (e.key === "Escape") go(withQuery({ sel: null }), true);
    else return;
    e.preventDefault();
  }

  // What rows call is of the last time that this was drawn.
  acts.current = {
    open: (j, index, keys) => {
      setCursor(index);
      if (may && keys.shiftKey) picked.reach(j);
      else if (may && (keys.ctrlKey || keys.metaKey)) picked.toggle(j);
      else open(j);
    },
    mark: (j, index) => {
      setCursor(index);
      picked.toggle(j);
    },
  };

  return (
    <div className={sel || several ? "split split-open" : "split"}>
      <div className="split-main">
        <div className="q-bar">
          <h1>Queue</h1>
          <Filter error={list.error} />
          <span className="quiet q-count" role="status">
            {list.error ? "" : !list.loaded && !shown.summary ? "Loading …" : `${count(total)} ${total === 1 ? "job" : "jobs"}`}
          </span>
          {waiting && <button onClick={() => setHeld(false)}>The order has changed: show</button>}
          {may && several && total > picked.chosen.size && total <= CHOSEN_MAX && (
            <button onClick={() => void chooseAll()}>Choose all {count(total)}</button>
          )}
          <FitLink />
          <ChooseColumns chosen={keys} />
        </div>
        <div
          ref={box}
          id="rows"
          className="q-box"
          role="grid"
          aria-label="Jobs"
          aria-rowcount={total + 1}
          aria-multiselectable={may}
          aria-activedescendant={shown.jobs[cursor - from] ? `row-${cursor}` : undefined}
          tabIndex={0}
          onScroll={see}
          onKeyDown={read}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
        >
          <Heading columns={columns} sort={sort} across={across} marks={may} />
          <div className="q-rows" style={{ height: total * ROW_PX, minWidth: across.minWidth }}>
            {shown.jobs.slice(Math.max(0, first - from), Math.max(0, last - from)).map((j, i) => {
              const index = Math.max(first, from) + i;
              return (
                <Row
                  key={j.id} job={j} index={index} cursor={index === cursor} open={j.id === sel} marked={picked.chosen.has(j.id)}
                  marks={may} columns={columns} across={across} now={now} zone={zone} hands={hands}
                />
              );
            })}
          </div>
          {list.loaded && !list.error && total === 0 && (
            <p className="quiet q-none">
              {q ? "No job matches." : <>There are no jobs. <code>msub -l nodes=1,walltime=1:00:00 SCRIPT</code> submits one.</>}
            </p>
          )}
        </div>
      </div>
      {several ? <ChosenPanel chosen={picked.chosen} onClear={picked.clear} onDrop={(id) => picked.toggle(picked.chosen.get(id))} />
        : sel && <JobPanel id={sel} brief={brief} />}
    </div>
  );
}
