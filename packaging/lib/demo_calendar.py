"""The demo data of the calendar: a host with a week that has bookings, a request and a day off."""

import datetime

HANDLE, EVENT_TYPE = "ada", "intro"
ZONE = "Europe/Berlin"

EVENT_TYPES = [
    {"slug": EVENT_TYPE, "title": "Intro call", "description": "Half an hour to get to know each other.", "minimumNoticeMinutes": 60,
     "bookingWindow": {"kind": "rollingDays", "days": 60}, "bufferAfterMinutes": 10, "meetingKind": "external_link", "meetingDetails": "https://meet.example/ada",
     "questions": [{"questionId": "topic", "label": "What would you like to talk about?", "type": "textarea"}], "color": "#2563eb"},
    {"slug": "consulting", "title": "Consulting", "description": "For customers with a question that needs time. I look at each request myself.",
     "durationMinutes": 60, "durationOptions": [60, 90], "slotIntervalMinutes": 30, "requiresApproval": True, "meetingKind": "phone",
     "meetingDetails": "I call you.", "questions": [
         {"questionId": "system", "label": "Which engine do you run?", "type": "select", "required": True, "options": ["Difference engine", "Analytical engine"]},
         {"questionId": "urgent", "label": "It is urgent", "type": "checkbox"}], "color": "#b45309"},
    {"slug": "workshop", "title": "Weaving with numbers", "description": "A workshop for eight.", "durationMinutes": 90, "seatsPerSlot": 8,
     "meetingKind": "in_person", "meetingDetails": "12 St James's Square", "allowAdditionalGuests": 2, "color": "#047857"},
]  # fmt: skip

# Event type, which of the free times, who.
BOOKINGS = (
    (EVENT_TYPE, 1, "Charles Babbage", "charles@engines.example", "Europe/London", {"topic": "Where does the carry go?"}),
    (EVENT_TYPE, 9, "Mary Somerville", "mary@connexion.example", "America/New_York", {}),
    (EVENT_TYPE, 20, "Luigi Menabrea", "luigi@torino.example", "Europe/Rome", {"topic": "Notes on the notes"}),
    ("workshop", 30, "Sophia Frend", "sophia@morgan.example", "Europe/London", {}),
    ("consulting", 14, "Andrew Crosse", "andrew@fyne.example", "Europe/London", {"system": "Analytical engine", "urgent": True}),
)


class Calendar:
    """The calendar of one organization, as its owner and as guests."""

    def __init__(self, host, organization):
        self.host = host
        self.token = host.token(organization["users"][0], "calendar")

    def send(self, method, path, body=None):
        return self.host.call("calendar", method, path, body, self.token)

    def set_up(self):
        """@return whether there was nothing yet"""
        if not self.send("GET", "/api/admin/context")["needsSetup"]:
            return False
        self.send("POST", "/api/admin/host", {"handle": HANDLE, "displayName": "Ada Lovelace", "timeZone": ZONE})
        self.send("PUT", "/api/admin/host", {"headline": "Analyst and metaphysician", "bio": "I write programs for engines that are not built yet.", "branding": {"accentColor": "#4f46e5"}})
        for event_type in EVENT_TYPES:
            self.send("POST", "/api/admin/event-types", event_type)
        return True

    def take_a_day_off(self):
        schedule = self.send("GET", "/api/admin/schedules")["items"][0]
        today = datetime.date.today()
        friday = today + datetime.timedelta(days=(4 - today.weekday()) % 7 + 7)
        overrides = [{"date": friday.isoformat(), "closed": True}]
        self.send("PUT", f"/api/admin/schedules/{schedule['scheduleId']}", {"dateOverrides": overrides})

    def book(self, event_type, place, name, email, zone, answers):
        now = datetime.datetime.now(datetime.timezone.utc)
        span = f"from={now:%Y-%m-%dT%H:%M:%SZ}&to={now + datetime.timedelta(days=14):%Y-%m-%dT%H:%M:%SZ}"
        page = f"/api/public/{HANDLE}/{event_type}"
        slots = self.host.call("calendar", "GET", f"{page}/availability?{span}")["slots"]
        held = self.host.call("calendar", "POST", f"{page}/hold", {"start": slots[min(place, len(slots) - 1)]["start"], "timeZone": zone})
        # Some types of bookings are calls. A number that is kept for films.
        guest = {"name": name, "email": email, "phone": "+44 20 7946 0958", "timeZone": zone, "locale": "en"}
        told = [{"questionId": key, "value": value} for key, value in answers.items()]
        self.host.call("calendar", "POST", f"{page}/confirm", {"holdId": held["holdId"], "holdToken": held["holdToken"], "guest": guest, "answers": told})


def fill(host, organization):
    """Sets up the first organization's owner as a host, once."""
    calendar = Calendar(host, organization)
    if calendar.set_up():
        calendar.take_a_day_off()
        for booking in BOOKINGS:
            calendar.book(*booking)
    return {"handle": HANDLE, "eventType": EVENT_TYPE}
