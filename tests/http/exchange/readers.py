"""Other people's parsers: csv-parse and vcard4 of npm, vobject of Debian. None of them knows our writers."""

import json
import pathlib
import subprocess

import vobject
from npm import installed

HERE = pathlib.Path(__file__).resolve().parent


class Readers:
    """Installs the npm parsers and runs them."""

    def __init__(self):
        self._folder = installed(HERE, "exchange-readers")

    def csv(self, file):
        """Records as dictionaries by the names of the header, as csv-parse reads them."""
        header, *rows = self._read("csv", file)
        assert len(set(header)) == len(header), header
        return [dict(zip(header, row, strict=True)) for row in rows]

    def vcards(self, file):
        """Cards as vcard4 reads them: lists of properties, or the message of the one that it refuses."""
        return self._read("vcard", file)

    def _read(self, kind, file):
        done = subprocess.run(["node", "read.mjs", kind], cwd=self._folder, input=file, stdout=subprocess.PIPE, check=True, timeout=120)
        return json.loads(done.stdout)


def vobject_cards(file):
    return list(vobject.readComponents(file.decode("utf-8")))


def vobject_card_of(number, text):
    """A card of version 3.0 as vobject writes it, with one text in many places."""
    card = vobject.vCard()
    card.add("fn").value = text
    card.add("n").value = vobject.vcard.Name(family="L" + text, given=text)
    card.add("org").value = [text, "D"]
    card.add("title").value = text
    card.add("bday").value = "1815-12-10"
    card.add("categories").value = [text, "t"]
    card.add("uid").value = f"uid-{number}"
    address = card.add("adr")
    address.value = vobject.vcard.Address(street=text, city="C" + text)
    address.type_param = "HOME"
    email = card.add("email")
    email.value = f"v{number}@x.example"
    email.type_param = ["INTERNET", "WORK"]
    return card.serialize()
