// The columns that the queue can have: what each asks of the API, and shows.
import type { ReactNode } from "react";
import { count, duration, instant, plain, reasonText } from "../model/format";
import { hueOf } from "../model/hue";
import type { Zone } from "../model/prefs";
import type { JobBrief } from "../model/types";

export interface Column {
  key: string;
  name: string;
  fields: string[];
  sort?: string;
  number?: boolean;
  width: string;
  show: (j: JobBrief, now: number, zone: Zone) => ReactNode;
}

const STATES: Record<string, string> = { active: "running", eligible: "waiting", blocked: "blocked", completed: "down" };

function text(key: "user" | "group" | "account" | "class" | "qos" | "partition", name: string, width = "5.4rem"): Column {
  return {
    key, name, fields: [key], sort: key === "partition" ? undefined : key, width,
    show: (j) => (j[key] ? plain(j[key] as string) : "–"),
  };
}

export const COLUMNS: Column[] = [
  { key: "id", name: "Job", fields: ["id"], sort: "id", width: "4.4rem", show: (j) => plain(j.id ?? "") },
  { key: "name", name: "Name", fields: ["name"], width: "6rem", show: (j) => plain(j.name ?? "–") },
  {
    ...text("user", "User"),
    show: (j) => <><span className={`chip ${hueOf(j.user ?? "")}`} aria-hidden="true" />{plain(j.user ?? "–")}</>,
  },
  text("group", "Group"),
  text("account", "Account"),
  text("class", "Class"),
  text("qos", "QOS"),
  {
    key: "state", name: "State", fields: ["shown_state", "section"], sort: "state", width: "6.6rem",
    show: (j) => <><span className={`dot fill-${STATES[j.section ?? ""] ?? "idle"}`} aria-hidden="true" />{j.shown_state}</>,
  },
  { key: "procs", name: "Procs", fields: ["procs"], sort: "procs", number: true, width: "3.4rem", show: (j) => count(j.procs ?? 0) },
  { key: "nodes", name: "Nodes", fields: ["nodes"], sort: "nodes", number: true, width: "4rem", show: (j) => (j.nodes ? count(j.nodes) : "–") },
  { key: "limit", name: "Limit", fields: ["wclimit_s"], sort: "wclimit_s", number: true, width: "5.5rem", show: (j) => duration(j.wclimit_s) },
  { key: "submitted", name: "Submitted", fields: ["submit_at"], sort: "submit_at", number: true, width: "8.2rem", show: (j, now, zone) => instant(j.submit_at, now, zone) },
  {
    key: "waited", name: "Waited", fields: ["submit_at", "start_at"], number: true, width: "5.5rem",
    show: (j, now) => duration((j.start_at ?? now) - (j.submit_at ?? now)),
  },
  {
    key: "promised", name: "Promised start", fields: ["reservation_at"], sort: "reservation_at", number: true, width: "7.2rem",
    show: (j, now, zone) => instant(j.reservation_at, now, zone),
  },
  { key: "started", name: "Started", fields: ["start_at"], sort: "start_at", number: true, width: "8.2rem", show: (j, now, zone) => instant(j.start_at, now, zone) },
  { key: "ends", name: "Ends by", fields: ["end_at"], sort: "end_at", number: true, width: "7.2rem", show: (j, now, zone) => instant(j.end_at, now, zone) },
  {
    key: "remaining", name: "Time left", fields: ["remaining_s", "section"], number: true, width: "6.2rem",
    show: (j) => (j.section === "active" ? duration(j.remaining_s) : "–"),
  },
  { key: "priority", name: "Priority", fields: ["priority"], sort: "priority", number: true, width: "5.2rem", show: (j) => count(j.priority ?? 0) },
  { key: "xfactor", name: "XFactor", fields: ["xfactor"], number: true, width: "5rem", show: (j) => (j.xfactor ?? 0).toFixed(2) },
  { key: "efficiency", name: "Efficiency", fields: ["efficiency"], number: true, width: "6rem", show: (j) => (j.efficiency ? `${j.efficiency.toFixed(0)} %` : "–") },
  text("partition", "Partition"),
  {
    key: "reason", name: "Why it waits", fields: ["reason", "section"], width: "minmax(11rem, 1fr)",
    show: (j, now, zone) => (j.reason ? <span title={plain(reasonText(j.reason, now, zone) || j.reason.code)}>{plain(reasonText(j.reason, now, zone) || j.reason.code)}</span> : j.section === "eligible" ? <span className="quiet">in the queue</span> : ""),
  },
];

export const USUAL = ["id", "name", "user", "class", "state", "procs", "limit", "waited", "promised", "ends", "reason"];
