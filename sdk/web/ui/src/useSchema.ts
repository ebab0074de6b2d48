import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { wholeSchema, type Schema } from "./form/schema.ts";
import { useUi } from "./ui.tsx";

interface OpenApi {
  readonly paths?: Readonly<
    Record<string, Readonly<Record<string, { requestBody?: { content?: Readonly<Record<string, { schema?: Schema }>> } }>>>
  >;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/**
 * The schema of a route's body, from the service's own description, read when it is first needed; undefined until then, and where it cannot be had.
 *
 * @example
 * const Rules = () => <output>{useSchema("/api/notes", "post")?.required?.join()}</output>;
 * console.log(Rules.name);
 */
export function useSchema(path: string, method: "post" | "patch" | "put", wanted = true): Schema | undefined {
  const { send } = useUi();
  const { data } = useQuery({
    queryKey: ["/openapi.json"],
    queryFn: ({ signal }) => send<OpenApi>({ method: "GET", path: "/openapi.json", signal }),
    staleTime: Infinity,
    enabled: wanted,
    retry: false,
  });
  return useMemo(() => {
    return wholeSchema(data?.paths?.[path]?.[method]?.requestBody?.content?.["application/json"]?.schema, data?.components?.schemas ?? {});
  }, [data, path, method]);
}
