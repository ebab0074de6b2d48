"""Which function answers which route of the API."""

import re

import billing
import catalog


def read(kind):
    return lambda ledger, params, wanted: ledger.get(kind, wanted)


def listed(rows):
    return "list", rows


# Method, path and function: (ledger, params[, ID]). A list is (“list”, function that returns its records).
ROUTES = [(method, re.compile(path.replace("{id}", r"([A-Za-z0-9_-]+)")), act) for method, path, act in (
    ("POST", "/v1/customers", catalog.create_customer), ("GET", "/v1/customers", listed(catalog.list_customers)),
    ("GET", "/v1/customers/{id}", read("customer")), ("POST", "/v1/customers/{id}", catalog.update_customer),
    ("POST", "/v1/products", catalog.create_product), ("GET", "/v1/products", listed(catalog.list_products)),
    ("GET", "/v1/products/{id}", read("product")), ("POST", "/v1/products/{id}", catalog.update_product),
    ("POST", "/v1/prices", catalog.create_price), ("GET", "/v1/prices", listed(catalog.list_prices)),
    ("GET", "/v1/prices/{id}", read("price")), ("POST", "/v1/prices/{id}", catalog.update_price),
    ("POST", "/v1/checkout/sessions", billing.create_session),
    ("GET", "/v1/checkout/sessions", listed(lambda ledger, params: sessions(ledger, params))),
    ("GET", "/v1/checkout/sessions/{id}", read("checkout.session")), ("POST", "/v1/checkout/sessions/{id}/expire", billing.expire_session),
    ("GET", "/v1/checkout/sessions/{id}/line_items", listed(lambda ledger, params, wanted: billing.line_items(ledger, ledger.get("checkout.session", wanted))[::-1])),
    ("GET", "/v1/subscriptions", listed(billing.list_subscriptions)), ("GET", "/v1/subscriptions/{id}", read("subscription")),
    ("POST", "/v1/subscriptions/{id}", billing.update_subscription), ("DELETE", "/v1/subscriptions/{id}", billing.cancel_subscription),
    ("POST", "/v1/subscriptions/{id}/resume", billing.resume),
    ("GET", "/v1/subscription_items", listed(lambda ledger, params: ledger.get("subscription", params.text("subscription", required=True))["items"]["data"][::-1])),
    ("POST", "/v1/subscription_items", billing.change_item), ("GET", "/v1/subscription_items/{id}", lambda ledger, params, wanted: billing.item_of(ledger, wanted)[1]),
    ("POST", "/v1/subscription_items/{id}", billing.change_item),
    ("DELETE", "/v1/subscription_items/{id}", lambda ledger, params, wanted: billing.change_item(ledger, params, wanted, deleted=True)),
    ("POST", "/v1/invoices/create_preview", billing.create_preview), ("GET", "/v1/invoices", listed(billing.list_invoices)),
    ("GET", "/v1/invoices/{id}", read("invoice")), ("POST", "/v1/invoices/{id}/pay", billing.pay_invoice),
    ("GET", "/v1/invoices/{id}/lines", listed(lambda ledger, params, wanted: ledger.get("invoice", wanted)["lines"]["data"][::-1])),
    ("POST", "/v1/billing_portal/sessions", billing.create_portal),
    ("POST", "/v1/refunds", catalog.create_refund), ("GET", "/v1/refunds", listed(catalog.of_customer("refund"))), ("GET", "/v1/refunds/{id}", read("refund")),
    ("GET", "/v1/charges", listed(catalog.of_customer("charge"))), ("GET", "/v1/charges/{id}", read("charge")),
    ("GET", "/v1/payment_intents/{id}", read("payment_intent")), ("GET", "/v1/payment_methods/{id}", read("payment_method")),
    ("GET", "/v1/events", listed(catalog.list_events)), ("GET", "/v1/events/{id}", read("event")),
)]
# Functions that make addresses of the stand-in's own pages.
WITH_ORIGIN = (billing.create_session, billing.create_portal)


def sessions(ledger, params):
    wanted = {key: params.text(key) for key in ("customer", "subscription", "status") if key in params}
    return [each for each in ledger.all("checkout.session") if all(each[key] == value for key, value in wanted.items())]


def found(method, path):
    """The function of a route and the ID in its path, or nothing."""
    for wanted, pattern, act in ROUTES:
        match = pattern.fullmatch(path) if wanted == method else None
        if match:
            return act, match.groups()
    return None
