// Signs webhooks with stripe's own code and sends them to the launchpad; prints the status and code of each.
import Stripe from "stripe";

const { HOOK: url, WEBHOOK_SECRET: secret } = process.env;
const { webhooks } = new Stripe("sk_test_x", { telemetry: false });
const body = (id, text = "ä ✓") =>
  JSON.stringify(
    { id, object: "event", type: "customer.tax_id.created", created: 1, data: { object: { id: "txi_1", object: "tax_id", text } } },
    null,
    2,
  );
const send = async (name, payload, header) => {
  const answer = await fetch(url, {
    method: "POST",
    body: payload,
    headers: { "Content-Type": "application/json", "Stripe-Signature": header },
  });
  const { code = "", duplicate } = await answer.json();
  console.log(`${name}: ${answer.status} ${code || (duplicate ? "duplicate" : "fresh")}`);
};
const sign = (payload, more = {}) => webhooks.generateTestHeaderString({ payload, secret, ...more });
const now = Math.floor(Date.now() / 1000);

const first = body("evt_stripe_1");
await send("signed", first, sign(first));
await send("again", first, sign(first, { timestamp: now - 200 }));
await send("other secret", body("evt_2"), sign(body("evt_2"), { secret: "whsec_other" }));
await send("altered", body("evt_3", "b"), sign(body("evt_3", "a")));
await send("encoded anew", JSON.stringify(JSON.parse(body("evt_4"))), sign(body("evt_4")));
await send("old", body("evt_5"), sign(body("evt_5"), { timestamp: now - 400 }));
await send("ahead", body("evt_6"), sign(body("evt_6"), { timestamp: now + 400 }));
await send("other scheme", body("evt_7"), sign(body("evt_7"), { scheme: "v0" }));
const rotated = body("evt_8");
await send("two values", rotated, `${sign(rotated, { secret: "whsec_other" })},${sign(rotated).split(",")[1]}`);
