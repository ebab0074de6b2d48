"""What a contact, as GET gives it, must be in the files of an export: worked out from the formats' definitions, not from the writers."""

import json
import re
import uuid

# Numbers and phone numbers behind a sign, which no spreadsheet can be harmed with.
HARMLESS = re.compile(r"[+-][ .,()/\d-]*\d[ .,()/\d-]*((x|ext\.?) *\d+)?")


def guarded(text):
    """A cell that cannot be run as a formula, and from which the importer knows the text again."""
    behind = text.lstrip("'")
    formula = behind[:1] in ("=", "@", "\t", "\r") or (behind[:1] in ("+", "-") and not HARMLESS.fullmatch(behind))
    return "'" + text if behind and formula else text


def unguarded(text):
    """What is read from a cell."""
    return text[1:] if text.startswith("'") and guarded(text[1:]) != text[1:] else text


def text_of(value, path):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and path.startswith("customFields."):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, list):
        return ";".join(re.sub(r"([,;\\])", r"\\\1", each) for each in value)
    return str(value)


def generic_cell(contact, path):
    """The value at a path such as `emails[0].address`, empty where there is none."""
    value = contact
    for name, index in re.findall(r"\.?([A-Za-z_0-9]+)|\[(\d+)\]", path):
        if index:
            value = value[int(index)] if int(index) < len(value) else None
        elif value is not None:
            value = value.get(name)
    return guarded(text_of(value, path))


def generic_paths(contact):
    """Every leaf of a contact that says something, as a path."""
    not_read_again = {"companyId", "photoAttachmentId", "createdBy", "version", "deletedAt", "pipelines", "counts"}

    def leaves(value, path):
        if isinstance(value, dict):
            for name, each in value.items():
                yield from leaves(each, f"{path}.{name}" if path else name)
        elif isinstance(value, list) and path != "tags" and not path.startswith("customFields."):
            for index, each in enumerate(value):
                yield from leaves(each, f"{path}[{index}]")
        elif value not in ("", None, False, []):
            yield path

    return {path for path in leaves({name: value for name, value in contact.items() if name not in not_read_again}, "")
            if not path.endswith((".e164", ".primary"))}


def capital(label):
    known = {"work", "home", "other", "mobile", "main", "fax", "work fax", "home fax", "pager", "car"}
    return label.title() if label in known else label


def google_row(contact):
    """The columns of Google Contacts since 2024."""
    row = {"First Name": contact["firstName"], "Middle Name": contact["middleName"], "Last Name": contact["lastName"],
           "Name Prefix": contact["prefix"], "Name Suffix": contact["suffix"], "Nickname": contact["nickname"],
           "Organization Name": contact["companyName"], "Organization Title": contact["jobTitle"],
           "Organization Department": contact["department"], "Birthday": contact["birthday"] or "",
           "Labels": " ::: ".join([*contact["tags"], "* myContacts"])}
    for kind, value, name in (("emails", "address", "E-mail"), ("phones", "number", "Phone")):
        for number, each in enumerate(contact[kind], 1):
            mark = "* " if each["primary"] and number > 1 else ""
            row[f"{name} {number} - Label"] = mark + capital(each["label"])
            row[f"{name} {number} - Value"] = each[value]
    for number, each in enumerate(contact["addresses"], 1):
        for column, member in (("Street", "street"), ("City", "city"), ("Region", "region"), ("Postal Code", "postalCode"),
                               ("Country", "country"), ("Extended Address", "street2")):
            row[f"Address {number} - {column}"] = each[member]
        row[f"Address {number} - Label"] = capital(each["label"])
    for number, each in enumerate(contact["websites"], 1):
        row[f"Website {number} - Value"] = each
    return {name: guarded(value) for name, value in row.items() if value}


def primary_first(items):
    return sorted(items, key=lambda each: not each["primary"])


def outlook_row(contact):
    """The columns of Outlook, of a contact whose phones and addresses have labels of Outlook, each once."""
    phones = {"work": "Business Phone", "mobile": "Mobile Phone", "home": "Home Phone", "other": "Other Phone", "work fax": "Business Fax",
              "home fax": "Home Fax", "pager": "Pager", "car": "Car Phone"}
    row = {"Title": contact["prefix"], "First Name": contact["firstName"], "Middle Name": contact["middleName"], "Last Name": contact["lastName"],
           "Suffix": contact["suffix"], "Nickname": contact["nickname"], "Company": contact["companyName"], "Department": contact["department"],
           "Job Title": contact["jobTitle"], "Birthday": contact["birthday"] or "", "Categories": ";".join(contact["tags"])}
    for name, each in zip(("E-mail Address", "E-mail 2 Address", "E-mail 3 Address"), primary_first(contact["emails"])):
        row[name] = each["address"]
    for each in contact["phones"]:
        row[phones[each["label"]]] = each["number"]
    for each in contact["addresses"]:
        block = {"work": "Business", "home": "Home", "other": "Other"}[each["label"]]
        for column, member in (("Street", "street"), ("Street 2", "street2"), ("City", "city"), ("State", "region"),
                               ("Postal Code", "postalCode"), ("Country/Region", "country")):
            row[f"{block} {column}"] = each[member]
    for name, each in zip(("Web Page", "Personal Web Page"), contact["websites"]):
        row[name] = each
    return {name: guarded(value) for name, value in row.items() if value}


def hubspot_row(contact):
    """The columns of HubSpot."""
    stages = {"lead": "Lead", "prospect": "Opportunity", "customer": "Customer"}
    row = {"Record ID": next((each["id"] for each in contact["externalIds"] if each["system"] == "hubspot"), ""),
           "Salutation": contact["prefix"], "First Name": contact["firstName"], "Last Name": contact["lastName"],
           "Company name": contact["companyName"], "Job Title": contact["jobTitle"], "Date of birth": contact["birthday"] or "",
           "Lifecycle Stage": stages.get(contact["lifecycle"], "Other"),
           "Unsubscribed from all email": "true" if contact["doNotContact"]["email"] else "",
           "Website URL": contact["websites"][0] if contact["websites"] else ""}
    for name, each in zip(("Email", "Work email", "Additional email addresses"), primary_first(contact["emails"])):
        row[name] = each["address"]
    if contact["addresses"]:
        first = next((each for each in contact["addresses"] if each["label"] == "work"), contact["addresses"][0])
        for column, member in (("Street Address", "street"), ("Street Address 2", "street2"), ("City", "city"), ("State/Region", "region"),
                               ("Postal Code", "postalCode"), ("Country/Region", "country")):
            row[column] = first[member]
    return {name: guarded(value) for name, value in row.items() if value}


def plain_line(text):
    """A text in a vCard: line breaks are all the same, other control characters are spaces."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", " ", text.replace("\r\n", "\n").replace("\r", "\n"))


def vcard_of(contact):
    """Returns the contact of a card in the format of the API. Labels are vCard TYPEs, or Apple's label for any other."""
    uid = next((each["id"] for each in contact["externalIds"] if each["system"] == "vcard"), None)
    types = {"work": "work", "home": "home", "mobile": "cell", "fax": "fax", "pager": "pager", "work fax": "work,fax", "home fax": "home,fax"}

    def phone(each):
        digits = re.sub(r"\D", "", re.split(r"[xX]", each["number"], maxsplit=1)[1]) if re.search("[xX]", each["number"]) else ""
        uri = f"tel:{each['e164']}" + (f";ext={digits}" if digits else "")
        return {"value": uri if each["e164"] else each["number"], "label": types.get(each["label"], plain_line(each["label"])), "primary": each["primary"],
                "uri": bool(each["e164"])}

    two = {"work": "work", "home": "home"}
    birthday = contact["birthday"]
    return {
        "uid": uid.removeprefix("urn:uuid:") if uid else str(uuid.UUID(int=ulid_bits(contact["id"]))),
        "name": plain_line(contact["displayName"]),
        "parts": [plain_line(contact[part]) for part in ("lastName", "firstName", "middleName", "prefix", "suffix")],
        "nickname": plain_line(contact["nickname"]),
        "emails": [{"value": each["address"], "label": two.get(each["label"], plain_line(each["label"])), "primary": each["primary"]} for each in contact["emails"]],
        "phones": [phone(each) for each in contact["phones"]],
        "addresses": [{"value": [plain_line(each[part]) for part in ("street2", "street", "city", "region", "postalCode", "country")],
                       "label": two.get(each["label"], plain_line(each["label"]))} for each in contact["addresses"]],
        "organization": organization_of(contact),
        "title": plain_line(contact["jobTitle"]),
        "websites": contact["websites"],
        "birthday": ("--" if birthday.startswith("--") else "") + birthday.replace("-", "") if birthday else "",
        "tags": contact["tags"],
        "profiles": [{"service": each["service"], "value": plain_line(each["value"])} for each in contact["socialProfiles"]],
        "revision": re.sub(r"[-:]", "", contact["updatedAt"].split(".")[0]) + "Z",
    }


def organization_of(contact):
    parts = [plain_line(contact[member]) for member in ("companyName", "department")]
    while parts and not parts[-1]:
        parts.pop()
    return parts


def ulid_bits(contact_id):
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    value = 0
    for character in contact_id.split("_")[1]:
        value = value * 32 + digits.index(character)
    return value


def vcard4_card(properties):
    """What vcard4 found, in the same words."""
    labels = {each["group"]: each.get("value") for each in properties if each["property"] == "X-ABLABEL"}

    def found(name):
        return [each for each in properties if each["property"] == name]

    def label(each):
        types = each["parameters"].get("TYPE")
        return labels.get(each["group"]) if each["group"] else types or "other"

    def one(name):
        return found(name)[0].get("value", "") if found(name) else ""

    # What is empty at the end of a value has no member there.
    names = one("N") or {"familyNames": "", "givenNames": "", "additionalNames": "", "honorificPrefixes": "", "honorificSuffixes": ""}
    categories, organization = one("CATEGORIES"), one("ORG")
    return {
        "uid": one("UID").removeprefix("urn:uuid:"),
        "name": one("FN"),
        "parts": list(names.values()),
        "nickname": one("NICKNAME"),
        "emails": [{"value": each["value"], "label": label(each), "primary": each["parameters"].get("PREF") == "1"} for each in found("EMAIL")],
        "phones": [{"value": each["value"], "label": label(each), "primary": each["parameters"].get("PREF") == "1",
                    "uri": each["parameters"].get("VALUE") == "uri"} for each in found("TEL")],
        "addresses": [{"value": [each["value"].get(part, "") for part in ("extendedAddress", "streetAddress", "locality", "region", "postalCode", "countryName")],
                       "label": label(each)} for each in found("ADR")],
        "organization": organization if isinstance(organization, list) else [organization] if organization else [],
        "title": one("TITLE"),
        "websites": [each["value"] for each in found("URL")],
        "birthday": one("BDAY"),
        "tags": categories if isinstance(categories, list) else [categories] if categories else [],
        "profiles": [{"service": each["parameters"]["TYPE"], "value": each["value"]} for each in found("X-SOCIALPROFILE")],
        "revision": one("REV"),
    }


def vobject_card(card):
    """What vobject found, in the same words."""
    contents = card.contents
    labels = {each.group: each.value for each in contents.get("x-ablabel", [])}

    def label(each):
        types = each.params.get("TYPE")
        return labels.get(each.group) if each.group else ",".join(types) if types else "other"

    def one(name):
        return contents[name][0].value if name in contents else ""

    def primary(each):
        return each.params.get("PREF") == ["1"]

    names = one("n")
    return {
        "uid": one("uid").removeprefix("urn:uuid:"),
        "name": one("fn"),
        "parts": [names.family, names.given, names.additional, names.prefix, names.suffix] if names else [""] * 5,
        "nickname": one("nickname"),
        "emails": [{"value": each.value, "label": label(each), "primary": primary(each)} for each in contents.get("email", [])],
        "phones": [{"value": each.value, "label": label(each), "primary": primary(each), "uri": each.params.get("VALUE") == ["uri"]}
                   for each in contents.get("tel", [])],
        "addresses": [{"value": [each.value.extended, each.value.street, each.value.city, each.value.region, each.value.code, each.value.country],
                       "label": label(each)} for each in contents.get("adr", [])],
        "organization": one("org") or [],
        "title": one("title"),
        "websites": [each.value for each in contents.get("url", [])],
        "birthday": one("bday"),
        "tags": one("categories") or [],
        "profiles": [{"service": each.params["TYPE"][0], "value": each.value} for each in contents.get("x-socialprofile", [])],
        "revision": one("rev"),
    }
