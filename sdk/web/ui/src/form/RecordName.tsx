import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Text } from "../Text.tsx";
import { useUi } from "../ui.tsx";

/**
 * Records that a field refers to by id: the route of their list, which takes `q` and `limit`, and the member that names one. `GET {path}/{id}` answers one.
 *
 * @example
 * const pick: Pick = { path: "/api/contacts", name: "displayName" };
 * console.log(pick.path);
 */
export interface Pick {
  /** Route of the list of records; it takes `q` and `limit`. */
  readonly path: string;
  /** Member that names a record. */
  readonly name: string;
}

type Row = Readonly<Record<string, unknown>>;
const minute = 60_000;

/** The name of a record by its id, which is returned until the name is read. */
export function useName({ path, name }: Pick, id: string): string {
  const { send } = useUi();
  const { data } = useQuery({
    queryKey: [path, "name", id],
    enabled: id !== "",
    staleTime: minute,
    queryFn: ({ signal }) => send<Row>({ method: "GET", path: `${path}/${encodeURIComponent(id)}`, signal }),
  });
  return String(data?.[name] ?? id);
}

/** The name of a record by its id, which is shown until the name is read. */
export function RecordName({ pick, id }: { pick: Pick; id: string }): ReactNode {
  return <Text>{useName(pick, id)}</Text>;
}
