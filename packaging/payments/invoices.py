"""Invoices of subscriptions: lines, proration to the second, credit balances, and paying them with a card that works or declines."""

import datetime
import fractions

PERIOD_MONTHS = {"month": 1, "year": 12}
PERIOD_DAYS = {"day": 1, "week": 7}


def after(anchor, price, count):
    """The end of the `count`-th period from an anchor, a day of the calendar month or its last one."""
    recurring = price["recurring"]
    count *= recurring["interval_count"]
    begin = datetime.datetime.fromtimestamp(anchor, datetime.timezone.utc)
    if recurring["interval"] in PERIOD_DAYS:
        return anchor + count * PERIOD_DAYS[recurring["interval"]] * 86400
    months = begin.year * 12 + begin.month - 1 + count * PERIOD_MONTHS[recurring["interval"]]
    first = datetime.datetime(months // 12, months % 12 + 1, 1, tzinfo=datetime.timezone.utc)
    following = first + datetime.timedelta(days=32)
    longest = (following.replace(day=1) - datetime.timedelta(days=1)).day
    return int(first.replace(day=min(begin.day, longest), hour=begin.hour, minute=begin.minute, second=begin.second).timestamp())


def next_end(anchor, price, start):
    count = 1
    while after(anchor, price, count) <= start:
        count += 1
    return after(anchor, price, count)


def share(amount, begin, end, at):
    """The part of an amount that the rest of a period costs, rounded to a minor unit, half to even."""
    return round(fractions.Fraction(amount * max(0, min(end - at, end - begin)), max(1, end - begin)))


def day(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%d %b %Y")


def line(ledger, subscription, item, amount, begin, end, text, proration):
    return {"id": ledger.id("il_1"), "object": "line_item", "amount": amount, "currency": subscription["currency"], "description": text, "livemode": False,
            "metadata": dict(subscription["metadata"]), "period": {"start": begin, "end": end}, "quantity": item["quantity"], "subtotal": amount,
            "discount_amounts": [], "discountable": not proration, "discounts": [], "invoice": None, "taxes": [],
            "subscription": subscription["id"],
            "parent": {"type": "subscription_item_details", "invoice_item_details": None,
                       "subscription_item_details": {"invoice_item": None, "proration": proration, "proration_details": {"credited_items": None},
                                                     "subscription": subscription["id"], "subscription_item": item["id"]}},
            "pricing": {"type": "price_details", "unit_amount_decimal": item["price"]["unit_amount_decimal"],
                        "price_details": {"price": item["price"]["id"], "product": item["price"]["product"]}}}


def period_lines(ledger, subscription, items, begin, end):
    return [line(ledger, subscription, item, item["price"]["unit_amount"] * item["quantity"], begin, end,
                 f"{item['quantity']} × {ledger.records[item['price']['product']]['name']}", False) for item in items]


def proration_lines(ledger, subscription, old, new, at):
    """Credits for the unused time of items that change, charges for the rest of the period of what replaces them."""
    found = []
    before, behind = {each["id"]: each for each in old}, {each["id"]: each for each in new}
    for each in [*old, *(item for item in new if item["id"] not in before)]:
        was, becomes = before.get(each["id"]), behind.get(each["id"])
        if was and becomes and was["quantity"] == becomes["quantity"] and was["price"]["id"] == becomes["price"]["id"]:
            continue
        for item, sign, words in ((was, -1, "Unused time on"), (becomes, 1, "Remaining time on")):
            if item:
                begin, end = (was or becomes)["current_period_start"], (was or becomes)["current_period_end"]
                name = ledger.records[item["price"]["product"]]["name"]
                amount = sign * share(item["price"]["unit_amount"] * item["quantity"], begin, end, at)
                found.append(line(ledger, subscription, item, amount, at, end, f"{words} {item['quantity']} × {name} after {day(at)}", True))
    return found


def drawn(ledger, subscription, lines, reason, at, number=None):
    """An invoice that is not stored: a preview, or what `issue` stores."""
    customer = ledger.records[subscription["customer"]]
    total, balance = sum(each["amount"] for each in lines), customer["balance"]
    due = 0 if total <= 0 else max(0, total + balance)
    ending = balance + total if total <= 0 else min(0, total + balance)
    begin = min((each["period"]["start"] for each in lines), default=at)
    return {"id": ledger.id("upcoming_in_1"), "object": "invoice", "created": at, "livemode": False, "account_country": "US", "account_name": "Payment stand-in",
            "amount_due": due, "amount_paid": 0, "amount_remaining": due, "amount_overpaid": 0, "amount_shipping": 0, "attempt_count": 0, "attempted": False,
            "auto_advance": True, "automatic_tax": {"enabled": False, "liability": None, "status": None}, "billing_reason": reason,
            "collection_method": "charge_automatically", "currency": subscription["currency"], "customer": subscription["customer"],
            "customer_email": customer["email"], "customer_name": customer["name"], "default_payment_method": None, "description": None, "discounts": [],
            "due_date": None, "ending_balance": ending, "hosted_invoice_url": None, "invoice_pdf": None,
            "lines": {"object": "list", "has_more": False, "url": "/v1/invoices/upcoming/lines", "data": lines, "total_count": len(lines)},
            "metadata": {}, "next_payment_attempt": at, "number": number,
            "parent": {"type": "subscription_details", "quote_details": None,
                       "subscription_details": {"metadata": dict(subscription["metadata"]), "subscription": subscription["id"]}},
            "period_start": begin, "period_end": at, "starting_balance": balance, "status": "draft",
            "status_transitions": {"finalized_at": None, "marked_uncollectible_at": None, "paid_at": None, "voided_at": None},
            "subtotal": total, "subtotal_excluding_tax": total, "total": total, "total_discount_amounts": [], "total_excluding_tax": total, "total_taxes": []}


def issue(ledger, subscription, lines, reason):
    """Stores and finalizes an invoice. The customer's balance pays first."""
    at = ledger.now()
    number = f"PORTICO-{len(ledger.all('invoice')) + 1:04}"
    made = drawn(ledger, subscription, lines, reason, at, number)
    del made["id"], made["object"], made["created"], made["livemode"]
    invoice = ledger.add("invoice", "in_1", **made)
    invoice["lines"]["url"] = f"/v1/invoices/{invoice['id']}/lines"
    for each in lines:
        each["invoice"] = invoice["id"]
    invoice["payments"] = {"object": "list", "has_more": False, "url": "/v1/invoice_payments", "data": []}
    subscription["latest_invoice"] = invoice["id"]
    ledger.change(ledger.records[subscription["customer"]], balance=invoice["ending_balance"])
    ledger.emit("invoice.created", invoice)
    invoice["status"], invoice["status_transitions"]["finalized_at"] = "open", at
    ledger.emit("invoice.finalized", invoice)
    return invoice


def pay(ledger, invoice, method):
    """Charges the card, or nothing if nothing is due. @return whether the invoice is paid"""
    at, amount = ledger.now(), invoice["amount_remaining"]
    card = ledger.records.get(method) if method else None
    invoice["attempted"], invoice["attempt_count"] = True, invoice["attempt_count"] + 1
    if amount > 0:
        works = bool(card) and not card["_declines"]
        charge = charged(ledger, invoice, amount, method, works)
        ledger.emit("charge.succeeded" if works else "charge.failed", charge)
        if not works:
            ledger.emit("invoice.payment_failed", invoice)
            return False
        payment = {"id": ledger.id("inpay_1"), "object": "invoice_payment", "amount_paid": amount, "amount_requested": amount, "created": at,
                   "currency": invoice["currency"], "invoice": invoice["id"], "is_default": True, "livemode": False, "status": "paid",
                   "payment": {"type": "payment_intent", "payment_intent": charge["payment_intent"]}, "status_transitions": {"canceled_at": None, "paid_at": at}}
        invoice["payments"]["data"].append(payment)
    invoice.update(status="paid", amount_paid=amount, amount_remaining=0, next_payment_attempt=None)
    invoice["status_transitions"]["paid_at"] = at
    ledger.emit("invoice.paid", invoice)
    ledger.emit("invoice.payment_succeeded", invoice)
    return True


def charged(ledger, invoice, amount, method, works):
    intent = ledger.add("payment_intent", "pi_3", amount=amount, amount_received=amount if works else 0, currency=invoice["currency"], customer=invoice["customer"],
                        metadata={}, payment_method=method, status="succeeded" if works else "requires_payment_method", description=None, latest_charge=None)
    charge = ledger.add("charge", "ch_3", amount=amount, amount_captured=amount if works else 0, amount_refunded=0, captured=works, currency=invoice["currency"],
                        customer=invoice["customer"], description=None, disputed=False, failure_code=None if works else "card_declined",
                        failure_message=None if works else "Your card was declined.", metadata={}, paid=works, payment_intent=intent["id"], payment_method=method,
                        refunded=False, status="succeeded" if works else "failed")
    intent["latest_charge"] = charge["id"]
    return charge
