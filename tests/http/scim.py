#!/usr/bin/python3
"""Third-party SCIM libraries (npm's scimmy, scim-patch and scim2-parse-filter) provision users and groups, and validate the responses."""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from nameserver import NameServer, prove  # noqa: E402
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


NAMES = NameServer()


@on_both_engines
class ScimTest:
    settings = {"identity.domains.resolvers": NAMES.place}

    def test_libraries_provision_people(self):
        folder = installed(HERE / "provisioning", "scim-clients")
        token = self.accounts.token("acme", "owner", "identity")
        prove(NAMES, self.daemon, token, "acme.example")
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
