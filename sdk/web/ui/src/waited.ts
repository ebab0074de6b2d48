import { useEffect, useState } from "react";

/**
 * How long a part has been waited for: `short` below 150 ms, when nothing is shown yet, `seen`, `long` after 10 s.
 *
 * @example
 * const Wait = () => (useWaited() === "short" ? null : "…");
 * console.log(Wait.name);
 */
export function useWaited(): "short" | "seen" | "long" {
  const [stage, setStage] = useState<"short" | "seen" | "long">("short");
  useEffect(() => {
    const timers = [setTimeout(() => setStage("seen"), 150), setTimeout(() => setStage("long"), 10_000)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return stage;
}
