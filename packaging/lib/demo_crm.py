"""The demo data of CRM: what gives each of its pages something to show."""

import csv
import datetime
import io

NAMED = {
    "acme": [
        ("Ada", "Lovelace", "Analytical Engines", "Lead programmer", ["vip", "engineering"], "Wants a quote for the second engine before Easter."),
        ("Grace", "Hopper", "Harbor Systems", "Rear admiral", ["vip"], "Met at the compiler conference; send the nanosecond."),
        ("Alan", "Turing", "Bletchley Works", "Researcher", ["engineering"], None),
        ("Hedy", "Lamarr", "Frequency Labs", "Founder", ["lead"], "Asked how soon we can ship to Vienna."),
        ("Katherine", "Johnson", "Orbit Partners", "Analyst", ["customer"], "Checks every number herself. Send figures early."),
        ("Edsger", "Dijkstra", "Shortest Path BV", "Consultant", ["partner"], None),
        ("Barbara", "Liskov", "Substitution Inc.", "Professor", ["customer"], None),
        ("Donald", "Knuth", "Typeset & Sons", "Author", ["lead"], "Prefers letters to e-mail."),
        ("Margaret", "Hamilton", "Apollo Software", "Director", ["customer", "vip"], None),
        ("Ken", "Thompson", "Pipes & Co.", "Engineer", ["partner"], None),
        ("Radia", "Perlman", "Spanning Tree Nurseries", "Owner", ["lead"], "Call back in spring."),
        ("Tim", "Berners-Lee", "Hypertext Coffee", "Barista", [], None),
    ],
    "globex": [
        ("Hank", "Scorpio", "Globex", "President", ["vip"], "Likes a moat in every plan."),
        ("Frank", "Grimes", "Sector 7G", "Inspector", ["lead"], None),
        ("Lenny", "Leonard", "Sector 7G", "Technician", ["customer"], None),
    ],
}  # fmt: skip

# People of a spreadsheet, as a trade fair would leave it: three rows of it cannot be taken.
FIRST = ("Iris", "Jonas", "Leila", "Mateo", "Nora", "Oskar", "Priya", "Rosa", "Samir", "Tilda", "Viktor", "Wanda", "Yusuf")
LAST = ("Abel", "Brandt", "Castillo", "Dorsey")
COMPANIES = ("Copper Kettle", "Northwind Sails", "Paper & Pine", "Quiet Motors", "Redwood Optics", "Silver Fern", "Tall Ships", "Umbra Lighting")
BAD_ROWS = (("Nobody", "Reachable", "Tall Ships", "not an address", ""), ("", "", "", "", "spreadsheet row without a name"), ("Otto", "Vague", "Silver Fern", "otto@vague@example", ""))

# Two of each are one person: the page of duplicates has something to suggest, and one pair is merged already.
TWICE = {
    "suggested": [("Joan", "Clarke", "Bletchley Works", "+44 1908 640404"), ("Vera", "Molnar", "Frequency Labs", "+43 1 5550100")],
    "merged": [("Annie", "Easley", "Orbit Partners", "+1 216 555 0100")],
}

# Of the stages in their order, won and lost among them; their sum is the number of cards.
CARDS = (6, 5, 4, 4, 2, 2, 1)
STALE_AFTER_DAYS = 14
FILES = (
    ("quote-2026-114.csv", "text/csv", b"item,quantity,price\r\nsecond engine,1,48000.00\r\ninstallation,1,3200.00\r\n"),
    ("minutes-spring-meeting.txt", "text/plain", b"Present: Ada, Charles.\nNext: the quote, before Easter.\n"),
    ("logo.svg", "image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="28" fill="#3b82f6"/></svg>\n'),
)


class Crm:
    """CRM of one organization, as its owner."""

    def __init__(self, host, organization):
        self.host, self.slug = host, organization["slug"]
        self.token = host.token(organization["users"][0], "crm")
        self.users = organization["users"]

    def get(self, path):
        return self.host.call("crm", "GET", path, token=self.token)

    def send(self, method, path, body, key=None):
        return self.host.call("crm", method, path, body, self.token, {"Idempotency-Key": f"demo-{self.slug}-{key}"} if key else None)

    def contact(self, first, last, company, key, **more):
        address = f"{first}.{last}@{company.split()[0]}.example".lower()
        body = {"firstName": first, "lastName": last, "companyName": company, "emails": [{"address": address, "label": "work", "primary": True}], **more}
        return self.send("POST", "/api/contacts", body, key)["id"]

    def named(self):
        ids = []
        for first, last, company, title, tags, note in NAMED[self.slug]:
            key = last.lower()
            ids.append(self.contact(first, last, company, key, jobTitle=title, tags=tags))
            if note:
                self.send("POST", f"/api/contacts/{ids[-1]}/notes", {"body": note}, f"{key}-note")
        return ids

    def custom_fields(self):
        self.send("POST", "/api/custom-fields", {"key": "account_number", "label": "Account number", "type": "text"}, "field-account")
        self.send("POST", "/api/custom-fields", {"key": "size", "label": "Company size", "type": "select", "options": ["1 to 10", "11 to 100", "more"]}, "field-size")

    def spreadsheet(self):
        """@return the ids of those who came in, in the order of the file"""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(("First name", "Last name", "Company", "E-mail", "Notes"))
        people = [(first, last) for last in LAST for first in FIRST][: 60 - len(NAMED[self.slug])]
        for i, (first, last) in enumerate(people):
            writer.writerow((first, last, COMPANIES[i % len(COMPANIES)], f"{first}.{last}@fair.example".lower(), ""))
            if i % 17 == 9:
                writer.writerow(BAD_ROWS[i // 17])
        self.host.upload("crm", "/api/contacts/import?tags=spring%20fair&onDuplicate=skip", "text/csv", text.getvalue().encode(), self.token, {"X-File-Name": "spring-fair.csv"})
        found = self.get("/api/contacts?tag=spring%20fair&sort=createdAt&limit=100")["items"]
        return [each["id"] for each in found]

    def duplicates(self):
        for kind, people in TWICE.items():
            for first, last, company, phone in people:
                key = last.lower()
                one = self.contact(first, last, company, key, tags=["customer"])
                # The same name and company and no address: by somebody who had only the phone number.
                again = {"firstName": first, "lastName": last, "companyName": company, "phones": [{"number": phone, "label": "work", "primary": True}]}
                other = self.send("POST", "/api/contacts", again, f"{key}-again")["id"]
                if kind == "merged":
                    self.send("POST", f"/api/contacts/{one}/merge", {"sourceIds": [other]}, f"{key}-merge")

    def board(self, ids):
        """Cards that came within the last weeks, the first of each stage so long ago that it is stale."""
        pipeline = self.get("/api/pipeline")["items"][0]
        stages = [{**each, "staleAfterDays": STALE_AFTER_DAYS} if each["kind"] == "open" else each for each in pipeline["stages"]]
        self.send("PUT", f"/api/pipeline/{pipeline['pipelineId']}", {"stages": stages})
        waiting = iter(ids)
        for stage, count in zip(stages, CARDS):
            for i in range(count):
                days = STALE_AFTER_DAYS + 9 if i == 0 else i * 2
                self.place(next(waiting), pipeline["pipelineId"], [stages[0], stage], days, (len(stage["name"]) * 173 + i * 311) * 1000)

    def place(self, contact, pipeline, way, days, value):
        """Takes a contact to the last stage of a way, where it came so many days ago; what a run before this has done is left alone."""
        places = self.get(f"/api/contacts/{contact}")["pipelines"]
        reached = max((stage["order"] for stage in way if places and stage["stageId"] == places[0]["stageId"]), default=-1)
        for stage in way:
            if stage["order"] <= reached:
                continue
            reached = stage["order"]
            came = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days + 3 * (way[-1]["order"] - stage["order"]))
            lost = {"lostReason": "Went with somebody else"} if stage["kind"] == "lost" else {}
            move = {"pipelineId": pipeline, "stageId": stage["stageId"], "movedAt": came.isoformat(timespec="seconds"), "value": value, **lost}
            self.send("PUT", f"/api/pipeline/{contact}/move", move)

    def files(self, contact):
        for name, kind, content in FILES:
            self.host.upload("crm", f"/api/contacts/{contact}/attachments", kind, content, self.token, {"X-File-Name": name, "Idempotency-Key": f"demo-{self.slug}-{name}"})

    def owners(self, ids):
        for i, contact in enumerate(ids):
            self.send("PUT", f"/api/contacts/{contact}", {"ownerUserId": self.users[i % 4]["userId"]})


def fill(host, organization):
    """Fills an organization once; `crm` of its record tells that it is done. A run that was interrupted goes on: its calls have keys."""
    if organization.get("crm"):
        return
    crm = Crm(host, organization)
    named = crm.named()
    if crm.slug == "acme":
        crm.custom_fields()
        people = crm.spreadsheet()
        crm.duplicates()
        crm.owners(named)
        crm.board(people[: sum(CARDS) - len(named)] + named)
        crm.files(named[0])
    organization["crm"] = "filled"
