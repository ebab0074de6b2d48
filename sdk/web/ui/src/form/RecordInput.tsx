import { Select, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState, type ReactNode } from "react";
import { useUi } from "../ui.tsx";
import { useName, type Pick } from "./RecordName.tsx";

type Row = Readonly<Record<string, unknown>>;
const offered = 20;
const minute = 60_000;

/** Picks a record by typing a part of its name. The value is its id. */
export function RecordInput({
  pick,
  value,
  onChange,
  clearable,
  ...common
}: { pick: Pick; value: string; onChange: (id: string | null) => void } & Omit<SelectProps, "value" | "onChange" | "data">): ReactNode {
  const { send, say } = useUi();
  const [typed, setTyped] = useState("");
  const current = useName(pick, value);
  // A name that was picked is not searched for.
  const q = useDeferredValue(typed === current ? "" : typed.trim());
  const { data } = useQuery<readonly Row[]>({
    queryKey: [pick.path, "pick", q],
    staleTime: minute,
    placeholderData: (before) => before,
    queryFn: async ({ signal }) =>
      (await send<{ items: readonly Row[] }>({ method: "GET", path: pick.path, query: { limit: offered, ...(q && { q }) }, signal })).items,
  });
  const found = (data ?? []).map((row) => ({ value: String(row["id"]), label: String(row[pick.name] ?? row["id"]) }));
  return (
    <Select
      {...common}
      clearable={clearable ?? false}
      searchable
      data={value && !found.some((each) => each.value === value) ? [{ value, label: current }, ...found] : found}
      // The service has searched.
      filter={({ options }) => options}
      nothingFoundMessage={say("state.noMatch")}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value || null}
      onChange={onChange}
    />
  );
}
