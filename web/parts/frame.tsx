// The frame of all screens: rail, bar, what is said of the state, and the view.
import { useEffect, useState, type ReactNode } from "react";
import { LEVELS, logOut, setLookOnly, useLive } from "../model/live";
import { clock, plain, zoneName } from "../model/format";
import { usePast } from "../model/past";
import { setPrefs, usePrefs, type Theme, type Zone } from "../model/prefs";
import { address, go, usePath, useSearch } from "../model/route";
import { SCREENS } from "../screens/list";
import { Notices } from "./notices";
import { Banner } from "./states";
import { Search } from "./search";
import { TravelButton, TravelStrip } from "./travel";

export function Link(props: { to: string; children: ReactNode; className?: string; label?: string; current?: boolean }) {
  useSearch(); // the instant that the page is at goes along
  return (
    <a
      href={address(props.to)}
      className={props.className}
      aria-label={props.label}
      aria-current={props.current ? "page" : undefined}
      onClick={(e) => {
        if (e.metaKey || e.ctrlKey || e.shiftKey || e.button) return;
        e.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}

/** Now, by the clock of the scheduler; of the past, then. */
export function useNow(): number {
  const past = usePast();
  const now = usePresent();
  return past.at === null ? now : past.view?.at ?? past.at;
}

function usePresent(): number {
  const who = useLive((s) => s.who);
  const heardAt = useLive((s) => s.heardAt);
  const [, turn] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => turn((n) => n + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  if (!who?.at) return Math.floor(Date.now() / 1000);
  if (who.mode === "SIMULATION") return who.at;
  return who.at + Math.max(0, Math.floor((Date.now() - heardAt) / 1000));
}

function Clock() {
  const now = useNow();
  const heardAt = useLive((s) => s.heardAt);
  const phase = useLive((s) => s.phase);
  const { zone } = usePrefs();
  const age = Math.max(0, Math.round((Date.now() - heardAt) / 1000));
  const { at } = usePast();
  const old = phase !== "live";
  return (
    <span className={old || at !== null ? "clock clock-old" : "clock"} title="The clock of the scheduler, and how old the data is">
      <time>{clock(now, zone)}</time> <span className="quiet">{zoneName(zone)}</span>
      <span className="age">{at !== null ? "as of then" : heardAt ? (old ? `${age} s old` : "live") : ""}</span>
    </span>
  );
}

function Who() {
  const who = useLive((s) => s.who);
  const lookOnly = useLive((s) => s.lookOnly);
  const { theme, zone } = usePrefs();
  if (!who) return null;
  return (
    <details className="menu">
      <summary>
        <span className="who-name">{plain(who.user)}</span>
        <span className="tag">{LEVELS[who.level] ?? who.level}{who.read_only || lookOnly ? ", looks only" : ""}</span>
      </summary>
      <div className="menu-body">
        <label>
          Theme
          <select value={theme} onChange={(e) => setPrefs({ theme: e.target.value as Theme })}>
            <option value="system">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <label>
          Times in
          <select value={zone} onChange={(e) => setPrefs({ zone: e.target.value as Zone })}>
            <option value="site">{zoneName("site")} (the scheduler)</option>
            <option value="browser">{zoneName("browser")} (this browser)</option>
            <option value="UTC">UTC</option>
          </select>
        </label>
        <label className="menu-check">
          <input
            type="checkbox"
            checked={Boolean(who.read_only) || lookOnly}
            disabled={Boolean(who.read_only)}
            onChange={(e) => setLookOnly(e.target.checked)}
          />
          Look only
        </label>
        <p className="quiet">
          Session {who.session}, level {who.level}
        </p>
        <button onClick={logOut}>Log out</button>
      </div>
    </details>
  );
}

export function Frame(props: { children: ReactNode }) {
  const path = usePath();
  const level = useLive((s) => s.who?.level ?? 0);
  const now = usePresent();
  const { at } = usePast();
  useEffect(() => {
    document.querySelector(".rail-link[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path, level]); // with the level there are more of them
  return (
    <div className={at === null ? "frame" : "frame frame-past"}>
      <a className="skip" href="#main">To the view</a>
      <nav className="rail" aria-label="Screens">
        <span className="mark" aria-hidden="true">M</span>
        {SCREENS.filter((s) => !s.admin || level > 0).map((s) => (
          <Link key={s.path} to={s.path} current={s.is(path)} className="rail-link">
            <svg viewBox="0 0 20 20" aria-hidden="true"><path d={s.icon} /></svg>
            {s.name}
          </Link>
        ))}
      </nav>
      <header className="bar">
        <Search />
        <TravelButton now={now} />
        <Clock />
        <Who />
      </header>
      <div className="banners"><TravelStrip now={now} /><Banner /></div>
      <main id="main" className="view" tabIndex={-1}>{props.children}</main>
      <Notices />
    </div>
  );
}
