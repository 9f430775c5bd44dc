// The use of all nodes on both sides of now: what was, what runs, what is promised and
// foreseen; and the same as a table.
import { useEffect, useRef, useState } from "react";
import { Strip, type Shares } from "../gantt/strip";
import { GUTTER, ticks, xAt, type View } from "../gantt/view";
import { clock, plain, weekday } from "../model/format";
import { useInUse } from "../model/lists";
import { onRound } from "../model/live";
import { usePrefs } from "../model/prefs";
import { useSpan } from "../model/span";
import { useNow } from "../parts/frame";
import { Use } from "./timeline_parts";

const SIDES: [string, string, number][] = [["ten", "10 minutes", 600], ["hour", "an hour", 3600], ["six", "6 hours", 21600], ["day", "24 hours", 86400], ["week", "a week", 604800]];
const DAY = SIDES[3];
const LAYERS = "use,promised,forecast,reserved,down,ended";
const AGAIN_MS = 15000; // what has changed is seen then: the picture is of hours
const PARTS = 12;
const TICK_PX = 84;
const [TIME_PX, DAY_PX] = [38, 80]; // as wide as they are written, and no narrower
const KEYS: [string, string][] = [["ended", "ended"], ["use", "running"], ["promised", "promised"], ["forecast", "forecast"], ["reserved", "reserved"], ["down", "down"]];

function Ruler({ view, width }: { view: View; width: number }) {
  const { zone } = usePrefs();
  return (
    <div className="a-ruler quiet" aria-hidden="true">
      {ticks(view, width, TICK_PX, zone).map((t) => {
        const x = xAt(view, t.at);
        return x < width - (t.day ? DAY_PX : TIME_PX) && <span key={t.at} style={{ left: `${x}px` }}>{t.day ? weekday(t.at, zone) : clock(t.at, zone).slice(0, 5)}</span>;
      })}
    </div>
  );
}

export function Ahead() {
  const now = useNow();
  const { theme } = usePrefs();
  const span = useSpan();
  const inUse = useInUse();
  const [chosen, setChosen] = useState("");
  const [parts, setParts] = useState<Shares[]>([]);
  const [denied, setDenied] = useState("");
  const [width, setWidth] = useState(0);
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<Strip>(null);
  const [key, , side] = SIDES.find(([k]) => k === chosen) ?? (span ? SIDES.find(([, , s]) => 2 * s >= span) : undefined) ?? DAY;
  const view: View = { t0: now - side, second: (2 * side) / Math.max(100, width - GUTTER), y0: 0, row: 1 };

  useEffect(() => {
    if (!canvas.current) return undefined;
    const s = new Strip(canvas.current, () => setParts(s.parts(PARTS)), setDenied);
    s.layers = LAYERS;
    strip.current = s;
    const watch = new ResizeObserver(([e]) => setWidth(Math.floor(e.contentRect.width)));
    watch.observe(canvas.current);
    let askedAt = Date.now();
    const unround = onRound(() => {
      if (Date.now() - askedAt < AGAIN_MS) return;
      askedAt = Date.now();
      s.refresh();
    });
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const look = () => s.draw();
    dark.addEventListener("change", look);
    return () => {
      dark.removeEventListener("change", look);
      unround();
      watch.disconnect();
      s.end();
    };
  }, []);
  useEffect(() => strip.current?.tellUse(inUse), [inUse]);
  useEffect(() => strip.current?.draw(), [theme]);
  useEffect(() => {
    if (width && span) strip.current?.show(view, now);
  }, [width, span, side, now]);

  return (
    <section className="card card-wide" aria-label="Use before and after now">
      <h2>Use, before and after now{" "}
        <label className="g-tool"><span className="sr">How much on each side</span>
          <select value={key} onChange={(e) => setChosen(e.target.value)}>{SIDES.map(([k, word]) => <option key={k} value={k}>{word} each</option>)}</select>
        </label>
      </h2>
      {denied && <p className="quiet line" role="status">{plain(denied)}</p>}
      <canvas ref={canvas} className="g-strip a-strip" role="img" aria-label={`Shares of all processors over time${inUse === null ? "" : `: now ${inUse} % in use`}. The table below has them in numbers.`} />
      {width > 0 && <Ruler view={view} width={width} />}
      <ul className="legend">{KEYS.map(([k, word]) => <li key={k}><span className={`dot a-key-${k}`} aria-hidden="true" />{word}</li>)}</ul>
      {parts.length > 0 && <details className="a-table"><summary>As a table</summary><Use parts={parts} now={now} /></details>}
    </section>
  );
}
