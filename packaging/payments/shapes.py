"""What the API shows of records: shapes of both sides of version 2025-03-31, expanded members, lists."""

import copy

from forms import ApiError

# Versions from this one on have billing periods on items, and the subscription of an invoice in `parent`.
PERIODS_ON_ITEMS = "2025-03-31"
EXPANDABLE = ("customer", "subscription", "latest_invoice", "invoice", "product", "price", "payment_intent", "charge", "latest_charge", "default_payment_method")


def public(value):
    if isinstance(value, dict):
        return {key: public(each) for key, each in value.items() if not key.startswith("_")}
    return [public(each) for each in value] if isinstance(value, list) else value


def shaped(value, version):
    """A copy of a record in the shape of a version of the API."""
    made = public(copy.deepcopy(value))
    return made if version >= PERIODS_ON_ITEMS else old(made)


def old(value):
    if isinstance(value, list):
        return [old(each) for each in value]
    if not isinstance(value, dict):
        return value
    value = {key: old(each) for key, each in value.items()}
    if value.get("object") == "subscription":
        items = value["items"]["data"]
        for key in ("current_period_start", "current_period_end"):
            value[key] = items[0][key] if items else None
            for each in items:
                each.pop(key, None)
    elif value.get("object") == "invoice":
        parent = value.pop("parent", None) or {}
        value["subscription"] = (parent.get("subscription_details") or {}).get("subscription")
        value["paid"] = value["status"] == "paid"
    return value


def expanded(ledger, value, paths, version):
    for path in paths:
        if path.count(".") >= 4:
            raise ApiError(400, "You cannot expand more than 4 levels of a property.", None, "expand")
        expand(ledger, value, path.split("."), version, path)
    return value


def expand(ledger, value, path, version, whole):
    if isinstance(value, list):
        for each in value:
            expand(ledger, each, path, version, whole)
        return
    if not isinstance(value, dict) or path[0] not in value:
        # An object may lack the member; a name that no object has is a mistake of the caller.
        if isinstance(value, dict) and path[0] not in EXPANDABLE and path[0] not in ("data", "line_items", "lines", "items", "payments"):
            raise ApiError(400, f"This property cannot be expanded ({whole}).", None, "expand")
        return
    inner = value[path[0]]
    if isinstance(inner, str) and inner in ledger.records:
        inner = value[path[0]] = shaped(ledger.records[inner], version)
    if len(path) > 1:
        expand(ledger, inner, path[1:], version, whole)


def page(params, records, url):
    """A page of a list, the newest record first, as parameters `limit`, `starting_after` and `ending_before` ask."""
    limit = params.integer("limit", 1, 100)
    after, before = params.text("starting_after"), params.text("ending_before")
    created = params.mapping("created")
    bounds = {name: created.integer(name, 0, 10 ** 11) for name in ("gt", "gte", "lt", "lte")}
    rows = [each for each in reversed(records) if within(each.get("created", 0), bounds)]
    ids = [each["id"] for each in rows]
    for name, value in (("starting_after", after), ("ending_before", before)):
        if value is not None and value not in ids:
            raise ApiError(400, f"No such object: '{value}'", "resource_missing", name)
    if before is not None:
        rows = rows[:ids.index(before)]
        chosen = rows[-(limit or 10):]
    else:
        rows = rows[ids.index(after) + 1:] if after is not None else rows
        chosen = rows[:limit or 10]
    return {"object": "list", "url": url, "has_more": len(rows) > len(chosen), "data": chosen}


def within(value, bounds):
    return ((bounds["gt"] is None or value > bounds["gt"]) and (bounds["gte"] is None or value >= bounds["gte"])
            and (bounds["lt"] is None or value < bounds["lt"]) and (bounds["lte"] is None or value <= bounds["lte"]))
