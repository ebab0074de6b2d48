#!/usr/bin/python3
"""npm's openid-client and oauth4webapi sign a user in with only the issuer's URL. jose verifies Portico's tokens and creates malicious ones."""

import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main, on_both_engines  # noqa: E402
from npm import installed  # noqa: E402

STEPS = """jose: our token verifies
jose: hostile tokens are refused
openid-client: discovery
openid-client: code with PKCE
openid-client: userinfo
openid-client: refresh
openid-client: introspection
openid-client: PAR
openid-client: 64 refreshes at once
openid-client: revocation
openid-client: end of the session
openid-client: dynamic registration, pairwise
openid-client: the registration is ended
openid-client: DPoP
openid-client: device
oauth4webapi: code with PKCE and private_key_jwt
oauth4webapi: a code is good once
oauth4webapi: client credentials
"""


def key_pair(folder):
    """A P-256 key as JWK, made by jose."""
    script = "import{generateKeyPair,exportJWK}from'jose';const{privateKey}=await generateKeyPair('ES256',{extractable:true});console.log(JSON.stringify({...await exportJWK(privateKey),kid:'k1'}))"
    made = subprocess.run(["node", "--input-type=module", "-e", script], cwd=folder, stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(made.stdout)


@on_both_engines
class OidcClientsTest:
    def client(self, token, **members):
        body = {"name": "App", "redirect_uris": ["https://app.example/cb"], "scopes": ["openid", "profile", "email", "offline_access"], **members}
        answer = self.daemon.request("identity", "POST", "/api/oauth-clients", body, token)
        self.assertEqual(201, answer.status, answer.body)
        return answer.json()

    def test_clients_sign_in(self):
        folder = installed(HERE / "oidc", "oidc-clients")
        email, password = self.accounts.users["acme", "owner"]
        token = self.daemon.login(email, password, "identity")
        issuer = self.daemon.request("identity", "GET", "/.well-known/openid-configuration").json()["issuer"]
        private = key_pair(folder)
        public = {name: value for name, value in private.items() if name != "d"}
        clients = {
            "basic": self.client(token, post_logout_redirect_uris=["https://app.example/bye"]),
            "native": self.client(token, type="native", token_endpoint_auth_method="none", dpop_bound_access_tokens=True),
            "device": self.client(token, token_endpoint_auth_method="client_secret_post",
                                  grant_types=["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]),
            "assertion": self.client(token, token_endpoint_auth_method="private_key_jwt", jwks={"keys": [public]},
                                     grant_types=["authorization_code", "client_credentials"]),
        }
        clients["assertion"]["private"] = private
        wanted = json.dumps({"issuer": issuer, "crm": issuer.replace("identity.", "crm."), "initialToken": token, "email": email, "password": password, "clients": clients})
        done = subprocess.run(["node", "flow.mjs", wanted], cwd=folder, capture_output=True, text=True, timeout=300)
        self.assertEqual((STEPS, 0), (done.stdout, done.returncode), done.stderr)

    def test_pages_of_anybody_may_be_clients(self):
        form = {"Origin": "https://spa.example", "Content-Type": "application/x-www-form-urlencoded"}
        metadata = self.daemon.request("identity", "GET", "/.well-known/openid-configuration", headers={"Origin": "https://spa.example"})
        self.assertEqual("*", metadata.headers["Access-Control-Allow-Origin"])
        keys = self.daemon.request("identity", "GET", "/.well-known/jwks.json", headers={"Origin": "https://spa.example"})
        self.assertEqual((200, "*"), (keys.status, keys.headers["Access-Control-Allow-Origin"]))
        # What a browser is led to is no endpoint that pages call.
        endpoints = {name: place for name, place in metadata.json().items() if name.endswith("_endpoint") and name not in ("authorization_endpoint", "end_session_endpoint")}
        for name, place in endpoints.items():
            answer = self.daemon.request("identity", "POST", "/" + place.split("/", 3)[3], b"client_id=nobody", headers=form)
            self.assertEqual("*", answer.headers["Access-Control-Allow-Origin"], name)
            self.assertNotIn("Access-Control-Allow-Credentials", answer.headers)


if __name__ == "__main__":
    main()
