/** Calling a service by the types of its own `/openapi.json`. */
export { createApi, type Answer, type Api, type CallOptions, type Fetcher, type Method } from "./api.ts";
export { Problem, problemIn, problemOf, type FieldProblem } from "@portico/auth-client";
