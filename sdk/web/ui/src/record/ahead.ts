import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useUi, type Send } from "../ui.tsx";

/** The query key of a record: `invalidateQueries({ queryKey: ["/api/contacts"] })` reads the lists and the records of a route again. */
export const keyOf = (path: string): readonly string[] => [path.slice(0, path.lastIndexOf("/")), "record", path];

/** How it is read. */
export const queryOf = <T>(path: string, send: Send) =>
  queryOptions({ queryKey: keyOf(path), queryFn: ({ signal }) => send<T>({ method: "GET", path, signal }) });

const AHEAD_MS = 150;

/** Reads records before they are opened: the one that was named last, so that who walks through a list asks for few. */
export function useReadAhead(): (path: string) => void {
  const { send } = useUi();
  const client = useQueryClient();
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (path) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => ((last.current = Date.now()), void client.prefetchQuery(queryOf(path, send))),
      last.current + AHEAD_MS - Date.now(),
    );
  };
}
