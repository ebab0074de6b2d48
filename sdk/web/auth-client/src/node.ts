import { readClaims } from "./claims.ts";
import { createClock } from "./clock.ts";
import { problemOf, Problem, problemIn, jsonOf } from "./problem.ts";
import { isRecord, textOf, textsOf } from "./values.ts";
import { renewalTime } from "./waits.ts";

export { Problem } from "./problem.ts";
export { allows } from "./permissions.ts";

/**
 * Whose password a program signs in with, and where.
 *
 * @example
 * const options: HeadlessOptions = { apiUrl: "http://crm.localhost:8080", serviceId: "crm", identifier: "robot@acme.example", password: "…" };
 * console.log(options.serviceId);
 */
export interface HeadlessOptions {
  /** Origin of the service. */
  apiUrl: string;
  serviceId: string;
  identifier: string;
  password: string;
  organizationId?: string;
}

/**
 * A program that is signed in.
 *
 * @example
 * const list = async (headless: Headless) => (await headless.fetch("/api/contacts")).json();
 * console.log(typeof list);
 */
export interface Headless {
  /** An access token that lives; signs in when there is none. Rejects with Problem `invalid_credentials`, `mfa_required`, `unavailable` … */
  token(): Promise<string>;
  /** As `fetch`, of the service's origin only (else TypeError), with the token. Signs in again once on 401 `invalid_token`, and repeats once. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * Signs a program in with a password when it first needs that, and again at 80 % of the token's life: it holds no cookie. Calls at the same time
 * share one sign-in. Programs that run for long take an API key rather than a password.
 *
 * @example
 * const headless = createHeadless({ apiUrl: "http://crm.localhost:8080", serviceId: "crm", identifier: "robot@acme.example", password: "plums and seven lighthouses" });
 * const answer = await headless.fetch("/api/contacts");
 * console.log(answer.status);
 */
export function createHeadless({ apiUrl, serviceId, identifier, password, organizationId }: HeadlessOptions): Headless {
  const clock = createClock();
  let held: { token: string; renewAt: number } | null = null;
  let signingIn: Promise<string> | null = null;

  const signIn = async (): Promise<string> => {
    const body = JSON.stringify({ identifier, password, service_id: serviceId, ...(organizationId && { organizationId }) });
    const response = await reach(`${apiUrl}/api/auth/login`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    const answer = await jsonOf(response);
    const token = isRecord(answer) ? textOf(answer["access_token"]) : "";
    const claims = readClaims(token);
    if (claims?.audience !== serviceId)
      throw new Problem("unavailable", response.status, { detail: "The server answered with no token of this service." });
    clock.observe(claims.issuedAt * 1_000);
    held = { token, renewAt: renewalTime(claims.issuedAt * 1_000, claims.expiresAt * 1_000) };
    return token;
  };
  const token = async () => {
    if (held && clock.now() < held.renewAt) return held.token;
    return (signingIn ??= signIn().finally(() => (signingIn = null)));
  };

  return {
    token,
    async fetch(path, init = {}) {
      const url = new URL(path, apiUrl);
      if (url.origin !== new URL(apiUrl).origin) throw new TypeError(`The token is for ${apiUrl} only.`);
      const headers = new Headers(init.headers);
      const send = (bearer: string) => {
        headers.set("Authorization", `Bearer ${bearer}`);
        return fetch(url, { ...init, headers });
      };
      const used = await token();
      const response = await send(used);
      if (response.status !== 401 || init.body instanceof ReadableStream || (await problemIn(response.clone())).code !== "invalid_token")
        return response;
      if (held?.token === used) held = null;
      return send(await token());
    },
  };
}

/**
 * Where a backend asks about the credentials that it is sent.
 *
 * @example
 * const options: ValidatorOptions = { authUrl: "http://identity.localhost:8080", serviceId: "acme-notes" };
 * console.log(options.serviceId);
 */
export interface ValidatorOptions {
  /** Origin of identity. */
  authUrl: string;
  /** The backend's own service. */
  serviceId: string;
}

/**
 * The credential headers of a request, as it came.
 *
 * @example
 * const sent: SentCredential = { authorization: "Bearer eyJ.a.b" };
 * console.log(Object.keys(sent));
 */
export interface SentCredential {
  authorization?: string | undefined;
  apiKey?: string | undefined;
}

/**
 * Whose credential it is and what it opens, as `/validate` says.
 *
 * @example
 * const tenant = (caller: Validated) => caller.organizationId ?? caller.principalId;
 * console.log(typeof tenant);
 */
export interface Validated {
  readonly principalId: string;
  readonly credential: "access_token" | "api_key";
  readonly role: string;
  /** Null in the personal context. */
  readonly organizationId: string | null;
  readonly permissions: readonly string[];
  /** The whole answer: session, key, bound resources. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * Asks identity about credentials; nothing is kept, because a role or a session that ends counts for the very next request. The function that it
 * returns rejects with an Problem whose status and code the backend answers with: 401 `authentication_required` (none was sent) or `invalid_token`,
 * 403 `permission_denied`, `service_access_denied` …, and 503 `validation_unavailable` whenever identity cannot be asked: never let somebody in then.
 *
 * @example
 * const validate = createValidator({ authUrl: "http://identity.localhost:8080", serviceId: "acme-notes" });
 * const caller = await validate({ authorization: "Bearer eyJ.a.b" }, ["acme-notes.notes:read"]);
 * console.log(caller.principalId);
 */
export function createValidator({
  authUrl,
  serviceId,
}: ValidatorOptions): (sent: SentCredential, permissions?: readonly string[]) => Promise<Validated> {
  return async ({ authorization, apiKey }, permissions = []) => {
    if (!authorization && !apiKey) throw new Problem("authentication_required", 401);
    const headers = {
      "X-Service-ID": serviceId,
      ...(authorization && { Authorization: authorization }),
      ...(apiKey && { "X-Api-Key": apiKey }),
    };
    const query = new URLSearchParams(permissions.map((each) => ["permission", each]));
    try {
      const answer = await jsonOf(await reach(`${authUrl}/validate?${query}`, { headers, redirect: "error" }));
      const context = isRecord(answer) ? answer["activeContext"] : undefined;
      const principal = isRecord(answer) ? answer["principal"] : undefined;
      if (!isRecord(answer) || answer["valid"] !== true || !isRecord(principal) || !textOf(principal["id"]))
        throw new Problem("unavailable");
      return {
        principalId: textOf(principal["id"]),
        credential: answer["credential"] === "api_key" ? "api_key" : "access_token",
        role: textOf(answer["role"]) || "member",
        organizationId: (isRecord(context) && textOf(context["organizationId"])) || null,
        permissions: textsOf(answer["effectivePermissions"]),
        answer,
      };
    } catch (error) {
      const known = problemOf(error);
      const refused = known.code !== "unavailable" && known.status >= 400 && known.status < 500 && known.status !== 429;
      throw refused ? known : new Problem("validation_unavailable", 503, { retryAfter: known.retryAfter });
    }
  };
}

/** An answer of success. @throws Problem */
async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000), ...init });
    if (response.ok) return response;
    throw await problemIn(response);
  } catch (error) {
    throw problemOf(error);
  }
}
