import { Problem, problemIn, problemOf } from "@portico/auth-client";

/**
 * The methods of routes.
 *
 * @example
 * const method: Method = "get";
 * console.log(method);
 */
export type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * `fetch` of an `Auth`, or anything alike.
 *
 * @example
 * const fetcher: Fetcher = (input, init) => fetch(input, init);
 * console.log(typeof fetcher);
 */
export type Fetcher = (input: string, init?: SentWith) => Promise<Response>;
type SentWith = RequestInit & { version?: number; idempotencyKey?: string | false; onSent?: (bytes: number) => void; reads?: boolean };

type PathsWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, infer O> ? ([O] extends [undefined] ? never : P) : never;
}[keyof Paths] &
  string;
type Operation<Paths, P extends keyof Paths, M extends Method> = Paths[P] extends Record<M, infer O> ? O : never;
type Content<R> = R extends { content: infer C }
  ? C extends { "application/json": infer J }
    ? J
    : C extends Record<string, infer T>
      ? T
      : undefined
  : undefined;
type Success<R> =
  R extends Record<infer S, unknown> ? (S extends 200 | 201 | 202 | 204 ? (S extends keyof R ? Content<R[S]> : never) : never) : never;
type Given<O, K extends string> = O extends { parameters: infer Q } ? (Q extends { [key in K]?: infer V } ? NonNullable<V> : never) : never;
type BodyOf<O> = O extends { requestBody?: infer B } ? Content<NonNullable<B>> : undefined;

/**
 * What a route answers with when it succeeds.
 *
 * @example
 * type Paths = { "/api/notes": { get: { responses: { 200: { content: { "application/json": { items: string[] } } } } } } };
 * const answer: Answer<Paths, "/api/notes", "get"> = { items: ["one"] };
 * console.log(answer.items.length);
 */
export type Answer<Paths, P extends keyof Paths, M extends Method> = Success<
  Operation<Paths, P, M> extends { responses: infer R } ? R : never
>;

type Needed<O, K extends string> = [Given<O, K>] extends [never]
  ? { [key in K]?: never }
  : {} extends Given<O, K>
    ? { [key in K]?: Given<O, K> }
    : { [key in K]: Given<O, K> };

/**
 * What a call carries: the members of its path, its query, its body, and how it is sent. Values of a query that are undefined, null or empty
 * texts are left out, and so are control characters; lists become `a,b`.
 *
 * @example
 * type Paths = { "/api/notes/{id}": { get: { parameters: { path: { id: string } }; responses: {} } } };
 * const options: CallOptions<Paths, "/api/notes/{id}", "get"> = { path: { id: "not_1" } };
 * console.log(options.path.id);
 */
export type CallOptions<Paths, P extends keyof Paths, M extends Method> = Needed<Operation<Paths, P, M>, "path"> &
  Needed<Operation<Paths, P, M>, "query"> & {
    body?: BodyOf<Operation<Paths, P, M>>;
    signal?: AbortSignal | undefined;
    /** The version that is changed (`If-Match`). */
    version?: number;
    /** Of a POST: the same text when one is repeated whose answer was lost. */
    idempotencyKey?: string;
    /** A POST that changes nothing: it is treated as a GET where the network or the server is away. */
    reads?: boolean;
    headers?: Record<string, string>;
  };

type Call<Paths, M extends Method> = <P extends PathsWith<Paths, M>>(
  path: P,
  ...options: {} extends CallOptions<Paths, P, M> ? [options?: CallOptions<Paths, P, M>] : [options: CallOptions<Paths, P, M>]
) => Promise<Answer<Paths, P, M>>;

/**
 * The calls of a service. Each resolves with the JSON of the answer (undefined for 204), and rejects with a `Problem`, or with what `fetch` rejects
 * with when it is aborted.
 *
 * @example
 * type Paths = { "/api/notes": { get: { responses: { 200: { content: { "application/json": { items: string[] } } } } } } };
 * const count = async (api: Api<Paths>) => (await api.get("/api/notes")).items.length;
 * console.log(typeof count);
 */
export type Api<Paths> = { readonly [M in Method]: Call<Paths, M> } & {
  /** The whole answer, for downloads and bodies that are no JSON. */
  raw(path: string, init?: SentWith): Promise<Response>;
};

interface AnyOptions {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  version?: number;
  idempotencyKey?: string;
  reads?: boolean;
  headers?: Record<string, string>;
}

/**
 * The calls of a service whose types are `Paths` (openapi-typescript's `paths`), over the `fetch` of an `Auth`.
 *
 * @example
 * type Paths = { "/api/notes": { get: { parameters: { query?: { q?: string } }; responses: { 200: { content: { "application/json": { items: string[] } } } } } } };
 * const api = createApi<Paths>(async (input) => Response.json({ items: [input] }));
 * console.log((await api.get("/api/notes", { query: { q: "plums" } })).items[0]); // "/api/notes?q=plums"
 */
export function createApi<Paths>(fetcher: Fetcher): Api<Paths> {
  const raw = async (path: string, init?: SentWith): Promise<Response> => {
    const response = await fetcher(path, init).catch(refuse);
    if (!response.ok) throw await problemIn(response);
    return response;
  };
  const call =
    (method: string) =>
    async (path: string, { path: members, query, body, signal, headers, ...rest }: AnyOptions = {}): Promise<unknown> => {
      const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
      const response = await raw(addressOf(path, members, query), {
        method,
        ...(headers && { headers }),
        ...json,
        ...(signal && { signal }),
        ...rest,
      });
      if (response.status === 204) return undefined;
      const text = await response.text().catch(refuse);
      if (!text) return undefined;
      try {
        return JSON.parse(text);
      } catch {
        throw new Problem("unavailable", response.status, {
          detail: "The answer is none of the server's.",
          requestId: response.headers.get("X-Request-Id") ?? "",
        });
      }
    };
  const methods = { get: call("GET"), post: call("POST"), put: call("PUT"), patch: call("PATCH"), delete: call("DELETE"), raw };
  return methods as unknown as Api<Paths>;
}

/** What was aborted is the caller's, all else a problem. */
function refuse(error: unknown): never {
  throw error instanceof DOMException && error.name === "AbortError" ? error : problemOf(error);
}

/** `/api/contacts/{id}` with its members and query. */
function addressOf(path: string, members: Record<string, unknown> = {}, query: Record<string, unknown> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(members[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // What no text may hold, as pasting can bring it, is nothing to look for.
    const text = (Array.isArray(value) ? value.join(",") : String(value ?? "")).replace(/\p{Cc}+/gu, " ").trim();
    if (text) search.set(name, text);
  }
  return search.size ? `${filled}?${search}` : filled;
}
