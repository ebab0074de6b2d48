/**
 * What went wrong, whoever says it: the server's problem document (RFC 9457), or the client where no server answered (`status` 0).
 *
 * @example
 * const problem: Problem = problemOf({ status: 404, code: "not_found" });
 * console.log(problem.code);
 */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  /** Seconds until the server wants to be asked again; 0: it does not say. */
  readonly retryAfter: number;
  readonly errors: readonly FieldProblem[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** One field of what was sent: `emails[0].address`, its code, and the server's words. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Reads a problem from whatever was thrown: an error of `auth.fetch` or of the typed client, a problem document, or anything else (`unavailable`).
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
  const outer = record(error);
  const it = outer["problem"] === undefined ? outer : { ...record(outer["problem"]), retryAfter: outer["retryAfter"] };
  const code = text(it["code"]);
  return {
    status: number(it["status"]),
    code: code || (it["name"] === "AbortError" ? "aborted" : "unavailable"),
    detail: code ? text(it["detail"]) || (text(it["message"]) === code ? "" : text(it["message"])) : "",
    requestId: text(it["requestId"]),
    retryAfter: number(it["retryAfter"]),
    errors: (Array.isArray(it["errors"]) ? it["errors"] : []).map(record).map((each) => ({ field: text(each["field"]), code: text(each["code"]), message: text(each["message"]) })),
    details: record(it["details"]),
  };
}

/**
 * True where the same request may succeed later without anybody doing something else.
 *
 * @example
 * console.log(mayPass(problemOf({ status: 503, code: "overloaded" }))); // true
 */
export function mayPass(problem: Problem): boolean {
  return problem.status === 0 || problem.status === 429 || problem.status >= 500;
}

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
