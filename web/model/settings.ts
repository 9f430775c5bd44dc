// A parameter, or an attribute of a credential, changed on the running scheduler.
import { ask } from "../api/client";
import { isStale, tellFailure, withBasis } from "./act";
import { askNow } from "./live";
import { notice } from "./notices";
import { quote } from "./orders";
import type { Done, ParameterChange } from "./types";

/** What is set: FSDEPTH, or of a section as USERCFG[ann] an attribute. */
export interface Setting {
  section?: string;
  name: string;
  value: string;
}

const blank = /[\s"#]/;

function pairOf(s: Setting): string {
  const value = s.value.trim();
  return `${s.name}=${blank.test(value) ? `"${value}"` : value}`;
}

/** As a line of the configuration. */
export function lineOf(s: Setting): string {
  return s.section ? `${s.section} ${pairOf(s)}` : `${s.name} ${s.value.trim()}`;
}

export function commandOf(s: Setting, kept: boolean): string {
  const flags = kept ? "--flags persistent " : "";
  const words = s.section ? [s.section, pairOf(s)] : [s.name, s.value.trim()];
  return `maui changeparam ${flags}${words.map(quote).join(" ")}`;
}

async function send(change: ParameterChange, basis?: string): Promise<ParameterChange[]> {
  const done = JSON.parse(await ask("POST", withBasis("/v1/parameters", basis), change)) as Done;
  return done.undo ?? [];
}

export async function changeSetting(s: Setting, kept: boolean, basis?: string): Promise<boolean | "stale"> {
  try {
    const back = await send({ text: lineOf(s), persistent: kept }, basis);
    notice({
      kind: "done",
      text: `${lineOf(s)}: in force${kept ? ", and kept when the configuration is read again" : " until the configuration is read again"}.`,
      undo: !back.length ? undefined : async () => {
        try {
          await send({ all: back });
          notice({ kind: "done", text: `${lineOf(s)}: taken back, all is as it was before.` });
        } catch (e) {
          tellFailure("Undo", e);
        }
        askNow();
      },
    });
    askNow();
    return true;
  } catch (e) {
    if (isStale(e)) return "stale";
    tellFailure(lineOf(s), e);
    return false;
  }
}
