#!/usr/bin/python3
"""The sandbox network as a Mastodon server: Mastodon.py, a client that others wrote, signs in to it and posts."""

import datetime
import html
import json
import pathlib
import re
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import ROOT, free_ports  # noqa: E402

sys.path.insert(0, str(ROOT / "packaging/sandbox"))
import mastodon  # noqa: E402
import sandbox  # noqa: E402

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
SCOPES = ["read:accounts", "write:statuses", "write:media"]


class Sandbox(unittest.TestCase):
    def setUp(self):
        self.time = datetime.datetime.now(datetime.timezone.utc)
        self.server = sandbox.serve(free_ports(1), clock=lambda: self.time)
        self.url = self.server.url
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def client(self, scopes=SCOPES):
        key, secret = mastodon.Mastodon.create_app("a client", scopes=scopes, redirect_uris=OUT_OF_BAND, api_base_url=self.url)
        client = mastodon.Mastodon(key, secret, api_base_url=self.url, version_check_mode="none")
        page = urllib.request.urlopen(client.auth_request_url(redirect_uris=OUT_OF_BAND, scopes=scopes)).read().decode()
        self.assertIn("Sandbox", page)
        fields = {name: html.unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', page)}
        given = urllib.request.urlopen(self.url + "/oauth/authorize", urllib.parse.urlencode({**fields, "decision": "allow"}).encode()).read().decode()
        client.log_in(code=re.search(r"<code>([^<]+)</code>", given)[1], redirect_uri=OUT_OF_BAND, scopes=scopes)
        return client

    def test_a_client_of_others_signs_in_and_posts(self):
        client = self.client()
        me = client.account_verify_credentials()
        self.assertEqual((me.id, me.username), (1, "demo"))
        first = client.status_post("Hello #tag https://example.org", visibility="unlisted", spoiler_text="Careful", sensitive=True, language="de")
        second = client.status_post("An answer", in_reply_to_id=first.id)
        self.assertEqual((second.in_reply_to_id, first.spoiler_text, first.visibility), (first.id, "Careful", "unlisted"))
        shown = client.account_statuses(me.id)
        self.assertEqual([each.id for each in shown], [second.id, first.id])
        client.status_delete(second.id)
        self.assertEqual([each.id for each in client.account_statuses(me.id)], [first.id])

    def test_a_video_is_prepared_after_its_upload(self):
        client = self.client()
        picture = client.media_post(b"\x89PNG\r\n\x1a\n", mime_type="image/png", description="A cat")
        video = client.media_post(b"\0\0\0\x18ftypisom", mime_type="video/mp4", synchronous=True)
        self.assertEqual((picture.description, video.type), ("A cat", "video"))
        hasty = client.media_post(b"\0\0\0\x18ftypisom", mime_type="video/mp4")
        self.assertIsNone(hasty.url)
        with self.assertRaisesRegex(mastodon.MastodonAPIError, "not finished processing"):
            client.status_post("Too early", media_ids=[hasty.id])
        post = client.status_post("Both", media_ids=[picture.id, video.id])
        self.assertEqual([each.id for each in post.media_attachments], [picture.id, video.id])

    def test_pages_show_pictures_and_their_alternative_texts(self):
        client = self.client()
        data = b"\x89PNG\r\n\x1a\n and more"
        picture = client.media_post(data, mime_type="image/png", description="A <cat>")
        silent = client.media_post(data, mime_type="image/png")
        post = client.status_post("Look", media_ids=[picture.id, silent.id])
        for path in ("/", f"/@demo/{post.id}"):
            page = self.get(path)
            self.assertIn("img-src 'self'", page.headers["Content-Security-Policy"])
            text = page.read().decode()
            self.assertIn(f'<img src="/media/{picture.id}" alt="A &lt;cat&gt;"><figcaption>Alternative text: A &lt;cat&gt;</figcaption>', text)
            self.assertIn("No alternative text", text)
        file = self.get(f"/media/{picture.id}")
        self.assertEqual((file.headers["Content-Type"], file.read()), ("image/png", data))
        self.assertEqual(self.get("/media/1").status, 404)

    def test_trends_are_those_of_a_server(self):
        client = self.client()
        tag = client.trending_tags()[0]
        self.assertEqual((tag.name, len(tag.history)), ("engines", 7))
        self.assertGreater(int(tag.history[0].uses), 0)
        self.assertEqual(len(client.trending_links()), 3)
        self.assertEqual(client.trending_statuses(), [])

    def test_a_key_is_kept_for_an_hour(self):
        client = self.client()
        one, again = (client.status_post("Once", idempotency_key="key").id for _ in range(2))
        self.assertEqual(one, again)
        self.time += datetime.timedelta(minutes=61)
        self.assertNotEqual(client.status_post("Once", idempotency_key="key").id, one)

    def test_a_key_outlives_a_restart(self):
        with tempfile.TemporaryDirectory() as state:
            def restarted():
                return sandbox.Sandbox(self.url, state, lambda: self.time)

            one = restarted().post({"status": "Once"}, "key")["id"]
            self.assertEqual(restarted().post({"status": "Once"}, "key")["id"], one)
            self.time += datetime.timedelta(minutes=61)
            later = restarted().post({"status": "Once"}, "key")["id"]
            self.assertNotEqual(later, one)
            self.assertEqual(restarted().post({"status": "Once"}, "key")["id"], later)

    def test_limits_and_scopes_are_those_of_a_server(self):
        client = self.client()
        client.status_post("x" * 476 + " https://example.org/" + "y" * 400)
        with self.assertRaisesRegex(mastodon.MastodonAPIError, "character limit"):
            client.status_post("x" * 501)
        with self.assertRaises(mastodon.MastodonAPIError):
            client.status_post("")
        reader = self.client(["read:accounts"])
        with self.assertRaises(mastodon.MastodonAPIError):
            reader.status_post("Not allowed")
        token = client.access_token
        client.revoke_access_token()
        with self.assertRaises(mastodon.MastodonUnauthorizedError):
            mastodon.Mastodon(access_token=token, api_base_url=self.url, version_check_mode="none").account_verify_credentials()

    def test_a_code_serves_once_and_with_its_verifier_only(self):
        app = self.call("/api/v1/apps", client_name="x", redirect_uris="http://127.0.0.1/back", scopes="read")
        asked = {"client_id": app["client_id"], "redirect_uri": "http://127.0.0.1/back", "response_type": "code", "scope": "read", "state": "s",
                 "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"}
        token = {"grant_type": "authorization_code", "client_id": app["client_id"], "client_secret": app["client_secret"], "redirect_uri": "http://127.0.0.1/back"}
        for verifier, works in (("wrong", False), ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", True)):
            answer = self.post("/oauth/authorize", **asked, decision="allow")
            back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))
            self.assertEqual(back["state"], "s")
            self.assertEqual(self.post("/oauth/token", **token, code=back["code"], code_verifier=verifier).status == 200, works)
            self.assertEqual(self.post("/oauth/token", **token, code=back["code"], code_verifier=verifier).status, 400)
        self.assertEqual(self.post("/oauth/authorize", **{**asked, "redirect_uri": "http://127.0.0.1/other"}, decision="allow").status, 400)

    def test_every_page_says_what_it_is(self):
        for path in ("/", "/@demo", "/@demo/404", "/nowhere", "/oauth/authorize?client_id=x"):
            answer = self.get(path)
            self.assertIn(b"Nothing here is published anywhere", answer.read(), path)

    def post(self, path, **fields):
        return self.open(urllib.request.Request(self.url + path, urllib.parse.urlencode(fields).encode()))

    def get(self, path):
        return self.open(urllib.request.Request(self.url + path))

    def call(self, path, **fields):
        return json.loads(self.post(path, **fields).read())

    @staticmethod
    def open(request):
        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        try:
            return urllib.request.build_opener(Stay).open(request)
        except urllib.error.HTTPError as answer:
            return answer


if __name__ == "__main__":
    main()
