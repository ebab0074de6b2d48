import { isRecord, numberOf, textOf, textsOf } from "./values.ts";

/**
 * Who is signed in, as `/api/auth/me` tells it.
 *
 * @example
 * const greet = (user: User) => `Hello ${user.displayName || user.email}`;
 * console.log(greet({ id: "usr_1", email: "ada@acme.example", displayName: "Ada", avatarUrl: null, locale: "en", timezone: "Europe/Berlin" }));
 */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  /** BCP 47; empty: not known yet, so the browser's. */
  readonly locale: string;
  /** A name of the IANA database; empty: none was chosen, so the device's. */
  readonly timezone: string;
}

/**
 * Something that one belongs to: an organization with the role there.
 *
 * @example
 * const acme: Membership = { id: "org_1", name: "Acme", slug: "acme", role: "admin" };
 * console.log(acme.role);
 */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly role: string;
}

/**
 * What the app knows of the person at its service, in the active context.
 *
 * @example
 * const mayExport = (me: Me) => me.permissions.includes("crm.contacts:export");
 * console.log(typeof mayExport);
 */
export interface Me {
  readonly user: User;
  readonly role: string;
  readonly context: "organization" | "personal";
  /** Null in the personal context. */
  readonly organizationId: string | null;
  readonly organizations: readonly Membership[];
  /** At the service of this origin; `auth.can` asks it. */
  readonly permissions: readonly string[];
  readonly revision: number;
  /** The whole answer, for what only some apps need (households, onboarding). */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** Null for an answer that is none of identity's. */
export function meOf(answer: unknown): Me | null {
  if (!isRecord(answer) || !isRecord(answer["user"]) || !isRecord(answer["activeContext"])) return null;
  const { user, activeContext: context, organizations } = answer;
  if (!textOf(user["id"])) return null;
  return {
    user: {
      id: textOf(user["id"]),
      email: textOf(user["email"]),
      displayName: textOf(user["displayName"]),
      avatarUrl: textOf(user["avatarUrl"]) || null,
      locale: textOf(user["locale"]),
      timezone: textOf(user["timezone"]),
    },
    role: textOf(context["role"]) || "member",
    context: context["kind"] === "organization" ? "organization" : "personal",
    organizationId: textOf(context["organizationId"]) || null,
    organizations: (Array.isArray(organizations) ? organizations : []).filter(isRecord).map((each) => ({
      id: textOf(each["id"]),
      name: textOf(each["name"]),
      slug: textOf(each["slug"]),
      role: textOf(each["role"]) || "member",
    })),
    permissions: textsOf(answer["effectivePermissions"]),
    revision: numberOf(answer["revision"]),
    answer,
  };
}
