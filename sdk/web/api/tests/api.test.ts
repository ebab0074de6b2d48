import { expect, test } from "vitest";
import { createApi, Problem } from "../src/index.ts";

interface Note {
  id: string;
  title: string;
}
type Paths = {
  "/api/notes": {
    get: {
      parameters: { query?: { q?: string; tags?: string[]; limit?: number } };
      responses: { 200: { content: { "application/json": { items: Note[] } } } };
    };
    post: {
      requestBody: { content: { "application/json": { title: string } } };
      responses: { 201: { content: { "application/json": Note } } };
    };
  };
  "/api/notes/{noteId}": {
    get: { parameters: { path: { noteId: string } }; responses: { 200: { content: { "application/json": Note } } } };
    patch: {
      parameters: { path: { noteId: string } };
      requestBody: { content: { "application/json": { title?: string } } };
      responses: { 200: { content: { "application/json": Note } } };
    };
    delete: { parameters: { path: { noteId: string } }; responses: { 204: { content?: never } } };
  };
};

const answering = (answer: () => Response) => {
  const sent: [string, RequestInit & { version?: number }][] = [];
  const api = createApi<Paths>((input, init = {}) => (sent.push([input, init]), Promise.resolve(answer())));
  return { api, sent };
};
const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it succeeded")),
    (error: unknown) => error,
  );

test("an address takes its members and query, and leaves out what is empty", async () => {
  const { api, sent } = answering(() => Response.json({ items: [] }));
  await api.get("/api/notes", { query: { q: "a&b", tags: ["x", "y"] } });
  await api.get("/api/notes", { query: { q: "" } });
  await api.get("/api/notes", { query: { q: "\0 a\u0007\0b\n" } });
  await api.get("/api/notes/{noteId}", { path: { noteId: "a/../b" } });
  expect(sent.map(([input]) => input)).toEqual([
    "/api/notes?q=a%26b&tags=x%2Cy",
    "/api/notes",
    "/api/notes?q=a+b",
    "/api/notes/a%2F..%2Fb",
  ]);
});

test("a body is sent as JSON, with its version", async () => {
  const { api, sent } = answering(() => Response.json({ id: "not_1", title: "b" }));
  const note = await api.patch("/api/notes/{noteId}", { path: { noteId: "not_1" }, body: { title: "b" }, version: 3 });
  expect(note.title).toBe("b");
  expect(sent[0]?.[1]).toMatchObject({
    method: "PATCH",
    body: '{"title":"b"}',
    version: 3,
    headers: { "Content-Type": "application/json" },
  });
});

test("an answer without a body is undefined", async () => {
  const { api } = answering(() => new Response(null, { status: 204 }));
  expect(await api.delete("/api/notes/{noteId}", { path: { noteId: "not_1" } })).toBeUndefined();
});

test("a problem document is thrown as a value", async () => {
  const problem = {
    code: "validation_failed",
    detail: "1 field is not valid",
    requestId: "r1",
    errors: [{ field: "title", code: "too_long", message: "Too long" }],
    details: { a: 1 },
  };
  const { api } = answering(() => Response.json(problem, { status: 400, headers: { "Retry-After": "7" } }));
  const error = await thrown(api.post("/api/notes", { body: { title: "" } }));
  expect(error).toBeInstanceOf(Problem);
  expect(error).toMatchObject({
    code: "validation_failed",
    status: 400,
    message: "1 field is not valid",
    requestId: "r1",
    retryAfter: 7,
    errors: problem.errors,
    details: { a: 1 },
  });
});

test.each([
  ["a page of a captive portal", () => new Response("<html>", { status: 200 })],
  ["a cut body", () => new Response('{"items":[', { status: 200 })],
  ["an error page of a proxy", () => new Response("<html>", { status: 502 })],
])("%s is unavailable, not an exception of the parser", async (_, answer) => {
  expect(await thrown(answering(answer).api.get("/api/notes"))).toMatchObject({ name: "Problem", code: "unavailable" });
});

test("a lost network is unavailable, what is aborted stays an AbortError", async () => {
  const failing = (error: Error) => createApi<Paths>(() => Promise.reject(error)).get("/api/notes");
  expect(await thrown(failing(new TypeError("Failed to fetch")))).toMatchObject({ code: "unavailable", status: 0 });
  expect(await thrown(failing(Object.assign(new Error("gone"), { code: "signed_out", status: 401 })))).toMatchObject({
    name: "Problem",
    code: "signed_out",
    status: 401,
  });
  await expect(failing(new DOMException("stopped", "AbortError"))).rejects.toThrow(DOMException);
});
