import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useCalendar, whole } from "../service.ts";

/** What the service takes, apart from names that it needs itself. */
export const handlePattern = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/;
const typingMilliseconds = 250;

/** Whether a handle can be had, asked while it is typed; `own` is one's own already. */
export function useHandle(
  handle: string,
  own = "",
): { readonly state: "free" | "taken" | "wrong" | "asking"; readonly suggestions: readonly string[] } {
  const api = useCalendar();
  const [asked, setAsked] = useState(handle);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(handle), typingMilliseconds);
    return () => clearTimeout(timer);
  }, [handle]);
  const sound = handlePattern.test(handle);
  const { data, error } = useQuery({
    queryKey: ["handle", asked],
    enabled: handlePattern.test(asked) && asked !== own,
    queryFn: ({ signal }) => whole(api.get("/api/admin/handles/{handle}", { path: { handle: asked }, signal })),
  });
  if (!sound) return { state: "wrong", suggestions: [] };
  if (handle === own) return { state: "free", suggestions: [] };
  // Where it cannot be asked, the service says so when it is taken.
  if (error) return { state: "free", suggestions: [] };
  if (!data || data.handle !== handle) return { state: "asking", suggestions: [] };
  return data.available ? { state: "free", suggestions: [] } : { state: "taken", suggestions: data.suggestions };
}
