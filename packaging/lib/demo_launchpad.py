"""The demo data of the launchpad: finished first steps, a dashboard, rules about apps, requests, decisions that wait, and notifications."""

import email
import email.policy
import re
import time

MAIL_SECONDS = 30
# One rule for each mode: service, subject, mode.
RULES = [
    ("crm", {"type": "everyone"}, "required"),
    ("calendar", {"type": "role", "id": "member"}, "optional"),
    ("social", {"type": "role", "id": "guest"}, "blocked"),
]
DECISIONS = [{"id": "approve", "label": "Approve"}, {"id": "reject", "label": "Reject", "style": "danger", "requiresReason": True}]
ACTIONS = [
    {"title": "A discount of 30 % for Analytical Engines", "body": "Charles asks for more than a member may give.", "severity": "warning",
     "source": {"service_id": "crm", "resourceType": "deal", "resourceId": "demo-discount"}, "dedupeKey": "demo:discount", "decisions": DECISIONS},
    {"title": "The export of contacts is older than 30 days", "severity": "info",
     "source": {"service_id": "crm", "resourceType": "export", "resourceId": "demo-export"}, "dedupeKey": "demo:export",
     "decisions": [{"id": "done", "label": "Done"}]},
    {"title": "A calendar has no working hours next week", "severity": "critical",
     "source": {"service_id": "calendar", "resourceType": "host", "resourceId": "demo-hours"}, "dedupeKey": "demo:hours",
     "decisions": [{"id": "done", "label": "Done"}]},
]  # fmt: skip


class Launchpad:
    """The launchpad as one person uses it."""

    def __init__(self, host, user):
        self.host, self.user = host, user
        self.token = host.token(user, "launchpad")
        self.confirmed = False

    def ask(self, method, path, body=None, headers=None):
        return self.host.call("launchpad", method, path, body, self.token, headers)

    def confirm(self):
        """Confirms the sign-in, which identity demands before what could lock a person out."""
        if not self.confirmed:
            proof = {"factor": "password", "password": self.user["password"]}
            self.token = self.ask("POST", "/api/auth/step-up", proof)["access_token"]
            self.confirmed = True

    def code_of(self, address):
        """The code in the newest mail to an address; without a mail server, mails are files in the state directory."""
        deadline = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < deadline:
            for file in sorted((self.host.socket.parent / "mail/new").glob("*"), reverse=True):
                mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                found = re.search(r"(?<!\d)\d{3} ?\d{3}(?!\d)", mail.get_body(("plain",)).get_content())
                if f"<{address}>" in mail["To"] and found:
                    return found[0]
            time.sleep(0.05)
        return None

    def onboard(self):
        state = self.ask("GET", "/api/onboarding")
        if state["step"] == "recovery_email":
            address = self.user["email"].replace("@", ".recovery@")
            self.confirm()
            self.ask("PUT", "/api/auth/me/recovery-email", {"email": address})
            code = self.code_of(address)
            if code is None:  # A mail server is configured: the person follows the mail.
                return
            self.ask("POST", "/api/auth/me/recovery-email/verify", {"code": code})
            state = self.ask("GET", "/api/onboarding")
        if state["step"] == "organization":
            self.ask("POST", "/api/onboarding/complete", {"data": {"name": "Demo"}})

    def key(self, organization):
        self.confirm()
        body = {"name": "Demo: actions and notifications", "environment": "live", "owner_type": "organization", "owner_id": organization,
                "grants": [{"service_id": "launchpad", "scopes": ["workflows.write", "notifications.write"], "resources": []}]}  # fmt: skip
        return self.ask("POST", "/api/auth/api-keys", body, {"Idempotency-Key": f"demo-launchpad-{organization}"})["key"]


def fill_acme(owner, organization):
    if owner.ask("GET", "/api/assignments")["items"]:
        return
    folders = [{"id": "customers", "name": "Customers", "serviceIds": ["crm", "social"]}]
    owner.ask("PATCH", "/api/preferences", {"pinned": ["crm", "calendar"], "order": ["crm", "calendar", "social"], "folders": folders})
    for service, subject, mode in RULES:
        owner.ask("POST", "/api/assignments", {"service_id": service, "subject": subject, "mode": mode})
    key = {"X-Api-Key": owner.key(organization["organizationId"])}
    for action in ACTIONS:
        owner.host.call("launchpad", "POST", "/api/actions", {**action, "assignee": {"type": "role", "id": "admin"}}, None, key)
    welcome = {"role": "member", "title": "Welcome to the launchpad", "body": "Pin the apps that you use every day.", "href": "/apps", "dedupeKey": "demo:welcome"}
    owner.host.call("launchpad", "POST", "/api/notifications", welcome, None, key)


def fill_globex(host, organization, owner):
    """An app that is not installed, and a member who asks for it."""
    if owner.ask("GET", "/api/actions")["items"]:
        return
    if owner.ask("GET", "/api/catalog/social")["availability"] == "installed":
        owner.ask("DELETE", "/api/installs/social")
    member = Launchpad(host, next(user for user in organization["users"] if user["role"] == "member"))
    if member.ask("GET", "/api/catalog/social")["availability"] == "request_required":
        member.ask("POST", "/api/install-requests", {"service_id": "social", "reason": "We want to announce the new plant."})


def fill(host, record):
    """Returns what a later run finds in demo.json, so that it signs nobody in again."""
    acme, globex = record["organizations"]
    people = [Launchpad(host, user) for user in acme["users"]]
    for person in (*people, Launchpad(host, record["operator"])):
        person.onboard()
    fill_acme(people[0], acme)
    fill_globex(host, globex, Launchpad(host, globex["users"][0]))
    return {"onboarded": ["acme", "operator"]}
