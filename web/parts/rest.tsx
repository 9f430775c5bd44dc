// A screen of the second file (../rest.tsx).
import { useEffect, useState } from "react";

type Rest = typeof import("../rest");

let rest: Rest | undefined;

/** Once: it is kept. */
export async function fetchRest(): Promise<Rest> {
  rest ??= await import("../rest");
  return rest;
}

export function RestScreen({ name }: { name: keyof Rest }) {
  const [how, setHow] = useState<"asked" | "here" | "failed">(rest ? "here" : "asked");
  useEffect(() => {
    if (!rest) void fetchRest().then(() => setHow("here"), () => setHow("failed"));
  }, []);
  if (rest) {
    const Screen = rest[name];
    return <Screen />;
  }
  if (how !== "failed") return <p className="quiet">Loading …</p>;
  return (
    <p role="alert">
      This screen did not come: the scheduler does not answer, or is another version by now.{" "}
      <button type="button" onClick={() => location.reload()}>Load the page anew</button>
    </p>
  );
}
