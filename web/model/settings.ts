// A parameter, or an attribute of a credential, changed on the running scheduler.
import { ask } from "../api/client";
import { isStale, tellFailure, withBasis } from "./act";
import { askNow } from "./live";
import { notice } from "./notices";
import { quote } from "./orders";

/** What is set: FSDEPTH, or of a section as USERCFG[ann] an attribute. */
export interface Setting {
  section?: string;
  name: string;
  value: string;
}

const blank = /[\s"#]/;

/** As a line of the configuration. */
export function lineOf(s: Setting): string {
  if (!s.section) return `${s.name} ${s.value.trim()}`;
  const value = s.value.trim();
  return `${s.section} ${s.name}=${blank.test(value) ? `"${value}"` : value}`;
}

export function commandOf(s: Setting, kept: boolean): string {
  const flags = kept ? "--flags persistent " : "";
  const words = s.section ? [s.section, `${s.name}=${s.value.trim()}`] : [s.name, s.value.trim()];
  return `maui changeparam ${flags}${words.map(quote).join(" ")}`;
}

async function send(line: string, kept: boolean, basis?: string): Promise<void> {
  await ask("POST", withBasis("/v1/parameters", basis), { text: line, persistent: kept });
}

/** `before`: what undoes it, where that is known. */
export async function changeSetting(s: Setting, kept: boolean, basis?: string, before?: string): Promise<boolean | "stale"> {
  const back = before !== undefined && before !== "" ? lineOf({ ...s, value: before }) : undefined;
  try {
    await send(lineOf(s), kept, basis);
    notice({
      kind: "done",
      text: `${lineOf(s)}: in force${kept ? ", and kept when the configuration is read again" : " until the configuration is read again"}.`,
      undo: back === undefined ? undefined : async () => {
        try {
          await send(back, kept);
          notice({ kind: "done", text: `${back}: in force again.` });
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
