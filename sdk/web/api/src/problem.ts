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
 * An answer that is no success, as a value of the problem document (RFC 9457).
 *
 * `code` is the machine code; `unavailable` (status 0) where no answer came, or one that is none of the server's (a captive portal, a body that
 * was cut): try again later. `message` is the server's sentence, for where no catalog knows the code.
 *
 * @example
 * const problem = new Problem("version_conflict", 412);
 * if (problem.code === "version_conflict") console.log("Somebody was faster.");
 */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  /** What the problem says beyond its code; of foreign make, so look before use. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Empty where no server answered. */
  readonly requestId: string;
  /** Seconds that the server asks to wait (`Retry-After`); 0: it does not say. */
  readonly retryAfter: number;

  constructor(
    code: string,
    status = 0,
    more: { message?: string; errors?: readonly FieldProblem[]; details?: Record<string, unknown>; requestId?: string; retryAfter?: number } = {},
  ) {
    super(more.message || code);
    this.name = "Problem";
    this.code = code;
    this.status = status;
    this.errors = more.errors ?? [];
    this.details = more.details ?? {};
    this.requestId = more.requestId ?? "";
    this.retryAfter = more.retryAfter ?? 0;
  }

  /**
   * Anything that was thrown, as a problem: what has a code and a status (an `AuthError`) keeps them, the rest is `unavailable`; what was aborted is
   * thrown on.
   */
  static of(error: unknown): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return new Problem("unavailable", 0, { message: String(error) });
    const { code, status, message, details, requestId, retryAfter } = error as Problem;
    return new Problem(code, status ?? 0, { message, details, requestId, retryAfter });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** What an answer that is no success says. */
export async function problemOf(response: Response): Promise<Problem> {
  const seconds = Number(response.headers.get("Retry-After"));
  const retryAfter = seconds > 0 && seconds < 86_400 ? seconds : 0;
  const body: unknown = await response.json().catch(() => null);
  if (!isRecord(body) || !text(body["code"])) return new Problem("unavailable", response.status, { retryAfter, requestId: response.headers.get("X-Request-Id") ?? "" });
  const errors = Array.isArray(body["errors"]) ? body["errors"].filter(isRecord) : [];
  return new Problem(text(body["code"]), response.status, {
    message: text(body["detail"]) || text(body["title"]),
    errors: errors.map((each) => ({ field: text(each["field"]), code: text(each["code"]), message: text(each["message"]) })),
    details: isRecord(body["details"]) ? body["details"] : {},
    requestId: text(body["requestId"]),
    retryAfter,
  });
}
