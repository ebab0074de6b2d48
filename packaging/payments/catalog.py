"""Routes of customers, products, prices, payments and events. Each takes the ledger, the parameters and the ID of the path."""

from forms import ApiError

CURRENCIES = ("usd", "eur", "gbp", "chf", "aud", "cad", "jpy", "sek", "nok", "dkk", "pln", "nzd")


# Customers.
def create_customer(ledger, params):
    made = ledger.add("customer", "cus_", address=None, balance=0, currency=None, default_source=None, delinquent=False, description=params.text("description"),
                      discount=None, email=params.text("email", longest=512), invoice_prefix=ledger.id("", 8).upper(),
                      invoice_settings={"custom_fields": None, "default_payment_method": None, "footer": None, "rendering_options": None}, metadata=params.metadata(),
                      name=params.text("name", longest=256), next_invoice_sequence=1, phone=params.text("phone"), preferred_locales=[], shipping=None,
                      tax_exempt="none", test_clock=None)
    ledger.emit("customer.created", made)
    return made


def update_customer(ledger, params, wanted):
    customer = ledger.get("customer", wanted)
    members = {key: params.text(key) or None for key in ("email", "name", "description", "phone") if key in params}
    method = params.mapping("invoice_settings").text("default_payment_method")
    if method:
        members["invoice_settings"] = {**customer["invoice_settings"], "default_payment_method": ledger.get("payment_method", method, "invoice_settings")["id"]}
    members["metadata"] = params.metadata(customer["metadata"])
    params.finish()
    ledger.change(customer, **members)
    return customer


def list_customers(ledger, params):
    email = params.text("email")
    return [each for each in ledger.all("customer") if email is None or each["email"] == email]


# Products and prices.
def create_product(ledger, params):
    wanted = params.text("id")
    if wanted and wanted in ledger.records:
        raise ApiError(400, f"Product already exists: {wanted}", "resource_already_exists", "id")
    made = ledger.add("product", "prod_", active=params.boolean("active") is not False, default_price=None, description=params.text("description"), images=[],
                      marketing_features=[], metadata=params.metadata(), name=params.text("name", required=True), package_dimensions=None, shippable=None,
                      statement_descriptor=None, tax_code=None, type="service", unit_label=params.text("unit_label"), updated=ledger.now(), url=None)
    if wanted:
        del ledger.records[made["id"]]
        made["id"] = wanted
        ledger.records[wanted] = made
    ledger.emit("product.created", made)
    return made


def update_product(ledger, params, wanted):
    product = ledger.get("product", wanted)
    members = {key: params.text(key) for key in ("name", "description", "unit_label") if key in params}
    if "active" in params:
        members["active"] = params.boolean("active")
    members["metadata"] = params.metadata(product["metadata"])
    params.finish()
    ledger.change(product, **members, updated=ledger.now())
    return product


def list_products(ledger, params):
    active, ids = params.boolean("active"), params.texts("ids")
    return [each for each in ledger.all("product") if active in (None, each["active"]) and (not ids or each["id"] in ids)]


def create_price(ledger, params):
    """A recurring price. `transfer_lookup_key` takes the key from the price that has it."""
    currency = params.text("currency", required=True, choices=CURRENCIES)
    amount = params.integer("unit_amount", required=True)
    recurring = params.mapping("recurring")
    interval = {"interval": recurring.text("interval", required=True, choices=("day", "week", "month", "year")), "interval_count": recurring.integer("interval_count", 1, 36) or 1,
                "meter": None, "trial_period_days": None, "usage_type": recurring.text("usage_type", choices=("licensed",)) or "licensed"}
    inline = params.mapping("product_data")
    product = params.text("product")
    if product:
        product = ledger.get("product", product, params.name("product"), 400)["id"]
    elif not inline.values:
        raise ApiError(400, "Missing required param: product or product_data.", "parameter_missing", params.name("product"))
    key = params.text("lookup_key", longest=200)
    holder = next((each for each in ledger.all("price") if key and each["lookup_key"] == key), None)
    if params.boolean("transfer_lookup_key") and holder:
        ledger.change(holder, lookup_key=None)
    elif holder:
        raise ApiError(400, f"A price (`{holder['id']}`) already uses that lookup key.", "resource_already_exists", params.name("lookup_key"))
    active, nickname, metadata = params.boolean("active") is not False, params.text("nickname"), params.metadata()
    params.text("tax_behavior", choices=("exclusive", "inclusive", "unspecified"))
    made = ledger.add("price", "price_1", active=active, billing_scheme="per_unit", currency=currency, custom_unit_amount=None, lookup_key=key, metadata=metadata,
                      nickname=nickname, product=product or create_product(ledger, inline)["id"], recurring=interval, tax_behavior="unspecified", tiers_mode=None,
                      transform_quantity=None, type="recurring", unit_amount=amount, unit_amount_decimal=str(amount))
    ledger.emit("price.created", made)
    return made


def update_price(ledger, params, wanted):
    price = ledger.get("price", wanted)
    members = {key: params.text(key) or None for key in ("nickname", "lookup_key") if key in params}
    if "active" in params:
        members["active"] = params.boolean("active")
    members["metadata"] = params.metadata(price["metadata"])
    params.finish()
    ledger.change(price, **members)
    return price


def list_prices(ledger, params):
    active, product, keys = params.boolean("active"), params.text("product"), params.texts("lookup_keys")
    currency, kind = params.text("currency"), params.text("type", choices=("recurring", "one_time"))
    params.mapping("recurring").ignore("interval", "usage_type")
    return [each for each in ledger.all("price") if active in (None, each["active"]) and product in (None, each["product"]) and currency in (None, each["currency"])
            and kind in (None, each["type"]) and (not keys or each["lookup_key"] in keys)]


def price_of(ledger, params):
    """The price of a line: `price`, or `price_data` that makes one."""
    if "price_data" not in params:
        price = ledger.get("price", params.text("price", required=True), params.name("price"), 400)
        if not price["active"]:
            raise ApiError(400, f"The price specified is inactive: {price['id']}", None, params.name("price"))
        return price
    price = create_price(ledger, params.mapping("price_data"))
    price["active"] = False
    return price


# Payments.
def create_refund(ledger, params):
    charge = params.text("charge")
    if not charge:
        charge = ledger.get("payment_intent", params.text("payment_intent", required=True), "payment_intent", 400)["latest_charge"]
    charge = ledger.get("charge", charge, "charge", 400)
    left = charge["amount_captured"] - charge["amount_refunded"]
    amount = params.integer("amount", 1) or left
    if left <= 0:
        raise ApiError(400, f"Charge {charge['id']} has already been refunded.", "charge_already_refunded")
    if amount > left:
        raise ApiError(400, f"Refund amount is greater than unrefunded amount on charge ({left}).", "amount_too_large", "amount")
    reason, metadata = params.text("reason", choices=("duplicate", "fraudulent", "requested_by_customer")), params.metadata()
    params.finish()
    made = ledger.add("refund", "re_3", amount=amount, charge=charge["id"], currency=charge["currency"], metadata=metadata,
                      payment_intent=charge["payment_intent"], reason=reason, status="succeeded")
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount_captured"]
    ledger.emit("charge.refunded", charge)
    return made


def of_customer(kind):
    def rows(ledger, params):
        wanted = {key: params.text(key) for key in ("customer", "payment_intent", "charge") if key in params}
        return [each for each in ledger.all(kind) if all(each.get(key) == value for key, value in wanted.items())]
    return rows


def list_events(ledger, params):
    kind, kinds = params.text("type"), params.texts("types")
    return [each for each in ledger.all("event") if kind in (None, each["type"]) and (not kinds or each["type"] in kinds)]
