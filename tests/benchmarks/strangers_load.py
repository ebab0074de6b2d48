#!/usr/bin/python3
"""Measures the CPU time of the most expensive requests that unauthenticated clients can send: keys, proofs and assertions with the most expensive parameters.
All signatures are invalid; verifying them takes as long as for valid ones.

    tests/benchmarks/strangers_load.py [BUILD]"""
import base64, json, os, pathlib, secrets, sys, time, urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from daemon import Daemon  # noqa: E402
from identity_load import FORM, SETTINGS, Installation, expect  # noqa: E402
from measure import say  # noqa: E402

REQUESTS = 400
GOAL_MS = 2
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def b64(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else json.dumps(data).encode()).rstrip(b"=").decode()


def rsa(bits, exponent=(1 << 32) - 1, **more):
    """A modulus needs no factors to be costly, and no exponent of 32 bits costs more than this."""
    return {"kty": "RSA", "n": b64((secrets.randbits(bits) | 1 << (bits - 1) | 1).to_bytes(bits // 8, "big")), "e": b64(exponent.to_bytes(4, "big")), **more}


def jws(header, claims, signature_bytes):
    return f"{b64(header)}.{b64(claims)}.{b64(bytes([0]) + os.urandom(signature_bytes - 1))}"


class Stranger:
    def __init__(self, made):
        self.made, self.connection = made, made.daemon.connect("identity")
        self.issuer = json.loads(self.ask("GET", "/.well-known/openid-configuration")[1])["issuer"]
        token = made.token()
        create = lambda body: expect(made.daemon.request("identity", "POST", "/api/oauth-clients", body, token), 201)["client_id"]  # noqa: E731
        self.native = create({"name": "Native", "type": "native", "token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1/cb"]})
        self.asserting = create({"name": "Asserting", "token_endpoint_auth_method": "private_key_jwt", "redirect_uris": ["https://app.example/cb"],
                                 "jwks": {"keys": [rsa(4096, kid=str(i)) for i in range(20)]}})

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        return answer.status, answer.read(), answer.headers

    def form(self, path, fields, headers=None):
        return self.ask("POST", path, urllib.parse.urlencode(fields), {"Content-Type": FORM, **(headers or {})})

    def proof(self, key, algorithm, signature_bytes, path, nonce=None):
        claims = {"jti": secrets.token_hex(8), "htm": "POST", "htu": self.issuer + path, "iat": int(time.time())}
        return jws({"typ": "dpop+jwt", "alg": algorithm, "jwk": key}, {**claims, **({"nonce": nonce} if nonce else {})}, signature_bytes)

    def with_proof(self, key, algorithm, signature_bytes):
        fields = {"client_id": self.native, "grant_type": "refresh_token", "refresh_token": "x"}
        nonce = self.form("/oauth/token", fields, {"DPoP": self.proof(key, algorithm, signature_bytes, "/oauth/token")})[2].get("DPoP-Nonce")
        return lambda: self.form("/oauth/token", fields, {"DPoP": self.proof(key, algorithm, signature_bytes, "/oauth/token", nonce)})

    def asserted(self, **header):
        def ask():
            now = int(time.time())
            claims = {"iss": self.asserting, "sub": self.asserting, "aud": self.issuer, "jti": secrets.token_hex(8), "iat": now, "exp": now + 60}
            return self.form("/oauth/token", {"grant_type": "client_credentials", "client_assertion_type": ASSERTION,
                                              "client_assertion": jws({"alg": "PS256", **header}, claims, 512)})
        return ask

    def kinds(self):
        point = {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        forged = self.made.token().rsplit(".", 1)[0] + "." + b64(os.urandom(64))
        return {"GET /healthz, to compare": lambda: self.ask("GET", "/healthz"),
                "unknown client": lambda: self.form("/oauth/token", {"client_id": "cli_none", "client_secret": "x", "grant_type": "client_credentials"}),
                "access token with a forged signature": lambda: self.ask("GET", "/api/auth/me", headers={"Authorization": "Bearer " + forged}),
                "ID token hint with a forged signature": lambda: self.ask("GET", "/oauth/logout?id_token_hint=" + forged),
                "proof, P-256": self.with_proof(point, "ES256", 64),
                "proof, RSA of 4096 bits": self.with_proof(rsa(4096), "PS256", 512),
                "proof, RSA of 8192 bits": self.with_proof(rsa(8192), "PS256", 1024),
                "proof, RSA of 16384 bits": self.with_proof(rsa(16384), "RS256", 2048),
                "assertion, 20 keys of 4096 bits, kid": self.asserted(kid="19"),
                "assertion, 20 keys of 4096 bits, no kid": self.asserted()}


def bench(build, report):
    with Daemon(SETTINGS, build=build) as daemon:
        made = Installation(daemon)
        stranger = Stranger(made)
        say(f"\n## The dearest requests of strangers, milliseconds of CPU each; goal {GOAL_MS}")
        worst = report["strangers"] = {}
        for name, ask in stranger.kinds().items():
            status = ask()[0]
            before = made.process.cpu_seconds()
            for _ in range(REQUESTS):
                ask()
            worst[name] = (made.process.cpu_seconds() - before) / REQUESTS * 1000
            say(f"{name:42}{worst[name]:8.3f} ms  (answers {status})")
        dearest = max(worst, key=worst.get)
        say(f"the dearest: {dearest}, {worst[dearest]:.3f} ms")


if __name__ == "__main__":
    bench(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build/release").resolve(), {})
