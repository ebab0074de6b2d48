import { describe, expect, test } from "vitest";
import { readClaims } from "../src/claims.ts";
import { createClock } from "../src/clock.ts";
import { problemIn } from "../src/problem.ts";
import { meOf } from "../src/people.ts";
import { localPath } from "../src/paths.ts";
import { allows } from "../src/permissions.ts";
import { createEventReader, type StreamEvent } from "../src/sse.ts";
import { renewalTime, retryWait } from "../src/waits.ts";
import { me, token } from "./server.ts";

describe("permissions", () => {
  test.each([
    [["crm.contacts:read"], "crm.contacts:read", true],
    [["crm.*:*"], "crm.contacts:read", true],
    [["crm.contacts:*"], "crm.contacts:delete", true],
    [["crm.*:read"], "crm.pipeline:read", true],
    [["crm.*:read"], "crm.pipeline:move", false],
    [["crm.contacts:*"], "crm.contacts2:read", false],
    [["crm.*:*"], "crmx.contacts:read", false],
    [["crm.*:*"], "calendar.contacts:read", false],
    [["*.*:*", "*", "*:*", "crm.*", "crm.con*:read"], "crm.contacts:read", false],
    [["crm.contacts:*"], "crm.contacts:*", false],
    [["crm.contacts:read"], "contacts:read", false],
    [[], "crm.contacts:read", false],
    [["crm.contacts:"], "crm.contacts:", false],
    [["crm.contacts:read"], "crm.contacts:read ", false],
    [["crm.a.b:read"], "crm.a.b:read", true],
  ])("%j holds %s: %s", (held, wanted, expected) => expect(allows(held, wanted)).toBe(expected));
});

describe("tokens", () => {
  test("are read", () => {
    expect(readClaims(token({ role: "owner", prv: 41, org_id: "org_2", act: { sub: "usr_op" } }))).toMatchObject({
      userId: "usr_1",
      sessionId: "ses_1",
      audience: "crm",
      context: "organization",
      organizationId: "org_2",
      role: "owner",
      revision: 41,
      actor: "usr_op",
    });
  });

  test.each([[undefined], [null], [""], [7], [["owner"]]])("a role of %j is member", (role) =>
    expect(readClaims(token({ role }))?.role).toBe("member"),
  );

  test("text beyond ASCII is read as UTF-8", () => expect(readClaims(token({ role: "größer" }))?.role).toBe("größer"));

  const unsigned = (body: string) => `e30.${btoa(body).replaceAll("=", "")}.x`;
  test.each([
    [""],
    ["a.b"],
    ["a.b.c.d"],
    [".."],
    ["a.b.c"],
    [`${token()}.x`],
    [`${token()}\n`],
    [` ${token()}`],
    [unsigned("null")],
    [unsigned("[]")],
    [unsigned("7")],
    [unsigned('"text"')],
    [unsigned("{}")],
    [unsigned('{"sub":')],
    [unsigned("\xff\xfe")],
    [unsigned("[".repeat(9_000))],
    [token({ exp: 0 })],
    [token({ exp: "9999999999" })],
    [token({ iat: 2, exp: 1 })],
    [token({ iat: -1 })],
    [token({ sub: { id: 1 } })],
    [token({ sid: "" })],
    [token({ aud: ["crm"] })],
    [token({ role: "x".repeat(20_000) })],
  ])("is none: %.40s", (text) => expect(readClaims(text)).toBeNull());

  test("members named like those of every object change nothing", () => {
    expect(readClaims(unsigned('{"__proto__":{"sub":"usr_1","sid":"ses_1","aud":"crm","iat":1,"exp":2}}'))).toBeNull();
  });
});

describe("answers of foreign make", () => {
  test.each([[null], [[]], ["text"], [{}], [{ user: {} }], [{ user: { id: 7 }, activeContext: {} }], [me({ activeContext: null })]])(
    "%j is nobody",
    (answer) => expect(meOf(answer)).toBeNull(),
  );

  test("what is of another type is left out", () => {
    const read = meOf(me({ effectivePermissions: ["a.b:c", 7, null, {}], organizations: [null, "x", { id: "org_2" }], revision: "9" }));
    expect(read).toMatchObject({ permissions: ["a.b:c"], organizations: [{ id: "org_2", name: "", role: "member" }], revision: 0 });
  });

  test.each([["<html>"], [""], ["{"], ["null"], ['{"code":7}'], ["[]"]])("an error of %j is one to try again after", async (body) => {
    expect(await problemIn(new Response(body, { status: 401 }))).toMatchObject({ code: "unavailable", status: 401 });
  });

  test.each([
    ["7", 7],
    ["-1", 0],
    ["1e99", 0],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 0],
    ["", 0],
  ])("Retry-After of %s", async (text, seconds) => {
    expect((await problemIn(new Response("{}", { status: 503, headers: { "Retry-After": text } }))).retryAfter).toBe(seconds);
  });
});

describe("paths", () => {
  test.each([["/"], ["/contacts/con_1?q=a%0Ab&next=%2F%2Fx#top"], ["/a%20b"], ["/%E2%82%AC"], ["/./a"], ["/a/../b?next=/.//x"]])(
    "%s is one of ours",
    (path) => expect(localPath(path, "/home")).toBe(path),
  );

  test.each([
    [""],
    [null],
    [undefined],
    ["contacts"],
    ["//evil"],
    ["///evil"],
    ["/\\evil"],
    ["\\\\evil"],
    ["https:evil"],
    ["https://evil"],
    ["javascript:alert(1)"],
    ["/a\\b"],
    ["/a\nb"],
    ["/\t/evil"],
    ["/\u0000"],
    ["/%2Fevil"],
    ["/%252Fevil"],
    ["/%5Cevil"],
    ["/%255Cevil"],
    ["/%0A/evil"],
    ["/%"],
    [`/${"a".repeat(10_000)}`],
    [" /a"],
    ["/.//x"],
    ["/..//x"],
    ["/a/..//x"],
    ["/././/x"],
    ["/%2e//x"],
    ["/%2E%2e//x"],
    ["/%252e//x"],
    ["/.%2F/x"],
    ["/a/%2e%2e/%2Fx"],
    ["/.//x?q=1#top"],
  ])("%s leads home", (path) => expect(localPath(path, "/home")).toBe("/home"));
});

describe("the clock", () => {
  test("is the server's, whatever the computer's says", () => {
    let local = 1_000_000_000;
    const clock = createClock(() => local);
    clock.observe(local + 86_400_000);
    expect(clock.now()).toBe(1_086_400_000);
    local += 5_000;
    expect(clock.now()).toBe(1_086_405_000);
    // Somebody puts the computer's clock right: the next answer tells.
    local += 86_400_000;
    clock.observe(1_086_410_000);
    expect(clock.now()).toBe(1_086_410_000);
  });

  test("does not follow the seconds' rounding, nor nonsense", () => {
    const clock = createClock(() => 1_000_000);
    for (const time of [1_001_000, 999_000, NaN, 0, -5]) clock.observe(time);
    clock.trust(NaN);
    expect(clock.now()).toBe(1_000_000);
  });
});

describe("waits", () => {
  test("a token is renewed at 80 to 90 % of its life", () => {
    expect(renewalTime(1_000, 601_000, 0)).toBe(481_000);
    expect(renewalTime(1_000, 601_000, 0.999_999)).toBeCloseTo(541_000, -1);
  });

  test("between attempts are 1 to 30 s, more from one to the next, and what the server asks for", () => {
    expect(retryWait(0, 0, 0)).toBe(1_000);
    expect(retryWait(0, 0, 0.999)).toBeGreaterThan(retryWait(0, 0, 0));
    expect(retryWait(3, 0, 0)).toBeGreaterThan(retryWait(2, 0, 0));
    for (const attempt of [4, 100, 1e9]) expect(retryWait(attempt, 0, 0.999_999)).toBeLessThanOrEqual(30_000);
    expect(retryWait(0, 120, 0)).toBe(120_000);
  });
});

describe("server-sent events", () => {
  const read = (pieces: string[]) => {
    const events: StreamEvent[] = [];
    const ids: string[] = [];
    const push = createEventReader(
      (event) => events.push(event),
      (id) => ids.push(id),
    );
    pieces.forEach((piece) => push(piece));
    return { events, ids };
  };
  const text =
    ': beat\r\n\r\nid: 7\r\nevent: session\r\ndata: {"state":\r\ndata: "ended"}\r\n\r\nretry: 100\nunknown\ndata:plain\n\nevent: empty\n\n';

  test("are read wherever the text is cut", () => {
    const wanted = [
      { type: "session", data: '{"state":\n"ended"}' },
      { type: "message", data: "plain" },
    ];
    expect(read([text]).events).toEqual(wanted);
    expect(read([...text]).events).toEqual(wanted);
    for (let at = 1; at < text.length; ++at) expect(read([text.slice(0, at), text.slice(at)]).events).toEqual(wanted);
    expect(read([text]).ids).toEqual(["7"]);
  });

  test("an unfinished one is none", () => expect(read(["data: x\n"]).events).toEqual([]));

  test("one without end is refused", () => {
    expect(() => read(Array.from({ length: 40 }, () => `data: ${"x".repeat(65_536)}\n`))).toThrow(RangeError);
    expect(() => read(Array.from({ length: 40 }, () => "x".repeat(65_536)))).toThrow(RangeError);
  });
});
