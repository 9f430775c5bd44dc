// Numbers, times and names as people read them.
import type { Zone } from "./prefs";

const two = (n: number) => String(n).padStart(2, "0");

/** As the commands write them: 1:02:03:04, 00:05:00. */
export function duration(s: number | null | undefined): string {
  if (s === null || s === undefined) return "unlimited";
  const sign = s < 0 ? "-" : "";
  let left = Math.abs(Math.round(s));
  const days = Math.floor(left / 86400);
  left %= 86400;
  const clock = `${two(Math.floor(left / 3600))}:${two(Math.floor((left % 3600) / 60))}:${two(left % 60)}`;
  return sign + (days ? `${days}:${clock}` : clock);
}

let site: string | null = null; // its zone, as the browser knows it
let told: () => void = () => undefined;
/** Until then nobody knows what a time of the site's is. */
export const siteTold = new Promise<void>((then) => (told = then));

/** Where the scheduler is; a zone that the browser does not know by its name is so far from UTC as it is now. */
export function tellSite(name: string | undefined, offset_s: number | undefined): void {
  const off = Math.abs(offset_s ?? 0) / 60;
  const fixed = `${(offset_s ?? 0) < 0 ? "-" : "+"}${two(Math.floor(off / 60))}:${two(Math.floor(off % 60))}`;
  site = [name?.replace(/^:/, ""), offset_s === undefined ? undefined : fixed].find(isZone) ?? null;
  told();
}

function isZone(name: string | undefined): name is string {
  try {
    return Boolean(name && new Intl.DateTimeFormat("en-GB", { timeZone: name }));
  } catch {
    return false;
  }
}

export function zoneName(zone: Zone): string {
  if (zone === "site" && site) return site;
  return zone === "UTC" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const DAY = { day: "numeric", month: "short" } as const;
const WEEKDAY = { weekday: "short", day: "numeric", month: "short" } as const;

// One takes a tenth of a millisecond to be made, and a ruler has a dozen in each frame.
const formats = new Map<string, Intl.DateTimeFormat>();

function parts(at: number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const timeZone = zoneName(zone);
  const key = timeZone + Object.keys(options).join();
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone })));
  return format.format(at * 1000);
}

export function clock(at: number, zone: Zone): string {
  return parts(at, zone, CLOCK);
}

export function weekday(at: number, zone: Zone): string {
  return parts(at, zone, WEEKDAY);
}

/** Today the time alone, else with the day, and then without its seconds. */
export function instant(at: number | null | undefined, now: number, zone: Zone): string {
  if (!at) return "–";
  const day = parts(at, zone, DAY);
  const time = parts(at, zone, CLOCK);
  return day === parts(now, zone, DAY) ? time : `${day} ${time.slice(0, 5)}`;
}

export function count(n: number): string {
  return n.toLocaleString("en-GB");
}

export function hours(seconds: number): string {
  const h = seconds / 3600;
  return h >= 100 ? count(Math.round(h)) : h.toFixed(h >= 10 ? 1 : 2);
}

/** Control and bidirectional characters are shown, not obeyed. */
export function plain(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What keeps a job, with its instants in the zone that is shown. */
export function reasonText(r: { text: string; parts?: (string | number)[] }, now: number, zone: Zone): string {
  return r.parts?.map((part) => (typeof part === "number" ? instant(part, now, zone) : part)).join("") ?? r.text;
}

/** A sentence of the scheduler's as it begins a paragraph; names ("node01", "a.b") stay as they are. */
export function sentence(text: string): string {
  return plain(text.replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1)));
}
