import { useApi } from "@portico/app-shell";
import type { Api } from "@portico/api";
import { useQuery } from "@tanstack/react-query";

/** The rows of billing that the settings use. */
interface Operation<Response, Path = undefined, Body = undefined, Query = undefined> {
  parameters: { path: Path; query?: Query };
  requestBody: Body extends undefined ? undefined : { content: { "application/json": Body } };
  responses: { 200: { content: { "application/json": Response } } };
}

export const packages = ["three", "five", "ten", "everything"] as const;
export type Package = (typeof packages)[number];

export interface Price {
  amount: number;
  currency: string;
  interval: "month" | "year";
}

export interface Subscription {
  id: string | null;
  owner_type: string;
  owner_id: string;
  package: Package | null;
  status: "incomplete" | "trialing" | "active" | "past_due" | "unpaid" | "paused" | "canceled";
  selectedServiceIds: string[];
  seats: { purchased: number; used: number; humans: number; agents: number };
  unitPrice: Price;
  currentPeriodEnd: string | null;
  cancelAtPeriodEnd: boolean;
  livemode: boolean;
  version: number;
}

export interface Subscriptions {
  paid: Subscription[];
  freeWorkspace: Subscription[];
  processor: "none" | "manual" | "stripe";
}

export interface Seat {
  id: string;
  assignee: { type: "human" | "agent"; id: string };
}

interface Terms {
  package: Package;
  seats: number;
  total: number;
  currency: string;
}

export interface Preview {
  current: Terms;
  proposed: Terms;
  proration: { creditAmount: number; chargeNow: number; nextInvoiceAt: string | null; nextInvoiceTotal: number; at: string };
  appsGained: string[];
  appsLost: string[];
  seatsShort: number;
}

export interface PlanWish {
  package?: Package;
  seats?: number;
  selectedServiceIds?: string[];
}

interface Rows {
  "/api/billing/subscriptions": { get: Operation<Subscriptions> };
  "/api/billing/preview": { get: Operation<Preview, undefined, undefined, PlanWish> };
  "/api/billing/seats": {
    get: Operation<
      { items: Seat[]; nextCursor: string | null },
      undefined,
      undefined,
      { subscriptionId: string; limit: number; cursor?: string }
    >;
    post: Operation<Seat, undefined, { subscriptionId: string; assignee: { id: string } }>;
  };
  "/api/billing/seats/{seatId}": { delete: Operation<undefined, { seatId: string }> };
  "/api/billing/portal": { post: Operation<{ url: string }, undefined, { returnPath: string }> };
  "/api/billing/subscriptions/{id}/change": {
    post: Operation<Subscription, { id: string }, PlanWish & { prorationDate?: string }>;
  };
  "/api/billing/subscriptions/{id}/cancel": { post: Operation<Subscription, { id: string }, object> };
  "/api/billing/subscriptions/{id}/resume": { post: Operation<Subscription, { id: string }, object> };
}

export const useBilling = (): Api<Rows> => useApi<Rows>();

export const billingKey = ["/api/billing"];
const live = new Set(["trialing", "active", "past_due", "unpaid", "paused"]);

/** The subscriptions of the active organization, or of the user in personal context. */
export function useSubscriptions() {
  const api = useBilling();
  return useQuery({
    queryKey: [...billingKey, "subscriptions"],
    queryFn: ({ signal }) => api.get("/api/billing/subscriptions", { signal }),
  });
}

/** The live paid subscription; undefined where there is none. */
export const currentOf = ({ paid }: Subscriptions): (Subscription & { id: string }) | undefined =>
  paid.find((each): each is Subscription & { id: string } => each.id !== null && live.has(each.status));
