import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Choices, Conflict } from "../dialogs.tsx";
import { Problem, problemOf } from "@portico/api";
import { useUi } from "../ui.tsx";
import { keyOf, queryOf } from "./ahead.ts";

/**
 * What every record of every service has.
 *
 * @example
 * const record: Versioned = { id: "con_1", version: 3 };
 * console.log(record.version);
 */
export interface Versioned {
  readonly id: string;
  readonly version: number;
}

/**
 * Why a field shows another value than the server has: it is being sent, waits for the network, or the person has closed the choice between two changes.
 *
 * @example
 * const state: PendingState = "unsaved";
 * console.log(state);
 */
export type PendingState = "saving" | "unsent" | "unsaved";

/**
 * A record as it is seen: what the server has, with one's own changes painted over it until it has answered.
 *
 * @example
 * const Name = ({ record }: { record: RecordState<{ id: string; version: number; name: string }> }) => <Text>{record.data?.name ?? ""}</Text>;
 * console.log(Name.name);
 */
export interface RecordState<T extends Versioned> {
  readonly path: string;
  readonly data: T | undefined;
  readonly error: unknown;
  readonly retry: () => void;
  /** Fields whose value is not the server's. Of an object its members, as `customFields.size`. */
  readonly pending: ReadonlyMap<string, PendingState>;
  /**
   * Sends a change of some fields. Never throws: what is refused is taken back and told; false then. `labels` are for the sentences. `seen` is what stood
   * there when the person began to write: where others have changed it since, the choice is theirs, also when the page has read it already. `read` says how
   * a value reads where it is not as it is written, as the name of an id.
   */
  readonly save: (change: Partial<T>, labels: Readonly<Record<string, string>>, seen?: Partial<T>, read?: Read) => Promise<boolean>;
  /** Fields that somebody else has changed, too, while a save waits for a choice. */
  readonly conflicts: readonly Conflict[];
  /** Ends that wait: the fields where mine wins, or null to write nothing. Then the values stay in their fields, as `unsaved`. */
  readonly resolve: (mine: Choices | null) => void;
  /** Takes an `unsaved` value of a field back: the field shows what the server has. */
  readonly discard: (field: string) => void;
}

type Values = Record<string, unknown>;
type Read = (field: string, value: unknown) => string;

const AGAIN_MS = 5_000;

/**
 * Reads a record and saves its fields, each change on its own and in order, painted at once. A change that meets a newer version is sent on top of it where
 * others changed other fields, else asked about; `method` is the one by which the service takes merge bodies. Without a network it waits and is sent when it is
 * back. Each change can be undone.
 *
 * @example
 * const Company = () => {
 *   const record = useRecord<{ id: string; version: number; company: string }>("/api/contacts/con_1");
 *   return <button onClick={() => void record.save({ company: "Acme" }, { company: "Company" })}>{record.data?.company}</button>;
 * };
 * console.log(Company.name);
 */
export function useRecord<T extends Versioned>(
  path: string,
  { method = "PATCH" }: { readonly method?: "PATCH" | "PUT" } = {},
): RecordState<T> {
  const { send, say, sentence, notices, undo, waits: unsent } = useUi();
  const client = useQueryClient();
  const query = useQuery(queryOf<T>(path, send));
  const [painted, setPainted] = useState<ReadonlyMap<string, { value: unknown; state: PendingState }>>(new Map());
  const [asked, setAsked] = useState<{ conflicts: readonly Conflict[]; resolve: (mine: Choices | null) => void } | null>(null);
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  const leave = useRef(() => undefined as void);
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    setPainted(new Map());
    return () => {
      here.current = false;
      leave.current();
    };
  }, [path]);
  useEffect(() => {
    if (painted.size === 0) return;
    const close = (event: Event): void => event.preventDefault();
    window.addEventListener("beforeunload", close);
    return () => window.removeEventListener("beforeunload", close);
  }, [painted.size > 0]);

  const paint = useCallback((change: object, state: PendingState | null) => {
    setPainted((before) => {
      const next = new Map(before);
      for (const [name, value] of membersOf(change)) {
        if (state) next.set(name, { value, state });
        else if (next.get(name)?.value === value) next.delete(name);
      }
      return next;
    });
  }, []);

  const ask = (
    change: object,
    before: object,
    theirs: object,
    labels: Readonly<Record<string, string>>,
    read: Read,
  ): Promise<Choices | null> =>
    new Promise((resolve, reject) => {
      const of = (record: object, name: string): string => read(name, (record as Record<string, unknown>)[name]);
      const conflicts = Object.keys(change).map((field) => ({
        field,
        label: labels[field] ?? field,
        before: of(before, field),
        theirs: of(theirs, field),
        mine: of(change, field),
      }));
      // Whoever has left the page cannot choose: it is refused, and told.
      leave.current = () => (setAsked(null), reject(new Problem("version_conflict", 412)));
      if (!here.current) return leave.current();
      setAsked({ conflicts, resolve: (mine) => (setAsked(null), resolve(mine)) });
    });

  const load = async (): Promise<T> => {
    const now = await send<T>({ method: "GET", path });
    client.setQueryData(keyOf(path), now);
    return now;
  };

  /** The record before and after the write; null where the person has chosen to write nothing. */
  const write = async (
    change: Partial<T>,
    seen: T,
    labels: Readonly<Record<string, string>>,
    read: Read,
  ): Promise<{ before: T; after: T; body: object } | null> => {
    let [body, before, known] = [narrowed(change, seen), client.getQueryData<T>(keyOf(path)) ?? seen, seen];
    const differ = (name: string, one: object, other: object): boolean => !same(part(one, name, body), part(other, name, body));
    for (;;) {
      const clashing = Object.keys(body).filter((name) => differ(name, before, known) && differ(name, before, body));
      if (clashing.length) {
        const mine = await ask(pick(body, clashing), known, before, labels, read);
        if (!mine) return null;
        body = pick(
          body,
          Object.keys(body).filter((name) => !clashing.includes(name) || mine.has(name)),
        ) as Partial<T>;
        if (Object.keys(body).length === 0) return { before, after: before, body };
      }
      known = before;
      try {
        return { before, after: await send<T>({ method, path, body, version: before.version }), body };
      } catch (error) {
        const problem = problemOf(error);
        if (problem.code === "version_conflict") {
          before = await load();
          if (Object.keys(body).every((name) => !differ(name, before, known))) notices.tell({ kind: "info", text: say("record.merged") });
        } else if (problem.status === 0 && problem.code === "unavailable") {
          paint(body, "unsent");
          await networkMayBeBack();
          paint(body, "saving");
        } else throw error;
      }
    }
  };

  /** Writes a change in its turn, painted until then. */
  const commit = (change: Partial<T>, seen: Partial<T>, labels: Readonly<Record<string, string>>, read: Read): ReturnType<typeof write> => {
    paint(change, "saving");
    const done = queue.current.then(async () => {
      let dismissed = false;
      try {
        // A change can be undone for a day. The cache drops the record five minutes after its page is left.
        const current = client.getQueryData<T>(keyOf(path)) ?? (await load());
        const written = await write(change, { ...current, ...seen }, labels, read);
        if (written) {
          client.setQueryData(keyOf(path), written.after);
          void client.invalidateQueries({ queryKey: [keyOf(path)[0], "list"] });
        } else dismissed = true;
        return written;
      } finally {
        paint(change, dismissed ? "unsaved" : null);
      }
    });
    queue.current = done.catch(() => null);
    return done;
  };

  const save: RecordState<T>["save"] = async (change, labels, seen = {}, read = (_, value) => words(value)) => {
    const label = Object.keys(change)
      .map((name) => labels[name] ?? name)
      .join(", ");
    const value = Object.entries(change)
      .map(([name, each]) => read(name, each) || say("conflict.empty"))
      .join(", ");
    try {
      const written = await commit(change, seen, labels, read);
      if (!written) return false;
      const { before, after, body } = written;
      const back = Object.fromEntries(Object.keys(body).map((name) => [name, part(before, name, body) ?? null])) as Partial<T>;
      undo.push({ text: `${label}: ${value}`, undo: () => commit(back, after, labels, read) });
      return true;
    } catch (error) {
      notices.tell({
        kind: "refused",
        requestId: problemOf(error).requestId,
        text: say(here.current ? "record.refused" : "record.lost", { label, value, reason: sentence(error) }),
      });
      return false;
    }
  };

  const data = query.data && [...painted].reduce((all, [name, { value }]) => withMember(all, name, value), query.data);
  return {
    path,
    data,
    error: query.error,
    retry: () => void query.refetch(),
    pending: new Map([...painted].map(([name, { state }]) => [name, unsent && state === "saving" ? "unsent" : state])),
    save,
    conflicts: asked?.conflicts ?? [],
    resolve: (mine) => asked?.resolve(mine),
    discard: (field) =>
      setPainted(
        (before) => new Map([...before].filter(([name, { state }]) => state !== "unsaved" || !`${name}.`.startsWith(`${field}.`))),
      ),
  };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const pick = (of: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, (of as Record<string, unknown>)[name] ?? null]));
/** A member of a record; of an object, as of a workspace's own fields, what the change is about: services merge by member. */
const part = (of: object, name: string, change: object): unknown =>
  isObject((change as Values)[name])
    ? pick(((of as Values)[name] ?? {}) as object, Object.keys((change as Values)[name] as object))
    : (of as Values)[name];
const narrowed = <T extends object>(change: Partial<T>, seen: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name,
      isObject(value)
        ? pick(
            value,
            Object.keys(value).filter((key) => !same(value[key], ((seen as Values)[name] as Values | undefined)?.[key])),
          )
        : value,
    ]),
  ) as Partial<T>;
/** A change by what it is about: fields, and of an object its members, as `customFields.size`. */
const membersOf = (change: object): [string, unknown][] =>
  Object.entries(change).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([key, each]): [string, unknown] => [`${name}.${key}`, each])
      : [[name, value] as [string, unknown]],
  );
const withMember = <T extends object>(of: T, member: string, value: unknown): T => {
  const [name = "", key] = member.split(/\.(.*)/s);
  return { ...of, [name]: key === undefined ? value : { ...((of as Values)[name] as Values | undefined), [key]: value } };
};
const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
export const words = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : Array.isArray(value)
      ? value.map(words).join(", ")
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);

/** The browser says that it is online again, or some time has passed: it does not always say so. */
const networkMayBeBack = (): Promise<unknown> =>
  Promise.race([
    new Promise((done) => window.addEventListener("online", done, { once: true })),
    new Promise((done) => setTimeout(done, AGAIN_MS)),
  ]);
