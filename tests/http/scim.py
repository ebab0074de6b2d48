#!/usr/bin/python3
"""Foreign SCIM libraries (npm's scimmy, scim-patch and scim2-parse-filter) provision people and groups, and judge what comes back."""

import json
import pathlib
import socket
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from npm import installed  # noqa: E402

STEPS = """scimmy: what the provider says of itself
scimmy: people
scim2-parse-filter: filters
scim-patch: patches
scimmy: groups
scimmy: bulk
scimmy: errors
removal
"""


class NameServer:
    """Answers every question for TXT with one text."""

    def __init__(self):
        self.text = b""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.place = "127.0.0.1:%d" % self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            query, peer = self.socket.recvfrom(1024)
            question = query[12 : query.index(b"\0", 12) + 5]
            data = bytes([len(self.text)]) + self.text
            record = b"\xc0\x0c\0\x10\0\x01\0\0\0\0" + len(data).to_bytes(2, "big") + data
            self.socket.sendto(query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + question + record, peer)


NAMES = NameServer()


@on_both_engines
class ScimTest:
    settings = {"identity.domains.resolvers": NAMES.place}

    def prove(self, token, domain):
        organization = self.daemon.request("identity", "GET", "/api/auth/me", None, token).json()["activeContext"]["organizationId"]
        domains = f"/api/organizations/{organization}/domains"
        claimed = self.daemon.request("identity", "POST", domains, {"domain": domain}, token)
        self.assertEqual(201, claimed.status, claimed.body)
        NAMES.text = claimed.json()["dnsRecord"]["value"].encode()
        proved = self.daemon.request("identity", "POST", f"{domains}/{domain}/verify", {}, token)
        self.assertEqual(200, proved.status, proved.body)

    def test_libraries_provision_people(self):
        folder = installed(HERE / "provisioning", "scim-clients")
        token = self.accounts.token("acme", "owner", "identity")
        self.prove(token, "acme.example")
        body = {"name": "Directory", "grant_types": ["client_credentials"], "scopes": ["scim"], "token_endpoint_auth_method": "client_secret_post"}
        client = self.daemon.request("identity", "POST", "/api/oauth-clients", body, token)
        self.assertEqual(201, client.status, client.body)
        form = f"grant_type=client_credentials&scope=scim&client_id={client.json()['client_id']}&client_secret={client.json()['client_secret']}"
        issued = self.daemon.request("identity", "POST", "/oauth/token", form.encode(), headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(200, issued.status, issued.body)
        issuer = self.daemon.request("identity", "GET", "/.well-known/openid-configuration").json()["issuer"]
        wanted = json.dumps({"base": f"{issuer}/scim/v2", "token": issued.json()["access_token"]})
        done = subprocess.run(["node", "flow.mjs", wanted], cwd=folder, capture_output=True, text=True, timeout=300)
        self.assertEqual((STEPS, 0), (done.stdout, done.returncode), done.stderr)


if __name__ == "__main__":
    main()
