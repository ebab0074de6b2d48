"""The demo data of billing: acme pays for everything, globex has the free workspace. Both pay at the payment stand-in, so no money moves."""

import http.client
import time
import urllib.parse

WEBHOOK_SECONDS = 20


def pay(address):
    """Pays on the page of a checkout, as its visitor does."""
    place = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=30)
    try:
        form = urllib.parse.urlencode({"action": "pay", "card": "works", "email": "billing@acme.example"})
        connection.request("POST", place.path, form, {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    if answer.status != 303:
        raise ValueError(f"the payment page answered {answer.status}")


def fill(host, organizations):
    for organization in organizations:
        owner, owned = organization["users"][0], {"owner_type": "organization", "owner_id": organization["organizationId"]}
        token = host.token(owner, "launchpad")
        query = "/api/billing/subscriptions?" + urllib.parse.urlencode(owned)

        def subscribed():
            found = host.call("launchpad", "GET", query, token=token)
            return found["paid"] or found["freeWorkspace"]

        if subscribed():
            continue
        if organization["slug"] == "acme":
            wanted = {"package": "everything", "seats": 10, "interval": "month", "currency": "USD", "email": owner["email"], **owned}
            opened = host.call("launchpad", "POST", "/api/public/checkout", wanted, token)
        else:
            opened = host.call("launchpad", "POST", "/api/public/free-workspace", {"email": owner["email"], **owned}, token)
        pay(opened["checkoutUrl"])
        end = time.monotonic() + WEBHOOK_SECONDS
        while not subscribed():
            if time.monotonic() > end:
                raise ValueError(f"the subscription of {organization['slug']} did not arrive")
            time.sleep(0.1)
