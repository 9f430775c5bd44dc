// Times as people write them: an instant in the zone that is shown, or so long from now.
import { zoneName } from "./format";
import type { Zone } from "./prefs";

const two = (n: number) => String(n).padStart(2, "0");

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format)
    formats.set(timeZone, (format = new Intl.DateTimeFormat("en-GB", {
      timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
    })));
  return format;
}

function partsOf(at: number, zone: Zone): number[] {
  const format = formatOf(zoneName(zone));
  const found = Object.fromEntries(format.formatToParts(at * 1000).map((p) => [p.type, Number(p.value)]));
  return [found.year, found.month, found.day, found.hour, found.minute, found.second];
}

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const QUARTER_S = 900; // clocks are set at none but these
let offsets = new Map<string, number>(); // a ruler asks for a dozen in each frame

/** Seconds east of UTC that the zone has then. */
export function offsetAt(at: number, zone: Zone): number {
  const quarter = Math.floor(at / QUARTER_S) * QUARTER_S;
  const key = `${zoneName(zone)} ${quarter}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    const [year, month, day, hour, minute, second] = partsOf(quarter, zone);
    offset = Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - quarter;
    if (offsets.size > 5000) offsets = new Map();
    offsets.set(key, offset);
  }
  return offset;
}

/** The instant at which clocks there show so many seconds since 1970, as the scheduler reads it: of an
 * hour that comes twice the first, of one that is left out as much later as they are set. */
export function atWall(wall: number, zone: Zone): number {
  const before = wall - offsetAt(wall - DAY_S, zone);
  const after = wall - offsetAt(wall + DAY_S, zone);
  const [early, late] = [Math.min(before, after), Math.max(before, after)];
  return [early, late].find((at) => at + offsetAt(at, zone) === wall) ?? before;
}

/** The step of the clocks there that is near; within an hour both of those that come twice. */
export function stepAt(at: number, step: number, zone: Zone, round = Math.round): number {
  const offset = offsetAt(at, zone);
  const wall = round((at + offset) / step) * step;
  return step <= HOUR_S ? wall - offset : atWall(wall, zone);
}

/** When the day of that instant began. */
export function midnight(at: number, zone: Zone): number {
  return atWall(Math.floor((at + offsetAt(at, zone)) / DAY_S) * DAY_S, zone);
}

/** "2031-05-17 18:00", with seconds where there are some. */
export function writeInstant(at: number, zone: Zone): string {
  const [year, month, day, hour, minute, second] = partsOf(at, zone);
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ""}`;
}

/** The same with how far that zone is from UTC then, "2031-05-17 18:00 +02:00": of whatever zone the reader is. */
export function writeFull(at: number, zone: Zone): string {
  const minutes = Math.round(Math.abs(offsetAt(at, zone)) / 60);
  return `${writeInstant(at, zone)} ${offsetAt(at, zone) < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** "2:00:00", "1:00:00:00" with days, or seconds; null: it is no time. */
export function readDuration(text: string): number | null {
  const parts = text.trim().split(":");
  if (parts.length > 4 || !parts.every((p) => /^\d{1,9}$/.test(p))) return null;
  const each = [1, 60, 3600, 86400];
  return parts.reverse().reduce((sum, p, i) => sum + Number(p) * each[i], 0);
}

const WRITTEN = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?$/i;

/** "now", "+2:00:00", or as it is written, in that zone if it does not say how far from UTC; null: it is no instant. */
export function readInstant(text: string, now: number, zone: Zone): number | null {
  const word = text.trim();
  if (/^now$/i.test(word)) return now;
  if (word.startsWith("+")) {
    const s = readDuration(word.slice(1));
    return s === null ? null : now + s;
  }
  const m = WRITTEN.exec(word);
  if (!m) return null;
  const wall = Date.UTC(Number(m[1]), Number(m[2]) - 1, Number(m[3]), Number(m[4] ?? 0), Number(m[5] ?? 0), Number(m[6] ?? 0)) / 1000;
  const [, sign, hours, minutes] = /^([+-])(..):?(..)$/.exec(m[7] ?? "") ?? [];
  const offset = sign ? Number(`${sign}1`) * (Number(hours) * HOUR_S + Number(minutes) * 60) : 0;
  return m[7] ? wall - offset : atWall(wall, zone);
}
