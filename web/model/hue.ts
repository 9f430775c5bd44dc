// A name has the same hue everywhere: of a fixed hash, one of twelve.
export function hueNumber(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return (hash >>> 0) % 12;
}

export function hueOf(name: string): string {
  return `hue-${hueNumber(name)}`;
}

/** What the codes of reasons mean, in words for people. */
export const REASONS: Record<string, string> = {
  turn: "nodes, or their turn",
  resources: "nodes that are in use",
  reservation: "the start they were promised",
  priority: "jobs of higher priority",
  limit: "a limit on use",
  hold: "the release of a hold",
  dependency: "other jobs",
  state: "the resource manager",
  "start-date": "their begin time",
  "fairshare-cap": "a cap of fairshare",
  "no-fitting-node": "nodes such as there are none",
  "too-large": "more than the partition has",
  funds: "credits",
};
