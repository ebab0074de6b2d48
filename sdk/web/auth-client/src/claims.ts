import { isRecord, numberOf, parsed, textOf } from "./values.ts";

/**
 * What an access token says, as far as pages need it: for showing, never for deciding. Instants are seconds since 1970 by the server's clock.
 *
 * @example
 * const claims: Claims | null = readClaims("not a token");
 * console.log(claims?.role ?? "nobody is signed in");
 */
export interface Claims {
  /** The user: `usr_…`. */
  readonly userId: string;
  /** The sign-in: `ses_…`. */
  readonly sessionId: string;
  /** The one service that takes the token. */
  readonly audience: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly context: "organization" | "personal";
  /** `org_…`, null in the personal context. */
  readonly organizationId: string | null;
  /** `member` where the token names none. */
  readonly role: string;
  /** Revision of the user, which grows with whatever concerns them. */
  readonly revision: number;
  /** The operator who acts as the user; null as a rule. */
  readonly actor: string | null;
}

/** Longer ones are none of ours. */
const longestToken = 16_384;

/**
 * Reads an access token without checking its signature: that is the server's to do. Null for whatever is no token of a person's sign-in: other than
 * three parts, no JSON, a subject, session, audience or time missing, an end before the beginning.
 *
 * @example
 * console.log(readClaims("a.b.c")); // null
 */
export function readClaims(token: string): Claims | null {
  const parts = token.split(".");
  if (parts.length !== 3 || token.length > longestToken || !/^[\w.-]+$/.test(token)) return null;
  const body = parsed(decoded(parts[1] ?? ""));
  if (!isRecord(body)) return null;
  const act = body["act"];
  const claims: Claims = {
    userId: textOf(body["sub"]),
    sessionId: textOf(body["sid"]),
    audience: textOf(body["aud"]),
    issuedAt: numberOf(body["iat"]),
    expiresAt: numberOf(body["exp"]),
    context: body["context"] === "organization" ? "organization" : "personal",
    organizationId: textOf(body["org_id"]) || null,
    role: textOf(body["role"]) || "member",
    revision: numberOf(body["prv"]),
    actor: isRecord(act) ? textOf(act["sub"]) || null : null,
  };
  return claims.userId && claims.sessionId && claims.audience && claims.issuedAt > 0 && claims.expiresAt > claims.issuedAt ? claims : null;
}

/** Base64url as UTF-8 text; empty where it is neither. */
function decoded(part: string): string {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}
