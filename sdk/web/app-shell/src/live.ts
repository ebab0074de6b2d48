import { useEffect, useState } from "react";
import type { QueryClient } from "@tanstack/react-query";
import { lookForBuild } from "./build.ts";
import { useShell } from "./core.tsx";

const notLiveMilliseconds = 60_000;
const readAgainMilliseconds = 30_000;
const look = () => document.visibilityState === "visible" && void lookForBuild();

/**
 * Whether changes of others arrive. What the stream tells is read again: all that is on the page when something may have been missed. A stream that has
 * been broken for a minute is replaced by reading again every 30 s.
 */
export function useLive(client: QueryClient): boolean {
  const { app, auth } = useShell();
  const [brokenSince, setBrokenSince] = useState<number | null>(null);
  const [live, setLive] = useState(true);
  useEffect(() => {
    // Where a stream was broken, or nobody has looked for long, the server may have been replaced.
    const ends = auth.follow(app.changes ?? "/api/auth/session-events", ({ type }) => type === "reset" && void lookForBuild());
    document.addEventListener("visibilitychange", look);
    return () => (ends(), document.removeEventListener("visibilitychange", look));
  }, [app, auth]);
  useEffect(() => {
    if (!app.changes) return undefined;
    return auth.follow(app.changes, ({ type }) => {
      if (type === "lost") return setBrokenSince((since) => since ?? Date.now());
      setBrokenSince(null);
      void client.invalidateQueries();
    });
  }, [app, auth, client]);
  useEffect(() => {
    setLive(true);
    if (brokenSince === null) return undefined;
    let again: ReturnType<typeof setInterval> | undefined;
    const late = setTimeout(() => {
      setLive(false);
      again = setInterval(() => void client.invalidateQueries(), readAgainMilliseconds);
    }, notLiveMilliseconds);
    return () => {
      clearTimeout(late);
      clearInterval(again);
    };
  }, [brokenSince, client]);
  return live;
}
