// Drives the payment stand-in with npm's stripe through every call that Portico makes, and verifies its webhooks with stripe's own code.
import assert from "node:assert/strict";
import http from "node:http";
import Stripe from "stripe";

const origin = new URL(process.env.ORIGIN),
  secret = process.env.WEBHOOK_SECRET;
const stripe = new Stripe(process.env.KEY, {
  host: origin.hostname,
  port: origin.port,
  protocol: "http",
  maxNetworkRetries: 0,
  telemetry: false,
});
const step = async (name, act) => {
  await act();
  console.log(name);
};
const rejected = async (call, type, code) =>
  assert.rejects(call, (error) => {
    assert.equal(error.type, type, error.message);
    if (code) assert.equal(error.code, code, error.message);
    return true;
  });

// Webhooks: every body is verified from its raw bytes.
const events = [];
let waiting = () => {};
http
  .createServer((request, answer) => {
    const parts = [];
    request
      .on("data", (part) => parts.push(part))
      .on("end", () => {
        const body = Buffer.concat(parts);
        events.push(stripe.webhooks.constructEvent(body, request.headers["stripe-signature"], secret));
        assert.throws(() => stripe.webhooks.constructEvent(body, request.headers["stripe-signature"], "whsec_other"));
        answer.end("{}");
        waiting();
      });
  })
  .listen(Number(process.env.HOOK_PORT), "127.0.0.1");
const event = async (type, of) => {
  for (;;) {
    const found = events.find((each) => each.type === type && (!of || each.data.object.id === of));
    if (found) return found;
    await new Promise((done) => {
      waiting = done;
    });
  }
};
const control = async (what, body) => {
  const answer = await fetch(`${origin.origin}/_control/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
};
const pay = async (session, card, action = "pay") =>
  fetch(session.url, { method: "POST", redirect: "manual", body: new URLSearchParams({ email: "payer@example.com", card, action }) });
const metadata = { package: "five", seats: "3", owner_type: "organization", owner_id: "org_1", checkoutId: "chk_1" };
const sessionOf = (price, more = {}) =>
  stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: price.id, quantity: 3 }],
    success_url: "http://127.0.0.1/back?session={CHECKOUT_SESSION_ID}",
    cancel_url: "http://127.0.0.1/left",
    metadata,
    subscription_data: { metadata },
    ...more,
  });

let product, five, ten, customer, session, subscription;
await step("products and prices", async () => {
  product = await stripe.products.create({ name: "Five apps", metadata: { package: "five" } });
  five = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 4900,
    recurring: { interval: "month" },
    lookup_key: "portico_five_month_usd",
  });
  ten = await stripe.prices.create({
    product_data: { name: "Ten apps" },
    currency: "usd",
    unit_amount: 8900,
    recurring: { interval: "month" },
    lookup_key: "portico_ten_month_usd",
  });
  assert.equal((await stripe.prices.list({ lookup_keys: ["portico_ten_month_usd"] })).data[0].id, ten.id);
  assert.equal((await stripe.prices.retrieve(five.id, { expand: ["product"] })).product.name, "Five apps");
  await rejected(
    stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 1,
      recurring: { interval: "month" },
      lookup_key: five.lookup_key,
    }),
    "StripeInvalidRequestError",
    "resource_already_exists",
  );
  assert.equal((await stripe.products.update(product.id, { description: "Five" })).description, "Five");
});
await step("customers", async () => {
  customer = await stripe.customers.create({ email: "owner@example.com", name: "Owner", metadata: { owner_id: "org_1", gone: "x" } });
  assert.deepEqual((await stripe.customers.update(customer.id, { metadata: { gone: "" } })).metadata, { owner_id: "org_1" });
  assert.equal((await stripe.customers.list({ email: "owner@example.com" })).data.length, 1);
});
await step("idempotency keys", async () => {
  const params = { email: "once@example.com" };
  const [one, two] = [
    await stripe.customers.create(params, { idempotencyKey: "once" }),
    await stripe.customers.create(params, { idempotencyKey: "once" }),
  ];
  assert.equal(one.id, two.id);
  assert.equal(two.lastResponse.headers["idempotent-replayed"], "true");
  await rejected(stripe.customers.create({ email: "other@example.com" }, { idempotencyKey: "once" }), "StripeIdempotencyError");
});
await step("a lost response and its retry", async () => {
  await control("faults", { kind: "lost_response", path: "/v1/customers", count: 2 });
  await rejected(stripe.customers.create({ email: "lost@example.com" }, { idempotencyKey: "lost" }), "StripeConnectionError");
  await stripe.customers.create({ email: "lost@example.com" }, { idempotencyKey: "lost" });
  assert.equal((await stripe.customers.list({ email: "lost@example.com" })).data.length, 1);
  await control("faults", { kind: "unavailable" });
  await rejected(stripe.customers.list(), "StripeAPIError");
});
await step("errors", async () => {
  await rejected(stripe.customers.retrieve("cus_none"), "StripeInvalidRequestError", "resource_missing");
  await rejected(stripe.customers.create({ emial: "x" }), "StripeInvalidRequestError", "parameter_unknown");
  await rejected(stripe.subscriptions.update("sub_none", {}), "StripeInvalidRequestError", "resource_missing");
  await rejected(sessionOf(five, { success_url: undefined }), "StripeInvalidRequestError", "parameter_missing");
  await rejected(
    sessionOf(five, { line_items: [{ price: five.id, quantity: 0 }] }),
    "StripeInvalidRequestError",
    "parameter_invalid_integer",
  );
  const live = new Stripe("sk_" + "live_x", { host: origin.hostname, port: origin.port, protocol: "http", maxNetworkRetries: 0 });
  await rejected(live.customers.list(), "StripeAuthenticationError");
  const foreign = new Stripe("sk_test_other", { host: origin.hostname, port: origin.port, protocol: "http", maxNetworkRetries: 0 });
  await rejected(foreign.customers.list(), "StripeAuthenticationError");
  assert.equal((await stripe.customers.list({ limit: 100 })).data.length, 3);
});
await step("a checkout session has no subscription before it is paid", async () => {
  session = await sessionOf(five, { customer: customer.id, client_reference_id: "chk_1" });
  assert.deepEqual([session.status, session.payment_status, session.subscription, session.livemode], ["open", "unpaid", null, false]);
  assert.equal((await stripe.checkout.sessions.listLineItems(session.id)).data[0].quantity, 3);
  assert.equal((await stripe.subscriptions.list({ customer: customer.id })).data.length, 0);
  assert.match(await (await fetch(session.url)).text(), /No money moves/);
});
await step("decline and cancel leave the session open", async () => {
  assert.equal((await pay(session, "declines")).status, 402);
  const left = await pay(session, "works", "cancel");
  assert.deepEqual([left.status, left.headers.get("location")], [303, "http://127.0.0.1/left"]);
  assert.equal((await stripe.checkout.sessions.retrieve(session.id)).status, "open");
});
await step("payment", async () => {
  const paid = await pay(session, "works");
  assert.deepEqual([paid.status, paid.headers.get("location")], [303, `http://127.0.0.1/back?session=${session.id}`]);
  session = await stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription", "line_items"] });
  subscription = session.subscription;
  assert.deepEqual([session.status, session.line_items.data[0].price.id], ["complete", five.id]);
  assert.deepEqual([subscription.status, subscription.metadata, subscription.items.data[0].quantity], ["active", metadata, 3]);
  const { current_period_start: start, current_period_end: end } = subscription.items.data[0];
  assert.ok(end - start >= 28 * 86400 && subscription.current_period_end === undefined);
  assert.equal(await (await pay(session.url ? session : { url: `${origin.origin}/c/pay/${session.id}` }, "works")).status, 200);
  assert.equal((await stripe.subscriptions.list({ customer: customer.id })).data.length, 1);
});
await step("webhooks", async () => {
  const created = await event("customer.subscription.created", subscription.id);
  assert.equal(created.data.object.status, "incomplete");
  assert.equal((await event("customer.subscription.updated", subscription.id)).data.previous_attributes.status, "incomplete");
  assert.equal((await event("checkout.session.completed", session.id)).data.object.subscription, subscription.id);
  const invoice = (await event("invoice.paid")).data.object;
  assert.deepEqual(
    [invoice.parent.subscription_details.subscription, invoice.subscription, invoice.amount_paid],
    [subscription.id, undefined, 14700],
  );
  assert.equal((await stripe.events.retrieve(created.id)).type, created.type);
  assert.ok((await stripe.events.list({ type: "invoice.paid" })).data.length === 1);
});
await step("test header", async () => {
  const header = stripe.webhooks.generateTestHeaderString({ payload: process.env.PAYLOAD, secret, timestamp: Number(process.env.AT) });
  assert.equal(header, process.env.HEADER);
});
await step("another version shows the old shapes", async () => {
  const before = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] }, { apiVersion: "2024-06-20" });
  assert.equal(before.current_period_end, subscription.items.data[0].current_period_end);
  assert.deepEqual([before.items.data[0].current_period_end, before.latest_invoice.subscription], [undefined, subscription.id]);
});
await step("a preview equals the invoice", async () => {
  await control("clock", { advance: 10 * 86400 + 12345 });
  const item = subscription.items.data[0].id,
    at = (await control("clock", { advance: 0 })).now;
  const change = { items: [{ id: item, price: ten.id, quantity: 7 }], proration_behavior: "always_invoice", proration_date: at };
  const preview = await stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: change });
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).items.data[0].quantity, 3);
  const updated = await stripe.subscriptions.update(subscription.id, {
    ...change,
    payment_behavior: "error_if_incomplete",
    expand: ["latest_invoice"],
  });
  assert.deepEqual([updated.latest_invoice.total, updated.latest_invoice.status], [preview.total, "paid"]);
  assert.ok(preview.total > 0 && preview.lines.data.length === 2);
  const less = { items: [{ id: item, quantity: 6 }], proration_behavior: "create_prorations", proration_date: at };
  const next = await stripe.invoices.createPreview({ subscription: subscription.id, subscription_details: less });
  await stripe.subscriptions.update(subscription.id, less);
  await control("clock", { now: updated.items.data[0].current_period_end + 1 });
  const renewed = (await stripe.invoices.list({ subscription: subscription.id, limit: 1 })).data[0];
  assert.deepEqual([renewed.billing_reason, renewed.total, renewed.status], ["subscription_cycle", next.total, "paid"]);
});
await step("items", async () => {
  const added = await stripe.subscriptionItems.create({ subscription: subscription.id, price: five.id, quantity: 1 });
  assert.equal((await stripe.subscriptionItems.update(added.id, { quantity: 2 })).quantity, 2);
  assert.equal((await stripe.subscriptionItems.list({ subscription: subscription.id })).data.length, 2);
  assert.equal((await stripe.subscriptionItems.del(added.id)).deleted, true);
  assert.equal((await stripe.subscriptionItems.retrieve(subscription.items.data[0].id)).quantity, 6);
});
await step("another interval begins a period", async () => {
  const year = await stripe.prices.create({ product: product.id, currency: "usd", unit_amount: 49000, recurring: { interval: "year" } });
  const updated = await stripe.subscriptions.update(subscription.id, { items: [{ id: subscription.items.data[0].id, price: year.id }] });
  const { current_period_start: start, current_period_end: end } = updated.items.data[0];
  assert.ok(end - start >= 365 * 86400 && start === updated.billing_cycle_anchor);
});
await step("a card that declines", async () => {
  await control("cards", { customer: customer.id, declines: true });
  const change = {
    items: [{ id: subscription.items.data[0].id, quantity: 50 }],
    proration_behavior: "always_invoice",
    payment_behavior: "error_if_incomplete",
  };
  await rejected(stripe.subscriptions.update(subscription.id, change), "StripeCardError", "card_declined");
  const { items } = await stripe.subscriptions.retrieve(subscription.id);
  assert.equal(items.data[0].quantity, 6);
  await control("clock", { now: items.data[0].current_period_end });
  assert.equal((await event("invoice.payment_failed")).data.object.parent.subscription_details.subscription, subscription.id);
  const late = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
  assert.deepEqual([late.status, late.latest_invoice.status], ["past_due", "open"]);
  await rejected(stripe.invoices.pay(late.latest_invoice.id), "StripeCardError", "card_declined");
  await control("cards", { customer: customer.id, declines: false });
  assert.equal((await stripe.invoices.pay(late.latest_invoice.id)).status, "paid");
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).status, "active");
});
await step("pause and resume", async () => {
  await control("pauses", { subscription: subscription.id });
  await event("customer.subscription.paused", subscription.id);
  assert.equal((await stripe.subscriptions.resume(subscription.id)).status, "active");
  await event("customer.subscription.resumed", subscription.id);
});
await step("portal", async () => {
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url: "http://127.0.0.1/settings/billing" });
  const page = await (await fetch(portal.url)).text();
  assert.match(page, /No money moves/);
  assert.match(page, /href='http:\/\/127.0.0.1\/settings\/billing'/);
  const answer = await fetch(portal.url, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ subscription: subscription.id, action: "cancel" }),
  });
  assert.equal(answer.status, 303);
  assert.equal((await stripe.subscriptions.retrieve(subscription.id)).cancel_at_period_end, true);
  assert.equal((await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false })).cancel_at, null);
});
await step("refund", async () => {
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  assert.equal((await stripe.refunds.create({ charge: charge.id })).status, "succeeded");
  assert.equal((await event("charge.refunded", charge.id)).data.object.refunded, true);
  await rejected(stripe.refunds.create({ payment_intent: charge.payment_intent }), "StripeInvalidRequestError", "charge_already_refunded");
});
await step("the end of a subscription", async () => {
  assert.equal((await stripe.subscriptions.cancel(subscription.id)).status, "canceled");
  await event("customer.subscription.deleted", subscription.id);
  await rejected(stripe.subscriptions.cancel(subscription.id), "StripeInvalidRequestError", "resource_missing");
  assert.equal((await stripe.subscriptions.list({ customer: customer.id, status: "all" })).data[0].status, "canceled");
});
await step("expiry of a session", async () => {
  const [one, two] = [await sessionOf(five), await sessionOf(five)];
  assert.equal((await stripe.checkout.sessions.expire(one.id)).status, "expired");
  await control("clock", { advance: 86401 });
  await event("checkout.session.expired", two.id);
  assert.match(await (await fetch(two.url)).text(), /has expired/);
});
await step("an amount above the minimum", async () => {
  const open = await sessionOf(five, {
    line_items: [
      { price_data: { currency: "usd", unit_amount: 6000, recurring: { interval: "month" }, product: product.id }, quantity: 2 },
    ],
  });
  assert.equal((await pay(open, "later")).status, 303);
  const made = await stripe.checkout.sessions.retrieve(open.id, { expand: ["subscription.latest_invoice", "customer"] });
  assert.deepEqual([made.subscription.latest_invoice.amount_paid, made.customer.email], [12000, "payer@example.com"]);
  await control("clock", { now: made.subscription.items.data[0].current_period_end + 16 * 86400 });
  assert.equal((await stripe.subscriptions.retrieve(made.subscription.id)).status, "canceled");
});
await step("lists", async () => {
  const ids = [];
  for await (const each of stripe.customers.list({ limit: 2 })) ids.push(each.id);
  assert.equal(new Set(ids).size, 4);
  assert.equal((await stripe.customers.list({ limit: 1, ending_before: ids[1] })).data[0].id, ids[0]);
  assert.equal((await stripe.customers.list({ created: { gt: 10 ** 10 } })).data.length, 0);
});
process.exit(0);
