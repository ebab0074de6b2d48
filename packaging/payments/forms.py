"""Form bodies as Stripe's API reads them: brackets make objects and lists. A parameter that no route reads is rejected."""

import re
import urllib.parse

KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
DEEPEST = 8
METADATA_KEYS, METADATA_KEY_CHARACTERS, METADATA_CHARACTERS = 50, 40, 500


class ApiError(Exception):
    """An error as the API answers it."""

    def __init__(self, status, message, code=None, param=None, kind="invalid_request_error"):
        super().__init__(message)
        self.status = status
        self.error = {"type": kind, "message": message, **({"code": code} if code else {}), **({"param": param} if param else {})}


def decoded(text):
    """Returns the nested parameters of a query or form body. Numbered objects become lists."""
    try:
        pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=1000)
    except ValueError as error:
        raise ApiError(400, f"The body is no form: {error}.") from error
    found = {}
    for name, value in pairs:
        match = KEY.fullmatch(name)
        if not match:
            raise ApiError(400, f"Invalid parameter name: {name}", "parameter_unknown", name)
        path = [match[1], *re.findall(r"\[([^\[\]]*)\]", match[2])]
        if len(path) > DEEPEST:
            raise ApiError(400, f"The parameter is nested too deeply: {name}", "parameter_unknown", name)
        place(found, path, value, name)
    return listed(found)


def place(target, path, value, name):
    for key in path[:-1]:
        key = key or str(len(target))
        target = target.setdefault(key, {})
        if not isinstance(target, dict):
            raise ApiError(400, f"Invalid object: {name}", "parameter_invalid_object", name)
    target[path[-1] or str(len(target))] = value


def listed(value):
    if not isinstance(value, dict):
        return value
    members = {key: listed(each) for key, each in value.items()}
    if members and all(key.isascii() and key.isdigit() for key in members):
        return [members[key] for key in sorted(members, key=int)]
    return members


class Params:
    """Parameters of one request. `finish` rejects those that were not read."""

    def __init__(self, values, path=""):
        self.values, self.path, self.read, self.inner = values, path, set(), []

    def name(self, key):
        return f"{self.path}[{key}]" if self.path else key

    def __contains__(self, key):
        return key in self.values

    def ignore(self, *keys):
        """Accepts parameters that change nothing here."""
        self.read.update(keys)

    def raw(self, key, required=False):
        self.read.add(key)
        value = self.values.get(key)
        if required and value in (None, ""):
            raise ApiError(400, f"Missing required param: {self.name(key)}.", "parameter_missing", self.name(key))
        return value

    def text(self, key, required=False, choices=None, longest=5000):
        value = self.raw(key, required)
        if value is None:
            return None
        if not isinstance(value, str) or len(value) > longest:
            raise ApiError(400, f"Invalid string: {self.name(key)}", "parameter_invalid_string", self.name(key))
        if choices and value not in choices:
            raise ApiError(400, f"Invalid {self.name(key)}: must be one of {', '.join(choices)}", None, self.name(key))
        return value

    def address(self, key, required=False):
        value = self.text(key, required)
        if value and not re.match(r"https?://[^/\s]+", value):
            raise ApiError(400, "Not a valid URL", "url_invalid", self.name(key))
        return value

    def integer(self, key, least=0, most=99999999, required=False):
        value = self.raw(key, required)
        if value is None:
            return None
        if not isinstance(value, str) or not re.fullmatch(r"-?\d{1,12}", value):
            raise ApiError(400, f"Invalid integer: {value}", "parameter_invalid_integer", self.name(key))
        if not least <= int(value) <= most:
            raise ApiError(400, f"Invalid {self.name(key)}: must be from {least} to {most}", "parameter_invalid_integer", self.name(key))
        return int(value)

    def boolean(self, key):
        value = self.text(key, choices=("true", "false"))
        return None if value is None else value == "true"

    def mapping(self, key):
        value = self.raw(key)
        if value is not None and not isinstance(value, dict):
            raise ApiError(400, f"Invalid object: {self.name(key)}", "parameter_invalid_object", self.name(key))
        self.inner.append(Params(value or {}, self.name(key)))
        return self.inner[-1]

    def objects(self, key, required=False):
        values = self.raw(key, required) or []
        if not isinstance(values, list) or not all(isinstance(each, dict) for each in values):
            raise ApiError(400, f"Invalid array: {self.name(key)}", "parameter_invalid_array", self.name(key))
        made = [Params(each, f"{self.name(key)}[{number}]") for number, each in enumerate(values)]
        self.inner.extend(made)
        return made

    def texts(self, key):
        values = self.raw(key) or []
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise ApiError(400, f"Invalid array: {self.name(key)}", "parameter_invalid_array", self.name(key))
        return values

    def metadata(self, old=None):
        """Merges into the metadata of a record. An empty value removes its key."""
        made = dict(old or {})
        for key, value in ({} if self.raw("metadata") in (None, "") else self.mapping("metadata").values).items():
            if not isinstance(value, str) or len(value) > METADATA_CHARACTERS or len(key) > METADATA_KEY_CHARACTERS:
                raise ApiError(400, f"Metadata values can have up to {METADATA_CHARACTERS} characters.", None, f"{self.name('metadata')}[{key}]")
            made[key] = value
        made = {key: value for key, value in made.items() if value != ""}
        if len(made) > METADATA_KEYS:
            raise ApiError(400, f"Metadata can have up to {METADATA_KEYS} keys.", None, self.name("metadata"))
        for each in self.inner:
            if each.path == self.name("metadata"):
                each.read.update(each.values)
        return made

    def finish(self):
        for key in self.values:
            if key not in self.read:
                raise ApiError(400, f"Received unknown parameter: {self.name(key)}", "parameter_unknown", self.name(key))
        for each in self.inner:
            each.finish()
