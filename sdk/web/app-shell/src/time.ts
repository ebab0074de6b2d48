import { useEffect, useState } from "react";

/** Seconds until then (epoch milliseconds; 0: never), counted down. */
export function useSeconds(until: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = until ? setInterval(() => setNow(Date.now()), 500) : undefined;
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now) / 1_000));
}
