// A field of a form, with what is expected of it or, of what the scheduler refused, why.
import { plain } from "../model/format";

export interface Told {
  field: string;
  sentence: string;
  nearest?: string;
}

/** Which field a sentence of the scheduler's is about: it says so, or begins with it; and
    what names match no node are those of nodes. */
function fieldOf(sentence: string, field?: string): string {
  if (!field && /^no node matches/.test(sentence)) return "hosts";
  if (!field && /^no node has feature/.test(sentence)) return "features";
  return (field ?? /^(\w+):/.exec(sentence)?.[1] ?? /^there is no (\w+)/.exec(sentence)?.[1].toLowerCase() ?? "").replace(/^.*\./, "").replace(/\[\d+\]$/, "");
}

/** Of a refusal for what was written. */
export function toldOf(sentence: string, code: string | undefined, field?: string, nearest?: string): Told | null {
  if (code !== "invalid" && code !== "not_found") return null;
  return { field: fieldOf(sentence, field), sentence, nearest: nearest ?? /did you mean '?([^'?]+)'?\?/.exec(sentence)?.[1] };
}

export function Field(props: { name: string; label: string; hint: string; value: string; wrong?: string; told: Told | null; set: (text: string) => void }) {
  const { name, label, hint, value, wrong, set } = props;
  const mine = props.told?.field === name ? props.told : null;
  const bad = value.trim() ? wrong ?? mine?.sentence : mine?.sentence; // what is not there yet is not wrong
  return (
    <label className="field">
      <span>{label}</span>
      <input
        name={name}
        value={value}
        aria-invalid={Boolean(bad)}
        aria-describedby={`hint-${name}`}
        spellCheck={false}
        autoComplete="off"
        onChange={(e: { target: HTMLInputElement }) => set(e.target.value)}
      />
      <small id={`hint-${name}`} className={bad ? "field-wrong" : "quiet"}>
        {bad ? plain(bad) : hint}
        {mine?.nearest && <button type="button" className="field-take" onClick={() => set(mine.nearest ?? "")}>Take {plain(mine.nearest)}</button>}
      </small>
    </label>
  );
}
