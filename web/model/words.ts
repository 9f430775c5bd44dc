// Words of the queue's filter, as they are typed: what could come where the caret is.

export interface Suggestion {
  word: string;
  note: string;
}

/** Each with what follows it. The language is the scheduler's (`q` of /v1/jobs). */
export const FIELDS: [string, string][] = [
  ["user:", "whose they are"], ["group:", "of a group"], ["account:", "of an account"], ["class:", "of a class"], ["qos:", "of a QOS"],
  ["state:", "as idle, running"], ["section:", "eligible, active or blocked"], ["reason:", "why they wait"],
  ["procs>", "of more processors"], ["nodes>", "of more nodes"], ["limit<", "of a shorter limit, as 1:00:00"], ["wait>", "that waited longer, as 1d"],
  ["priority>", "of a higher priority"], ["held:1", "that are held"], ["deadline:1", "that have a deadline"],
  ["in:", "that run in a reservation"], ["wants:", "that wait for a reservation"], ["id:", "of an id"], ["name:", "of a name"],
];
const SHOWN = 8;
const BY_NAME = ["user", "account", "class", "qos"]; // where a word alone is looked for

/** Where the word begins that the caret is in; after the last comma of it. */
function wordAt(text: string, caret: number): { from: number; field: string; typed: string } {
  const start = Math.max(...[" ", "\t"].map((c) => text.lastIndexOf(c, caret - 1))) + 1;
  const word = text.slice(start, caret);
  const colon = word.indexOf(":");
  if (colon < 0) return { from: start, field: "", typed: word };
  const last = Math.max(colon, word.lastIndexOf(",")) + 1;
  return { from: start + last, field: word.slice(0, colon).toLowerCase(), typed: word.slice(last) };
}

/** `names`: of each kind those that there are. Those that begin with what is typed. */
export function suggest(text: string, caret: number, names: Record<string, string[]>): { from: number; all: Suggestion[] } {
  const { from, field, typed } = wordAt(text, caret);
  const begins = (word: string) => word.toLowerCase().startsWith(typed.toLowerCase()) && word.toLowerCase() !== typed.toLowerCase();
  if (field) return { from, all: (names[field] ?? []).filter(begins).slice(0, SHOWN).map((word) => ({ word, note: "" })) };
  const fields = FIELDS.filter(([word]) => begins(word)).map(([word, note]) => ({ word, note }));
  const values = typed ? BY_NAME.flatMap((kind) => (names[kind] ?? []).filter(begins).map((n) => ({ word: `${kind}:${n}`, note: "" }))) : [];
  return { from, all: [...fields, ...values].slice(0, typed ? SHOWN : FIELDS.length) };
}

/** The text with that word in place of what was typed of it, and where the caret is then. */
export function take(text: string, caret: number, from: number, word: string): { text: string; caret: number } {
  const rest = text.slice(caret).replace(/^\S*/, "");
  const whole = /[:<>]$/.test(word) ? word : `${word} `;
  const head = text.slice(0, from) + whole;
  return { text: head + (whole.endsWith(" ") ? rest.replace(/^\s+/, "") : rest), caret: head.length };
}
