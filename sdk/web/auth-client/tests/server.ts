import { vi } from "vitest";

export interface Sent {
  path: string;
  method: string;
  headers: Headers;
  body: string;
}

type Answer = (sent: Sent) => Response | Promise<Response>;

const base64url = (value: unknown) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

let made = 0;

/** An access token as the server makes them, with a signature that nobody checks here. */
export function token(more: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    sub: "usr_1",
    sid: "ses_1",
    aud: "crm",
    iat: now,
    exp: now + 600,
    context: "organization",
    org_id: "org_1",
    role: "admin",
    prv: 1,
    jti: `${++made}`,
    ...more,
  };
  return `${base64url({ alg: "ES256", typ: "at+jwt" })}.${base64url(claims)}.c2lnbmVk`;
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

export const problem = (status: number, code: string, details: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  json({ type: "about:blank", title: "", status, code, detail: code, requestId: "01jd", errors: [], details }, status, headers);

export const me = (more: Record<string, unknown> = {}) => ({
  user: { id: "usr_1", email: "ada@acme.example", displayName: "Ada", avatarUrl: null, locale: "en", timezone: "UTC" },
  activeContext: { kind: "organization", organizationId: "org_1", role: "admin" },
  organizations: [{ id: "org_1", name: "Acme", slug: "acme", role: "admin" }],
  effectivePermissions: ["crm.contacts:read"],
  revision: 1,
  ...more,
});

/** What a server of one signed-in person answers, by method and path. */
export function answers(more: Record<string, Answer> = {}): Record<string, Answer> {
  const principal = { id: "usr_1" };
  return {
    "POST /api/auth/refresh": () => json({ access_token: token() }),
    "POST /api/auth/login": () => json({ access_token: token() }),
    "POST /api/auth/logout": () => json({ ended: ["ses_1"], broadcastUrl: "", frontchannel: [] }),
    "GET /api/auth/me": () => json(me()),
    "GET /api/contacts": () => json({ items: [], nextCursor: null }),
    "GET /validate": () => json({ valid: true, principal, activeContext: {}, effectivePermissions: [] }),
    ...more,
  };
}

/** A `fetch` that answers so, and keeps what was sent. */
export function serverOf(table: Record<string, Answer>) {
  const sent: Sent[] = [];
  const fetch = vi.fn(async (input: string | URL, init: RequestInit = {}) => {
    const request: Sent = {
      path: new URL(input).pathname,
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      body: String(init.body ?? ""),
    };
    sent.push(request);
    const answer = table[`${request.method} ${request.path}`];
    return answer ? answer(request) : problem(404, "not_found");
  });
  return Object.assign(fetch, { sent, of: (path: string) => sent.filter((each) => each.path === path) });
}
