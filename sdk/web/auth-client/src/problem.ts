import { isRecord, numberOf, textOf } from "./values.ts";

/**
 * What is wrong with one field of a body, or one parameter of an address.
 *
 * @example
 * const wrong: FieldProblem = { field: "emails[0].address", code: "invalid_email", message: "Not an e-mail address" };
 * console.log(wrong.field);
 */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/**
 * A request that did not do what was wanted, or the end of a sign-in.
 *
 * `code` is the machine code of the problem document (RFC 9457), or one of the client's own: `unavailable` (no network, a server that cannot answer
 * now, an answer that is none of ours as of a captive portal: try again later, the sign-in stays), `signed_out` (nothing was sent, because nobody is
 * signed in), `state_mismatch` (a callback that this tab did not start). `status` is the HTTP status, 0 where there was none. `detail` is the server's
 * sentence, for where no catalog knows the code; empty where it has none.
 *
 * @example
 * const problem = new Problem("mfa_required", 403, { details: { mfaToken: "mfa_1", factors: ["totp"] } });
 * if (problem.code === "mfa_required") console.log(problem.details["factors"]);
 */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly FieldProblem[];
  /** What the problem says beyond its code; of foreign make, so look before use. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Empty where no server answered. */
  readonly requestId: string;
  /** Seconds that the server asks to wait (`Retry-After`); 0: it does not say. */
  readonly retryAfter: number;

  constructor(code: string, status = 0, more: Partial<Pick<Problem, "detail" | "errors" | "details" | "requestId" | "retryAfter">> = {}) {
    super(more.detail || code);
    this.name = "Problem";
    this.code = code;
    this.status = status;
    this.detail = more.detail ?? "";
    this.errors = more.errors ?? [];
    this.details = more.details ?? {};
    this.requestId = more.requestId ?? "";
    this.retryAfter = more.retryAfter ?? 0;
  }
}

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** The JSON of an answer, undefined where it is none: a page of a captive portal, a body that was cut. */
export const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => undefined);

/**
 * Whatever was thrown, as a problem: what has a code keeps what it says; else `aborted` for what was, and `unavailable`.
 * Nothing in it is trusted to have its type.
 *
 * @example
 * try {
 *   throw { status: 409, code: "stage_changed" };
 * } catch (error) {
 *   console.log(problemOf(error).code);
 * }
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const it = record(error);
  const code = textOf(it["code"]);
  const told = textOf(it["detail"]) || textOf(it["title"]) || textOf(it["message"]);
  return new Problem(code || (it["name"] === "AbortError" ? "aborted" : "unavailable"), numberOf(it["status"]), {
    detail: code && told !== code ? told : "",
    errors: (Array.isArray(it["errors"]) ? it["errors"] : [])
      .map(record)
      .map((each) => ({ field: textOf(each["field"]), code: textOf(each["code"]), message: textOf(each["message"]) })),
    details: record(it["details"]),
    requestId: textOf(it["requestId"]),
    retryAfter: numberOf(it["retryAfter"]),
  });
}

/**
 * What an answer that is no success says; its body is read then.
 *
 * @example
 * const code = async (response: Response) => (await problemIn(response)).code;
 * console.log(typeof code);
 */
export async function problemIn(response: Response): Promise<Problem> {
  const seconds = Number(response.headers.get("Retry-After"));
  const body = record(await jsonOf(response));
  const requestId = textOf(body["requestId"]) || (response.headers.get("X-Request-Id") ?? "");
  return problemOf({ ...body, status: response.status, requestId, retryAfter: seconds > 0 && seconds < 86_400 ? seconds : 0 });
}
