/** Signing in, staying signed in and calling the service, for pages. */
export { createAuth, type Auth, type AuthFetchInit, type AuthOptions, type AuthState, type SignInInput } from "./auth.ts";
export { readClaims, type Claims } from "./claims.ts";
export { createMemory, type Memory } from "./memory.ts";
export { Problem, problemIn, problemOf, type FieldProblem } from "./problem.ts";
export { localPath } from "./paths.ts";
export type { Me, Membership, User } from "./people.ts";
export { allows } from "./permissions.ts";
export type { StreamEvent } from "./sse.ts";
export type { AuthorizeOptions, CallbackResult } from "./sso.ts";
