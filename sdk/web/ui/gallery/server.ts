import type { Request } from "../src/ui.tsx";

/** A contact of the gallery. */
export interface Contact {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly company: string;
  readonly email: string;
  readonly stage: string;
  readonly value: number;
  readonly updatedAt: string;
  readonly tags: readonly string[];
  readonly notes: string;
  readonly doNotContact: boolean;
  readonly website: string;
  readonly callAt: string | null;
  readonly referredBy: string | null;
}

const FIRST = ["Ada", "Grace", "Édouard", "Zoë", "Linus", "سارة", "Margaret", "Alan", "Katherine", "Tim", "佐藤", "Barbara"];
const LAST = [
  "Lovelace",
  "Hopper",
  "Lukas",
  "Müller",
  "Torvalds",
  "العلي",
  "Hamilton",
  "Turing",
  "Johnson",
  "Berners-Lee",
  "花子",
  "Liskov",
];
const COMPANIES = ["Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark Industries", "Wayne Enterprises"];
export const STAGES = ["Lead", "Qualified", "Proposal", "Negotiation", "Won", "Lost"];

export const contact = (at: number): Contact => {
  const name =
    at === 7 ? "\u202eevil <script>alert(1)</script> 👩‍👩‍👧‍👦 " + "x".repeat(200) : `${FIRST[at % FIRST.length]} ${LAST[(at * 7) % LAST.length]}`;
  return {
    id: `con_${at}`,
    version: 1,
    name,
    company: COMPANIES[(at * 3) % COMPANIES.length] ?? "",
    email: `person.${at}@example.com`,
    stage: STAGES[at % STAGES.length] ?? "",
    value: ((at * 7919) % 90_000) * 100,
    updatedAt: new Date(Date.UTC(2026, 10, 20) - at * 3_600_000).toISOString(),
    tags: at % 3 === 0 ? ["customer", "vip"] : at % 5 === 0 ? ["press"] : [],
    notes: "Met at the **fair** in Leipzig.\n\n- wants an offer\n- calls back on Monday",
    doNotContact: at % 11 === 0,
    website: `https://example.com/${at}`,
    callAt: at % 2 ? null : "2026-12-01T09:30:00Z",
    referredBy: at ? "con_0" : null,
  };
};

/** What the fake service does to the next requests: how many it has, how long it takes, what it refuses. */
export const faults = {
  count: 200_000,
  delayMs: 0,
  hang: false,
  hold: false,
  refuse: null as null | Record<string, unknown>,
  shortPages: false,
};
export const requests: Request[] = [];
const held: (() => void)[] = [];
/** Lets the requests go on that `hold` has stopped, and all later ones. */
export const release = () => ((faults.hold = false), held.splice(0).forEach((go) => go()));
const changed = new Map<string, Contact>();
const now = (at: number): Contact => changed.get(`con_${at}`) ?? contact(at);

/** A service in memory, with cursors, totals, search, versions and refusals as the real ones have them. */
export async function send<T>(request: Request): Promise<T> {
  requests.push(request);
  const { signal } = request;
  await new Promise<void>((done, fail) => {
    signal?.addEventListener("abort", () => fail(new DOMException("aborted", "AbortError")));
    if (faults.hold) held.push(done);
    else if (!faults.hang) setTimeout(done, faults.delayMs);
  });
  if (faults.refuse) throw faults.refuse;
  return answer(request) as T;
}

const OPENAPI = {
  paths: {
    "/api/contacts": {
      post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/NewContact" } } } } },
    },
  },
  components: {
    schemas: {
      Stage: { type: "string", enum: STAGES },
      NewContact: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 2, maxLength: 100 },
          notes: { type: "string", maxLength: 20_000 },
          value: { type: ["integer", "null"], minimum: 0 },
          stage: { anyOf: [{ $ref: "#/components/schemas/Stage" }, { type: "null" }] },
        },
      },
    },
  },
};

function answer({ method, path, query = {}, body, version }: Request): unknown {
  if (path === "/openapi.json") return OPENAPI;
  const [, , , id, action] = path.split("/");
  if (id) {
    const at = Number(id.slice(4));
    const before = now(at);
    if (action) {
      const after = { ...before, ...(action === "qualify" ? { stage: "Qualified" } : { doNotContact: true }), version: before.version + 1 };
      changed.set(id, after);
      return after;
    }
    if (method === "GET") return before;
    if (method === "DELETE") return undefined;
    if (version !== undefined && version !== before.version) throw { status: 412, code: "version_conflict", requestId: "01jd0example" };
    const change = body as Partial<Contact>;
    if (change.email !== undefined && !change.email.includes("@"))
      throw {
        status: 400,
        code: "validation_failed",
        detail: "1 field is not valid",
        errors: [{ field: "email", code: "invalid_email", message: "Not an e-mail address" }],
      };
    if (change.company === "Refused")
      throw { status: 409, code: "conflict", detail: "Acme pays for this contact.", requestId: "01jd0example" };
    const after = { ...before, ...change, version: before.version + 1 };
    changed.set(id, after);
    return after;
  }
  if (method === "POST") {
    const made = body as Partial<Contact>;
    if (made.name === "taken")
      throw {
        status: 400,
        code: "validation_failed",
        errors: [
          { field: "name", code: "taken", message: "There is one already" },
          { field: "planet", code: "unknown", message: "No such planet" },
        ],
      };
    return { ...contact(faults.count), ...made };
  }
  const limit = Number(query["limit"] ?? 50);
  const from = Number(query["cursor"] ?? 0);
  const q = String(query["q"] ?? "").toLowerCase();
  const stages = String(query["stage"] ?? "")
    .split(",")
    .filter(Boolean);
  const backwards = String(query["sort"] ?? "").startsWith("-");
  const items: Contact[] = [];
  let at = from;
  const read = faults.shortPages ? 5 : q || stages.length ? limit * 20 : limit;
  for (; at < faults.count && items.length < limit && at < from + read; at += 1) {
    const each = now(backwards ? faults.count - 1 - at : at);
    if (
      (!q || each.name.toLowerCase().includes(q) || each.company.toLowerCase().includes(q)) &&
      (!stages.length || stages.includes(each.stage))
    )
      items.push(each);
  }
  const total = q
    ? q === "nobody"
      ? 0
      : Math.round(faults.count / 12)
    : stages.length
      ? Math.round((faults.count * stages.length) / STAGES.length)
      : faults.count;
  if (q === "nobody") return { items: [], nextCursor: null, total: 0 };
  return { items, nextCursor: at < faults.count ? String(at) : null, ...(query["include"] ? { total } : {}) };
}
