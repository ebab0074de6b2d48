"""Routes of checkout sessions, subscriptions, their items, invoices and portal sessions."""

import invoices
import subscriptions
from catalog import create_customer, price_of
from forms import ApiError, Params

BEHAVIORS = ("create_prorations", "always_invoice", "none")
LEAST_SESSION_SECONDS, SESSION_SECONDS = 1800, 24 * 3600


# Checkout sessions.
def create_session(ledger, params, origin):
    params.text("mode", required=True, choices=("subscription",))
    params.ignore("payment_method_types", "payment_method_collection", "billing_address_collection", "locale", "allow_promotion_codes", "automatic_tax", "submit_type",
                  "customer_update", "tax_id_collection", "custom_text", "saved_payment_method_options", "integration_identifier")
    params.text("ui_mode", choices=("hosted", "hosted_page"))
    success, cancel = params.address("success_url", required=True), params.address("cancel_url")
    customer, email = params.text("customer"), params.text("customer_email", longest=512)
    if customer and email:
        raise ApiError(400, "You may only specify one of these parameters: customer, customer_email.")
    if customer:
        ledger.get("customer", customer, "customer", 400)
    expires = params.integer("expires_at", most=10 ** 11) or ledger.now() + SESSION_SECONDS
    if not LEAST_SESSION_SECONDS - 60 <= expires - ledger.now() <= SESSION_SECONDS:
        raise ApiError(400, "The `expires_at` timestamp must be from 30 minutes to 24 hours from Checkout Session creation.", None, "expires_at")
    data = params.mapping("subscription_data")
    metadata, inner, description = params.metadata(), data.metadata(), data.text("description", longest=500)
    reference = params.text("client_reference_id", longest=200)
    lines = []
    for each in params.objects("line_items", required=True):
        each.ignore("adjustable_quantity")
        lines.append((price_of(ledger, each), each.integer("quantity", 1, 999999, required=True)))
    if len({(price["currency"], price["recurring"]["interval"]) for price, _ in lines}) > 1:
        raise ApiError(400, "All line items need the same currency and interval.", None, "line_items")
    params.finish()
    total = sum(price["unit_amount"] * quantity for price, quantity in lines)
    session = ledger.add("checkout.session", "cs_test_", amount_subtotal=total, amount_total=total, automatic_tax={"enabled": False, "liability": None, "provider": None, "status": None},
                         cancel_url=cancel, client_reference_id=reference, client_secret=None, currency=lines[0][0]["currency"], custom_fields=[], custom_text={},
                         customer=customer, customer_creation=None if customer else "always", customer_details={"email": email} if email else None,
                         customer_email=email, expires_at=expires, invoice=None, locale=None, metadata=metadata, mode="subscription", payment_intent=None,
                         payment_method_collection="always", payment_method_types=["card"], payment_status="unpaid", setup_intent=None, status="open",
                         subscription=None, success_url=success, total_details={"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0}, ui_mode="hosted_page",
                         _lines=[[price["id"], quantity] for price, quantity in lines], _metadata=inner, _description=description)
    session["url"] = f"{origin}/c/pay/{session['id']}"
    return session


def line_items(ledger, session):
    rows = []
    for price, quantity in ((ledger.records[price], quantity) for price, quantity in session["_lines"]):
        amount = price["unit_amount"] * quantity
        rows.append({"id": f"li_{price['id']}", "object": "item", "amount_discount": 0, "amount_subtotal": amount, "amount_tax": 0, "amount_total": amount,
                     "currency": price["currency"], "description": ledger.records[price["product"]]["name"], "price": price, "quantity": quantity})
    return rows


def expire_session(ledger, params, wanted):
    session = ledger.get("checkout.session", wanted)
    if session["status"] != "open":
        raise ApiError(400, f"This Session has a status of {session['status']}; only open Sessions can be expired.")
    subscriptions.expire(ledger, session)
    return session


def complete(ledger, session, email, declines):
    """The customer pays: only now there is a subscription. @param declines whether later payments decline"""
    if session["customer"]:
        customer = ledger.records[session["customer"]]
    else:
        customer = create_customer(ledger, Params({"email": email}))
    method = ledger.add("payment_method", "pm_1", _declines=declines, billing_details={"email": customer["email"]}, customer=customer["id"], metadata={}, type="card",
                        card={"brand": "visa", "last4": "0341" if declines else "4242", "exp_month": 12, "exp_year": 2040})
    ledger.emit("payment_method.attached", method)
    if not customer["invoice_settings"]["default_payment_method"]:
        customer["invoice_settings"]["default_payment_method"] = method["id"]
    # The first payment works in any case.
    method["_declines"] = False
    made, invoice = subscriptions.begin(ledger, customer, [(ledger.records[price], quantity) for price, quantity in session["_lines"]], dict(session["_metadata"]),
                                        method["id"], session["_description"])
    method["_declines"] = declines
    session.update(status="complete", payment_status="paid", customer=customer["id"], subscription=made["id"], invoice=invoice["id"], url=None,
                   customer_details={"email": customer["email"] or email, "name": customer["name"]})
    ledger.emit("checkout.session.completed", session)
    return session


# Subscriptions.
def wanted_change(ledger, params, key="items"):
    found = []
    for each in params.objects(key):
        item = each.text("id")
        price = price_of(ledger, each) if "price" in each or "price_data" in each else None
        if not item and not price:
            raise ApiError(400, f"Missing required param: {each.name('price')}.", "parameter_missing", each.name("price"))
        quantity = each.integer("quantity", 0, 999999)
        found.append({"id": item, "price": price, "quantity": quantity, "deleted": bool(each.boolean("deleted")), "metadata": each.metadata() if "metadata" in each else None})
    return found


def checked(subscription, change):
    known = {each["id"] for each in subscription["items"]["data"]}
    for each in change:
        if each["id"] and each["id"] not in known:
            raise ApiError(400, f"No such subscription item: '{each['id']}'", "resource_missing", "items")
        if each["price"] and each["price"]["currency"] != subscription["currency"]:
            raise ApiError(400, "A subscription has one currency.", None, "items")
    return change


def proration(ledger, params, subscription):
    behavior = params.text("proration_behavior", choices=BEHAVIORS) or "create_prorations"
    first = subscription["items"]["data"][0]
    at = params.integer("proration_date", first["current_period_start"], first["current_period_end"]) or ledger.now()
    return behavior, at


def update_subscription(ledger, params, wanted):
    subscription = ledger.get("subscription", wanted)
    if subscription["status"] in ("canceled", "incomplete_expired"):
        raise ApiError(400, "A canceled subscription can only update its cancellation_details and metadata.")
    params.ignore("off_session", "payment_settings", "automatic_tax")
    change = checked(subscription, wanted_change(ledger, params))
    behavior, at = proration(ledger, params, subscription)
    failing = params.text("payment_behavior", choices=("allow_incomplete", "error_if_incomplete", "default_incomplete")) == "error_if_incomplete"
    ending, metadata = params.boolean("cancel_at_period_end"), params.metadata(subscription["metadata"])
    method, description = params.text("default_payment_method"), params.text("description")
    pause = params.raw("pause_collection")
    if isinstance(pause, dict):
        pause = {"behavior": params.mapping("pause_collection").text("behavior", required=True, choices=("keep_as_draft", "mark_uncollectible", "void")), "resumes_at": None}
    params.finish()
    if method:
        subscription["default_payment_method"] = ledger.get("payment_method", method, "default_payment_method", 400)["id"]
    if change and not subscriptions.update(ledger, subscription, change, behavior, at, failing):
        raise ApiError(402, "Your card was declined.", "card_declined", kind="card_error")
    members = {"metadata": metadata}
    if ending is not None:
        period = subscription["items"]["data"][0]["current_period_end"]
        members.update(cancel_at_period_end=ending, cancel_at=period if ending else None, canceled_at=ledger.now() if ending else None)
    if "description" in params:
        members["description"] = description or None
    if "pause_collection" in params:
        members["pause_collection"] = pause or None
    ledger.change(subscription, **members)
    return subscription


def cancel_subscription(ledger, params, wanted):
    subscription = ledger.get("subscription", wanted)
    if subscription["status"] == "canceled":
        raise ApiError(404, f"No such subscription: '{wanted}'", "resource_missing", "id")
    invoice_now, prorate = params.boolean("invoice_now"), params.boolean("prorate")
    details = params.mapping("cancellation_details")
    words = {"comment": details.text("comment"), "feedback": details.text("feedback")}
    params.finish()
    subscription["cancellation_details"] = {**subscription["cancellation_details"], **words}
    if prorate:
        subscription["_pending"] += invoices.proration_lines(ledger, subscription, subscription["items"]["data"], [], ledger.now())
    if invoice_now and subscription["_pending"]:
        lines, subscription["_pending"] = subscription["_pending"], []
        invoices.pay(ledger, invoices.issue(ledger, subscription, lines, "manual"), subscriptions.method_of(ledger, subscription))
    subscriptions.cancel(ledger, subscription)
    return subscription


def pause(ledger, params, wanted):
    """Not of Stripe's public API: what a trial without a card leads to."""
    subscription = ledger.get("subscription", wanted)
    subscription["status"] = "paused"
    ledger.emit("customer.subscription.paused", subscription)
    return subscription


def resume(ledger, params, wanted):
    subscription = ledger.get("subscription", wanted)
    params.text("billing_cycle_anchor", choices=("now", "unchanged"))
    params.ignore("proration_behavior", "proration_date")
    params.finish()
    if subscription["status"] != "paused":
        raise ApiError(400, "Only paused subscriptions can be resumed.")
    subscription["status"] = "active"
    ledger.emit("customer.subscription.resumed", subscription)
    return subscription


def list_subscriptions(ledger, params):
    customer, price = params.text("customer"), params.text("price")
    status = params.text("status", choices=("active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired", "trialing", "paused", "all", "ended"))

    def shown(each):
        fits = status == "all" or each["status"] == status or (status is None and each["status"] != "canceled") or (status == "ended" and each["status"] == "canceled")
        return fits and customer in (None, each["customer"]) and (price is None or any(item["price"]["id"] == price for item in each["items"]["data"]))
    return [each for each in ledger.all("subscription") if shown(each)]


# Items of subscriptions.
def item_of(ledger, wanted):
    for subscription in ledger.all("subscription"):
        for each in subscription["items"]["data"]:
            if each["id"] == wanted:
                return subscription, each
    raise ApiError(404, f"No such subscription item: '{wanted}'", "resource_missing", "item")


def change_item(ledger, params, wanted=None, deleted=False):
    """Adds, changes or deletes one item."""
    subscription = item_of(ledger, wanted)[0] if wanted else ledger.get("subscription", params.text("subscription", required=True), "subscription", 400)
    behavior, at = proration(ledger, params, subscription)
    params.ignore("off_session", "clear_usage")
    failing = params.text("payment_behavior") == "error_if_incomplete"
    change = {"id": wanted, "price": price_of(ledger, params) if not deleted and (not wanted or "price" in params or "price_data" in params) else None,
              "quantity": params.integer("quantity", 0, 999999), "deleted": deleted, "metadata": params.metadata() if "metadata" in params else None}
    params.finish()
    known = {each["id"] for each in subscription["items"]["data"]}
    if deleted and len(known) == 1:
        raise ApiError(400, "A subscription needs at least one item.")
    if not subscriptions.update(ledger, subscription, checked(subscription, [change]), behavior, at, failing):
        raise ApiError(402, "Your card was declined.", "card_declined", kind="card_error")
    if deleted:
        return {"id": wanted, "object": "subscription_item", "deleted": True}
    return next(each for each in subscription["items"]["data"] if each["id"] == wanted or (not wanted and each["id"] not in known))


# Invoices and the portal.
def create_preview(ledger, params):
    subscription = ledger.get("subscription", params.text("subscription", required=True), "subscription", 400)
    if params.text("customer") not in (None, subscription["customer"]):
        raise ApiError(400, "The subscription belongs to another customer.", None, "customer")
    details = params.mapping("subscription_details")
    details.ignore("cancel_at_period_end")
    change = checked(subscription, wanted_change(ledger, details))
    behavior, at = proration(ledger, details, subscription)
    params.text("preview_mode", choices=("next", "recurring"))
    params.ignore("automatic_tax", "currency")
    params.finish()
    return subscriptions.preview(ledger, subscription, change, behavior, at)


def list_invoices(ledger, params):
    customer, subscription, status = params.text("customer"), params.text("subscription"), params.text("status")
    return [each for each in ledger.all("invoice") if customer in (None, each["customer"]) and status in (None, each["status"])
            and subscription in (None, each["parent"]["subscription_details"]["subscription"])]


def pay_invoice(ledger, params, wanted):
    invoice = ledger.get("invoice", wanted)
    params.ignore("off_session", "payment_method", "paid_out_of_band")
    params.finish()
    if invoice["status"] != "open":
        raise ApiError(400, f"Invoice is {invoice['status']}.", "invoice_not_open")
    subscriptions.settle(ledger, ledger.records[invoice["parent"]["subscription_details"]["subscription"]], invoice)
    if invoice["status"] != "paid":
        raise ApiError(402, "Your card was declined.", "card_declined", kind="card_error")
    return invoice


def create_portal(ledger, params, origin):
    customer = ledger.get("customer", params.text("customer", required=True), "customer", 400)
    back = params.address("return_url")
    params.ignore("configuration", "locale", "flow_data")
    session = ledger.add("billing_portal.session", "bps_1", after_expiration=None, configuration="bpc_standin", customer=customer["id"], flow=None, locale=None,
                         on_behalf_of=None, return_url=back, _secret=ledger.id("", 40))
    session["url"] = f"{origin}/p/session/{session['_secret']}"
    return session
