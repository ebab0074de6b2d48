import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schema } from "./form/schema.ts";
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
    const schemas = data?.components?.schemas ?? {};
    const whole = (schema: Schema | undefined, depth = 0): Schema | undefined => {
      const found = schema?.$ref === undefined ? schema : schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
      if (!found?.properties || depth > 3) return found;
      return {
        ...found,
        properties: Object.fromEntries(Object.entries(found.properties).map(([name, each]) => [name, whole(each, depth + 1) ?? {}])),
      };
    };
    return whole(data?.paths?.[path]?.[method]?.requestBody?.content?.["application/json"]?.schema);
  }, [data, path, method]);
}
