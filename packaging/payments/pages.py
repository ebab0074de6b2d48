"""Pages for people: checkout, portal, and what the stand-in has done. Every page says that no money moves."""

import datetime
import html

import simulation

NOTE = "No money moves: this is a stand-in for a payment processor on this machine."
STYLE = ("body{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}.note{background:#fff3cd;color:#222;border:1px solid #997;padding:.6rem 1rem}"
         "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886}td.n,th.n{text-align:right}"
         "fieldset{border:1px solid #8886;margin:1rem 0}button{font:inherit;padding:.4rem 1rem}.wrong{color:#b00020}code{overflow-wrap:anywhere}")
WITHOUT_CENTS = ("jpy",)


def page(title, body):
    return simulation.page(title, body, NOTE, "no money moves", STYLE)


def money(amount, currency):
    return f"{amount} {currency.upper()}" if currency in WITHOUT_CENTS else f"{'-' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02} {currency.upper()}"


def day(at):
    return datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%d %b %Y") if at else ""


def table(heads, rows):
    head = "".join(f"<th scope=col>{each}" for each in heads)
    return f"<table><thead><tr>{head}<tbody>" + "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows) + "</table>"


def checkout(session, lines, declined):
    """The page that a checkout session leads to."""
    if session["status"] != "open":
        words = "This checkout is already paid." if session["status"] == "complete" else "This checkout has expired. Nothing was charged."
        return page("Checkout", f"<p>{words}</p>")
    rows = [(html.escape(each["description"]), each["quantity"], money(each["price"]["unit_amount"], each["currency"]) + " / " + each["price"]["recurring"]["interval"],
             money(each["amount_total"], each["currency"])) for each in lines]
    wrong = "<p class=wrong role=alert>Your card was declined. Choose another card, or cancel.</p>" if declined else ""
    email = session["customer_email"]
    address = "" if session["customer"] else ("<p><label>Email <input type=email name=email required autocomplete=email "
                                              f"value='{html.escape(email or '', quote=True)}'{' readonly' if email else ''}></label>")
    leave = "<button name=action value=cancel formnovalidate>Cancel</button>" if session["cancel_url"] else ""
    return page("Checkout", f"{wrong}{table(('Package', 'Seats', 'Price', 'Amount'), rows)}<p>Total today: <strong>{money(session['amount_total'], session['currency'])}</strong></p>"
                f"<form method=post>{address}<fieldset><legend>Card</legend>"
                "<label><input type=radio name=card value=works checked> Works (4242)</label><br>"
                "<label><input type=radio name=card value=later> Works now, declines at renewal (0341)</label><br>"
                "<label><input type=radio name=card value=declines> Declines (0002)</label></fieldset>"
                f"<button name=action value=pay>Pay</button> {leave}</form>")


def portal(ledger, customer, back):
    """The page that a portal session leads to."""
    body = ""
    for each in ledger.all("subscription"):
        if each["customer"] != customer["id"]:
            continue
        rows = [(html.escape(ledger.records[item["price"]["product"]]["name"]), item["quantity"], money(item["price"]["unit_amount"] * item["quantity"], each["currency"]),
                 day(item["current_period_end"])) for item in each["items"]["data"]]
        body += f"<h2>Subscription: {each['status']}{', ends at the end of the period' if each['cancel_at_period_end'] else ''}</h2>"
        body += table(("Package", "Seats", "Amount", "Period ends"), rows)
        if each["status"] in ("active", "past_due", "trialing", "unpaid"):
            act, words = ("resume", "Keep the subscription") if each["cancel_at_period_end"] else ("cancel", "Cancel at the end of the period")
            body += (f"<form method=post><input type=hidden name=subscription value={each['id']}><button name=action value={act}>{words}</button> "
                     "<button name=action value=works>Use a card that works</button> <button name=action value=declines>Use a card that declines</button></form>")
    invoices = [(html.escape(each["number"] or ""), day(each["created"]), money(each["total"], each["currency"]), each["status"])
                for each in reversed(ledger.all("invoice")) if each["customer"] == customer["id"]]
    body += "<h2>Invoices</h2>" + (table(("Number", "Date", "Total", "Status"), invoices) if invoices else "<p>There are no invoices.</p>")
    link = f"<p><a href='{html.escape(back, quote=True)}'>Return</a></p>" if back else ""
    return page("Billing portal", f"<p>{html.escape(customer['email'] or customer['id'])}</p>{body}{link}")


def overview(ledger, pending):
    """The first page: what exists, and the clock."""
    rows = [(f"<code>{each['id']}</code>", each["status"], html.escape(ledger.records[each["customer"]]["email"] or ""),
             sum(item["quantity"] for item in each["items"]["data"]), day(each["items"]["data"][0]["current_period_end"])) for each in reversed(ledger.all("subscription"))]
    events = [(f"<code>{each['id']}</code>", each["type"], "waits" if each["pending_webhooks"] else "delivered") for each in ledger.all("event")[:-21:-1]]
    steps = "".join(f"<button name=advance value={days * 86400}>{words} later</button> " for days, words in ((1, "A day"), (31, "A month"), (366, "A year")))
    return page("Payment stand-in", f"<p>Its clock: <time>{datetime.datetime.fromtimestamp(ledger.now(), datetime.timezone.utc):%Y-%m-%d %H:%M:%S} UTC</time></p>"
                f"<form method=post action=/clock>{steps}</form><h2>Subscriptions</h2>{table(('ID', 'Status', 'Customer', 'Seats', 'Period ends'), rows)}"
                f"<h2>Newest events</h2><p>{pending} wait for delivery.</p>{table(('ID', 'Type', 'Delivery'), events)}")
