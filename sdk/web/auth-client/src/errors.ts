import { isRecord, textOf } from "./values.ts";

/**
 * A request that did not do what was wanted, or the end of a sign-in.
 *
 * `code` is the machine code of the problem document (RFC 9457), or one of the client's own: `unavailable` (no network, a server that cannot answer
 * now, an answer that is none of ours: try again later, the sign-in stays), `signed_out` (nothing was sent, because nobody is signed in),
 * `state_mismatch` (a callback that this tab did not start). `status` is the HTTP status, 0 where there was none.
 *
 * @example
 * const error = new AuthError("mfa_required", { status: 403, details: { mfaToken: "mfa_1", factors: ["totp"] } });
 * if (error.code === "mfa_required") console.log(error.details["factors"]);
 */
export class AuthError extends Error {
  readonly code: string;
  readonly status: number;
  /** What the problem says beyond its code; of foreign make, so look before use. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Empty where no server answered. */
  readonly requestId: string;
  /** Seconds that the server asks to wait (`Retry-After`); 0: it does not say. */
  readonly retryAfter: number;

  constructor(code: string, more: { status?: number; detail?: string; details?: Record<string, unknown>; requestId?: string; retryAfter?: number } = {}) {
    super(more.detail || code);
    this.name = "AuthError";
    this.code = code;
    this.status = more.status ?? 0;
    this.details = more.details ?? {};
    this.requestId = more.requestId ?? "";
    this.retryAfter = more.retryAfter ?? 0;
  }
}

/** The JSON of an answer, undefined where it is none: a page of a captive portal, a body that was cut. */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** What an answer that is no success says; `unavailable` where it is no problem document. */
export async function errorOf(response: Response): Promise<AuthError> {
  const seconds = Number(response.headers.get("Retry-After"));
  const retryAfter = seconds > 0 && seconds < 86_400 ? seconds : 0;
  const problem = await jsonOf(response);
  if (!isRecord(problem) || !textOf(problem["code"])) return new AuthError("unavailable", { status: response.status, retryAfter });
  return new AuthError(textOf(problem["code"]), {
    status: response.status,
    detail: textOf(problem["detail"]),
    details: isRecord(problem["details"]) ? problem["details"] : {},
    requestId: textOf(problem["requestId"]),
    retryAfter,
  });
}

/** As an AuthError: whatever else stopped a request (no network, a time-out) is `unavailable`. */
export function asAuthError(error: unknown): AuthError {
  return error instanceof AuthError ? error : new AuthError("unavailable", { detail: String(error) });
}
