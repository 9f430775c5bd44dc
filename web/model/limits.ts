// What can be set of a credential, in words.
export interface Choice {
  name: string;
  help: string;
}

const RESOURCES: [string, string][] = [
  ["JOB", "jobs"], ["PROC", "processors"], ["NODE", "nodes"], ["PS", "processor seconds"],
  ["PE", "processor equivalents"], ["WC", "wall time, in seconds"], ["MEM", "memory, in MB"],
];
const EACH = RESOURCES.flatMap(([r, what]) => [
  { name: `MAX${r}`, help: `active ${what} at once; soft,hard as 4,8` },
  { name: `MAXI${r}`, help: `idle ${what} that are considered` },
]);
const ALL: Choice[] = [
  ...EACH,
  { name: "MAX.WCLIMIT", help: "longest wallclock limit of a job, as 12:00:00" },
  { name: "PRIORITY", help: "points for its jobs" },
  { name: "FSTARGET", help: "percent of the machine: 20, 20+ at least, 20- at most, 20% never more" },
  { name: "QLIST", help: "QOS that it may use, between commas" },
  { name: "QDEF", help: "QOS where none is asked for" },
  { name: "PLIST", help: "partitions that it may use" },
  { name: "PDEF", help: "partition where none is asked for" },
  { name: "FLAGS", help: "of its jobs, between commas" },
];
const WITHIN: Choice[] = RESOURCES.map(([r, what]) => ({ name: `MAX${r}[USER]`, help: `active ${what} of each user of it` }));
const OF_KIND: Record<string, Choice[]> = {
  class: [...WITHIN, { name: "MAXPROCPERJOB", help: "processors of one job" }, { name: "MAXNODEPERJOB", help: "nodes of one job" }],
  qos: [...WITHIN, ...RESOURCES.map(([r, what]) => ({ name: `OMAX${r}`, help: `active ${what} of its jobs' other credentials, in place of theirs` }))],
  user: [{ name: "MAXSUBMITJOBS", help: "jobs in the queue or running" }],
};

export function choicesOf(kind: string): Choice[] {
  return [...ALL, ...(OF_KIND[kind] ?? [])];
}

export const SECTIONS: Record<string, string> = {
  user: "USERCFG", group: "GROUPCFG", account: "ACCOUNTCFG", class: "CLASSCFG", qos: "QOSCFG",
};
export const KINDS = ["user", "group", "account", "class", "qos"];
export const kindWord = (kind: string) => (kind === "qos" ? "QOS" : kind);
export const pluralOf = (kind: string) => ({ user: "Users", group: "Groups", account: "Accounts", class: "Classes", qos: "QOS" }[kind] ?? kind);
