// What this browser prefers: theme, zone, and how much time pictures of time show.
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Zone = "site" | "browser" | "UTC";
interface Prefs {
  theme: Theme;
  zone: Zone;
  span_s?: number; // of the timeline, as it was seen last; without it the jobs decide
}

const KEY = "maui.prefs";
const readers = new Set<() => void>();
let prefs: Prefs = { theme: "system", zone: "site", ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };

function showTheme(): void {
  if (prefs.theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", prefs.theme);
}
showTheme();

export function setPrefs(change: Partial<Prefs>): void {
  prefs = { ...prefs, ...change };
  localStorage.setItem(KEY, JSON.stringify(prefs));
  showTheme();
  readers.forEach((read) => read());
}

export const prefsNow = (): Readonly<Prefs> => prefs;

export function usePrefs(): Prefs {
  return useSyncExternalStore(
    (read) => {
      readers.add(read);
      return () => readers.delete(read);
    },
    () => prefs,
  );
}
