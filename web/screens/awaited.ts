// What has to end for the job that is open on the timeline: framed there.
import { useEffect } from "react";
import type { Heading, Seen } from "../gantt/data";
import type { Picture } from "../gantt/picture";
import { useAnswer, useLive } from "../model/live";
import type { WhyRecord } from "../model/types";

/** Of one that waits, and that the caller may ask about. */
export function useAwaited(picture: { current: Picture | null | undefined }, chosen: Seen | null, heading: Heading | null): void {
  const who = useLive((s) => s.who);
  const waits = chosen?.kind === "promised" || chosen?.kind === "forecast";
  const may = Boolean(who && (who.level > 0 || who.user === chosen?.user));
  const answer = useAnswer(chosen?.job && waits && may ? `/v1/jobs/${encodeURIComponent(chosen.id)}/why` : null);
  useEffect(() => {
    const why = answer.text ? (JSON.parse(answer.text) as WhyRecord) : null;
    const names = (why?.frees ?? []).filter((f) => f.job && f.at && chosen && f.at <= chosen.start).map((f) => f.job as string);
    let over = false;
    void Promise.all([...new Set(names)].map((name) => picture.current?.of(name) ?? [])).then((all) => over || picture.current?.mark({ awaited: all.flat() }));
    return () => {
      over = true;
    };
  }, [answer.text, chosen?.start, heading]);
}
