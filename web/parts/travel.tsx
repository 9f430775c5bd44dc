// Time travel: the control in the bar, and the strip below it while the past is shown.
import { useEffect, useState } from "react";
import { clock, count, duration, plain, weekday, zoneName } from "../model/format";
import { useLive } from "../model/live";
import { kept, nextAbout, play, stepCycles, travelBySeconds, travelTo, usePast } from "../model/past";
import { usePrefs, type Zone } from "../model/prefs";
import { go, jobAddress, useSearch } from "../model/route";
import { atWall, offsetAt } from "../model/times";
import type { Past } from "../model/types";

const SPEEDS = [1, 60, 600, 3600];
const HOUR_S = 3600;
const REST_MS = 250; // the slider is still moved
const SHOWN = 12; // decisions

/** Back by an hour, or half of what is kept: there something may have been. */
export async function beginPast(now: number): Promise<void> {
  const { oldest_at: oldest } = await kept();
  if (oldest) travelTo(Math.max(Math.ceil((oldest + now) / 2), now - HOUR_S));
}

export function TravelButton({ now }: { now: number }) {
  const mode = useLive((s) => s.who?.mode);
  const { at } = usePast();
  if (mode === "SIMULATION") return null;
  return (
    <button
      id="travel"
      className="travel-button"
      aria-pressed={at !== null}
      title={at === null ? "See the page as it was (b)" : "Back to the present (b)"}
      onClick={() => (at === null ? void beginPast(now) : travelTo(null))}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 2a8 8 0 11-7.5 5.2l1.9.7A6 6 0 1010 4H8v2.5L4 3.2 8 0v2zM9 6h2v4.2l3 1.8-1 1.7-4-2.4z" /></svg>
      {at === null ? "Past" : "To the present"}
    </button>
  );
}

/** As an input of the browser has it, in that zone. */
function localText(at: number, zone: Zone): string {
  return new Date((at + offsetAt(at, zone)) * 1000).toISOString().slice(0, 19);
}

function localRead(text: string, zone: Zone): number | null {
  const wall = Date.parse(`${text}Z`);
  return Number.isFinite(wall) ? atWall(Math.floor(wall / 1000), zone) : null;
}

function Slider({ at, from, to, zone }: { at: number; from: number; to: number; zone: Zone }) {
  const [held, setHeld] = useState<number | null>(null);
  useEffect(() => {
    if (held === null) return undefined;
    const timer = window.setTimeout(() => {
      travelTo(held);
      setHeld(null);
    }, REST_MS);
    return () => window.clearTimeout(timer);
  }, [held]);
  const shown = held ?? at;
  return (
    <label className="travel-slider">
      <span className="sr">Instant that is shown</span>
      <input
        id="travel-slider"
        type="range"
        min={from}
        max={Math.max(from + 1, to)}
        step={Math.max(1, Math.round((to - from) / 2000))}
        value={shown}
        aria-valuetext={`${weekday(shown, zone)} ${clock(shown, zone)}`}
        onChange={(e) => setHeld(Number(e.target.value))}
      />
      <span className="travel-ends quiet">
        <span>{weekday(from, zone)} {clock(from, zone).slice(0, 5)}</span>
        <span>now</span>
      </span>
    </label>
  );
}

function Decided() {
  const { view } = usePast();
  if (!view) return null;
  const all = view.decided;
  return (
    <p className="travel-decided" aria-label="What the cycle decided">
      <span className="quiet">In this cycle:</span>{" "}
      {!all.length && <span className="quiet">nothing was decided</span>}
      {all.slice(0, SHOWN).map((d, i) => (
        <span key={i} title={plain(d.text)} className="travel-decision">
          {plain(d.what)}{" "}
          {d.job && <a href={jobAddress(d.job)} onClick={(e) => { e.preventDefault(); go(jobAddress(d.job ?? "")); }}>{plain(d.job)}</a>}
        </span>
      ))}
      {all.length > SHOWN && <span className="quiet">and {count(all.length - SHOWN)} more</span>}
    </p>
  );
}

/** Below the bar, in all screens. */
export function TravelStrip({ now }: { now: number }) {
  const { at, view, error, busy, speed } = usePast();
  const { zone } = usePrefs();
  const [span, setSpan] = useState<Past | null>(null);
  const sel = new URLSearchParams(useSearch()).get("sel");
  const kind = new URLSearchParams(useSearch()).get("kind");
  const there = at !== null;
  useEffect(() => {
    if (there) kept().then(setSpan, () => setSpan(null));
  }, [there]);
  if (at === null) return null;
  const shown = view?.at ?? at;
  const to = view?.newest_at ?? span?.newest_at ?? now;
  const from = view?.oldest_at ?? span?.oldest_at ?? Math.min(at, to - HOUR_S);
  return (
    <section className="travel" aria-label="Time travel">
      <p className="travel-as" role="status">
        <strong>As of {weekday(shown, zone)} {clock(shown, zone)}</strong>{" "}
        <span>{zoneName(zone)}, {duration(Math.max(0, to - shown))} ago{busy ? "; on the way …" : ""}</span>
      </p>
      <Slider at={at} from={from} to={to} zone={zone} />
      <div className="travel-tools" role="group" aria-label="Where to">
        <input
          type="datetime-local"
          step="1"
          aria-label={`Day and time, ${zoneName(zone)}`}
          value={localText(at, zone)}
          max={localText(to, zone)}
          onChange={(e) => {
            const t = localRead(e.target.value, zone);
            if (t !== null && t > 0 && t <= to) travelTo(t);
          }}
        />
        <button onClick={() => travelBySeconds(-HOUR_S)}>−1 h</button>
        <button onClick={() => travelBySeconds(-60)}>−1 min</button>
        <button onClick={() => travelBySeconds(60)}>+1 min</button>
        <button onClick={() => travelBySeconds(HOUR_S)}>+1 h</button>
        <button onClick={() => stepCycles(1)} title="c">Next cycle</button>
        {sel && kind !== "reservation" && <button onClick={() => nextAbout(sel)} title="d">Next about {plain(sel)}</button>}
        <label>
          <span className="quiet">Play</span>{" "}
          <select aria-label="Play" value={speed} onChange={(e) => play(Number(e.target.value))}>
            <option value={0}>stands</option>
            {SPEEDS.map((s) => <option key={s} value={s}>{s} ×</option>)}
          </select>
        </label>
      </div>
      <Decided />
      {error && <p className="travel-wrong" role="alert">{error.message}</p>}
      {view && view.differences > 0 && (
        <p className="travel-wrong" role="alert">
          {count(view.differences)} of {count(view.lines)} lines of the journal came out otherwise than they did then, so what is shown may not be what was. {plain(view.difference ?? "")}
        </p>
      )}
    </section>
  );
}
