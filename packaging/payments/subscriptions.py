"""Lives of subscriptions: payment, renewal, failed payments, changes, pauses and the end. `catch_up` does what became due."""

import copy

import invoices

# A failed renewal is tried again after these days; then the subscription is canceled.
RETRY_DAYS = (3, 8, 15)
LIVE = ("trialing", "active", "past_due", "unpaid")
PERIOD_CHANGE = "subscription_update"


def method_of(ledger, subscription):
    customer = ledger.records[subscription["customer"]]
    return subscription["default_payment_method"] or customer["invoice_settings"]["default_payment_method"]


def item(ledger, subscription_id, price, quantity, begin, end, item_id=None, metadata=None, created=None):
    return {"id": item_id or ledger.id("si_", 14), "object": "subscription_item", "billing_thresholds": None, "created": created or ledger.now(), "current_period_start": begin,
            "current_period_end": end, "discounts": [], "metadata": metadata or {}, "price": copy.deepcopy(price), "quantity": quantity,
            "subscription": subscription_id, "tax_rates": []}


def begin(ledger, customer, lines, metadata, method, description=None):
    """Creates a subscription and takes the first payment. @param lines of price and quantity @return it and its invoice; the payment works"""
    at = ledger.now()
    price = lines[0][0]
    end = invoices.after(at, price, 1)
    made = ledger.add("subscription", "sub_1", application=None, application_fee_percent=None, automatic_tax={"enabled": False, "liability": None, "disabled_reason": None},
                      billing_cycle_anchor=at, billing_mode={"type": "flexible", "flexible": {}, "updated_at": at}, cancel_at=None, cancel_at_period_end=False,
                      canceled_at=None, cancellation_details={"comment": None, "feedback": None, "reason": None}, collection_method="charge_automatically",
                      currency=price["currency"], customer=customer["id"], days_until_due=None, default_payment_method=method, default_source=None,
                      description=description, discounts=[], ended_at=None, latest_invoice=None, metadata=metadata, next_pending_invoice_item_invoice=None,
                      pause_collection=None, pending_update=None, schedule=None, start_date=at, status="incomplete", test_clock=None, trial_end=None,
                      trial_start=None, _pending=[], _failed=0, _retry=None)
    made["items"] = {"object": "list", "has_more": False, "url": f"/v1/subscription_items?subscription={made['id']}", "total_count": len(lines),
                     "data": [item(ledger, made["id"], each, quantity, at, end) for each, quantity in lines]}
    ledger.emit("customer.subscription.created", made)
    invoice = invoices.issue(ledger, made, invoices.period_lines(ledger, made, made["items"]["data"], at, end), "subscription_create")
    invoices.pay(ledger, invoice, method)
    ledger.change(made, status="active")
    return made, invoice


def cancel(ledger, subscription, reason="cancellation_requested"):
    at = ledger.now()
    subscription.update(status="canceled", canceled_at=subscription["canceled_at"] or at, ended_at=at, _retry=None)
    subscription["cancellation_details"] = {**subscription["cancellation_details"], "reason": reason}
    ledger.emit("customer.subscription.deleted", subscription)


def changed_items(ledger, subscription, change, at):
    """The items behind a change. @param change list of dicts with id, price, quantity, deleted"""
    items = copy.deepcopy(subscription["items"]["data"])
    for each in change:
        known = next((one for one in items if one["id"] == each["id"]), None)
        if known and each["deleted"]:
            items.remove(known)
        elif known:
            known["price"] = copy.deepcopy(each["price"] or known["price"])
            known["quantity"] = known["quantity"] if each["quantity"] is None else each["quantity"]
            known["metadata"] = known["metadata"] if each["metadata"] is None else each["metadata"]
        else:
            first = subscription["items"]["data"][0]
            items.append(item(ledger, subscription["id"], each["price"], 1 if each["quantity"] is None else each["quantity"], first["current_period_start"],
                              first["current_period_end"], metadata=each["metadata"]))
    return items


def restarts(old, new):
    """True if the billing interval changes: a new period begins at once."""
    return old[0]["price"]["recurring"] != new[0]["price"]["recurring"]


def change_lines(ledger, subscription, new, behavior, at):
    """The lines that a change causes, and the items with their periods. @param behavior none, create_prorations or always_invoice"""
    old = subscription["items"]["data"]
    if not restarts(old, new):
        return new, [] if behavior == "none" else invoices.proration_lines(ledger, subscription, old, new, at)
    end = invoices.after(at, new[0]["price"], 1)
    credits = [] if behavior == "none" else [each for each in invoices.proration_lines(ledger, subscription, old, [], at)]
    for each in new:
        each["current_period_start"], each["current_period_end"] = at, end
    return new, credits + invoices.period_lines(ledger, subscription, new, at, end)


def preview(ledger, subscription, change, behavior, at):
    """The invoice that a change causes: at once for always_invoice and a new interval, otherwise the one at the end of the period."""
    items, lines = change_lines(ledger, subscription, changed_items(ledger, subscription, change, at), behavior, at)
    restarting = restarts(subscription["items"]["data"], items)
    if behavior == "always_invoice" or restarting:
        return invoices.drawn(ledger, subscription, subscription["_pending"] + lines, PERIOD_CHANGE, at)
    end = items[0]["current_period_end"]
    following = invoices.next_end(subscription["billing_cycle_anchor"], items[0]["price"], end)
    return invoices.drawn(ledger, subscription, subscription["_pending"] + lines + invoices.period_lines(ledger, subscription, items, end, following), "upcoming", end)


def update(ledger, subscription, change, behavior, at, failing):
    """Changes the items. @param failing error_if_incomplete: nothing changes if the card declines @return whether it was changed"""
    old = subscription["items"]["data"]
    items, lines = change_lines(ledger, subscription, changed_items(ledger, subscription, change, at), behavior, at)
    restarting = restarts(old, items)
    at_once = behavior == "always_invoice" or restarting
    method = method_of(ledger, subscription)
    due = sum(each["amount"] for each in subscription["_pending"] + lines) + ledger.records[subscription["customer"]]["balance"]
    if at_once and failing and due > 0 and (not method or ledger.records[method]["_declines"]):
        return False
    lines, subscription["_pending"] = subscription["_pending"] + lines, []
    ledger.change(subscription, items={**subscription["items"], "data": items, "total_count": len(items)},
                  **({"billing_cycle_anchor": at} if restarting else {}))
    if not at_once:
        subscription["_pending"] = lines
    elif lines:
        invoice = invoices.issue(ledger, subscription, lines, PERIOD_CHANGE)
        if not invoices.pay(ledger, invoice, method):
            ledger.change(subscription, status="past_due")
            subscription["_retry"] = ledger.now() + RETRY_DAYS[0] * 86400
    return True


def renew(ledger, subscription):
    """Begins the next period, or ends the subscription."""
    if subscription["cancel_at_period_end"]:
        return cancel(ledger, subscription)
    items = subscription["items"]["data"]
    begin_at = items[0]["current_period_end"]
    end = invoices.next_end(subscription["billing_cycle_anchor"], items[0]["price"], begin_at)
    following = [{**each, "current_period_start": begin_at, "current_period_end": end} for each in items]
    ledger.change(subscription, items={**subscription["items"], "data": following})
    if subscription["status"] == "paused":
        return None
    lines = subscription["_pending"] + invoices.period_lines(ledger, subscription, following, begin_at, end)
    subscription["_pending"] = []
    invoice = invoices.issue(ledger, subscription, lines, "subscription_cycle")
    return settle(ledger, subscription, invoice)


def settle(ledger, subscription, invoice):
    """Tries to pay an invoice and sets the status that follows from it."""
    if invoices.pay(ledger, invoice, method_of(ledger, subscription)):
        subscription["_failed"], subscription["_retry"] = 0, None
        return ledger.change(subscription, status="active")
    subscription["_failed"] += 1
    if subscription["_failed"] > len(RETRY_DAYS):
        return cancel(ledger, subscription, "payment_failed")
    subscription["_retry"] = invoice["created"] + RETRY_DAYS[subscription["_failed"] - 1] * 86400
    invoice["next_payment_attempt"] = subscription["_retry"]
    return ledger.change(subscription, status="past_due")


def due(ledger):
    """What happens next: moment and function."""
    for session in ledger.all("checkout.session"):
        if session["status"] == "open":
            yield session["expires_at"], lambda one=session: expire(ledger, one)
    for subscription in ledger.all("subscription"):
        if subscription["status"] not in (*LIVE, "paused"):
            continue
        yield subscription["items"]["data"][0]["current_period_end"], lambda one=subscription: renew(ledger, one)
        if subscription["_retry"]:
            yield subscription["_retry"], lambda one=subscription: settle(ledger, one, ledger.records[one["latest_invoice"]])


def expire(ledger, session):
    session.update(status="expired", url=None)
    ledger.emit("checkout.session.expired", session)


def catch_up(ledger):
    """Does what has become due by now, each at its own time."""
    until, changed = ledger.now(), False
    while True:
        at, act = min(due(ledger), key=lambda each: each[0], default=(None, None))
        if at is None or at > until:
            break
        ledger.at, changed = at, True
        act()
    ledger.at = None
    return changed
