// Times as people write them: an instant in the zone that is shown, or so long from now.
import { zoneName } from "./format";
import type { Zone } from "./prefs";

const two = (n: number) => String(n).padStart(2, "0");

function partsOf(at: number, zone: Zone): number[] {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zoneName(zone), hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
  });
  const found = Object.fromEntries(format.formatToParts(at * 1000).map((p) => [p.type, Number(p.value)]));
  return [found.year, found.month, found.day, found.hour, found.minute, found.second];
}

/** "2031-05-17 18:00", with seconds where there are some. */
export function writeInstant(at: number, zone: Zone): string {
  const [year, month, day, hour, minute, second] = partsOf(at, zone);
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ""}`;
}

/** "2:00:00", "1:00:00:00" with days, or seconds; null: it is no time. */
export function readDuration(text: string): number | null {
  const parts = text.trim().split(":");
  if (parts.length > 4 || !parts.every((p) => /^\d{1,9}$/.test(p))) return null;
  const each = [1, 60, 3600, 86400];
  return parts.reverse().reduce((sum, p, i) => sum + Number(p) * each[i], 0);
}

/** "now", "+2:00:00", or as it is written; null: it is no instant. */
export function readInstant(text: string, now: number, zone: Zone): number | null {
  const word = text.trim();
  if (/^now$/i.test(word)) return now;
  if (word.startsWith("+")) {
    const s = readDuration(word.slice(1));
    return s === null ? null : now + s;
  }
  const m = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(word);
  if (!m) return null;
  const asked = Date.UTC(Number(m[1]), Number(m[2]) - 1, Number(m[3]), Number(m[4] ?? 0), Number(m[5] ?? 0), Number(m[6] ?? 0)) / 1000;
  // What the clocks of the zone show then: twice, as they may be set in between.
  let at = asked;
  for (let i = 0; i < 2; i++) {
    const [year, month, day, hour, minute, second] = partsOf(at, zone);
    at += asked - Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  }
  return at;
}
