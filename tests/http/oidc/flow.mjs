// Other people's OpenID Connect clients against a running porticod: openid-client, oauth4webapi and jose know nothing of ours. Each step
// that went as it should is a line of its own; the first that does not ends the program.
import dns from "node:dns";
import assert from "node:assert/strict";
import crypto from "node:crypto";

// Names below localhost are this machine (RFC 6761, 6.3), also where the resolver does not know.
const lookup = dns.lookup;
dns.lookup = (host, options, callback) => lookup(host.endsWith(".localhost") ? "127.0.0.1" : host, options, callback);

const client = await import("openid-client");
const oauth = await import("oauth4webapi");
const jose = await import("jose");

const { issuer, crm, email, password, clients, initialToken } = JSON.parse(process.argv[2]);
const passed = (name) => console.log(name);
const redirectUri = "https://app.example/cb";
const insecure = { execute: [client.allowInsecureRequests] };

/** As much of a browser as sign-in and consent need: cookies, forms, redirects up to the app's. */
class Browser {
  cookies = new Map();

  async fetch(url, body) {
    const headers = { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    if (body) headers["content-type"] = "application/x-www-form-urlencoded";
    const answer = await fetch(new URL(url, issuer), { method: body ? "POST" : "GET", headers, body, redirect: "manual" });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      value ? this.cookies.set(name, value) : this.cookies.delete(name);
    }
    return answer;
  }

  static unescape = (text) =>
    text
      .replaceAll("&#x2F;", "/")
      .replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");

  static fields(page) {
    return new URLSearchParams(
      [...page.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [name, Browser.unescape(value)]),
    );
  }

  /** Follows to the app's address, or to a page without a form, filling in what it is asked for on the way. */
  async authorize(url) {
    for (let step = 0, body; step < 12; ++step) {
      const answer = await this.fetch(url, body);
      body = undefined;
      const location = answer.headers.get("location");
      if (location) {
        if (location.startsWith(redirectUri)) return new URL(location);
        url = location;
        continue;
      }
      const page = await answer.text();
      assert.equal(answer.status, 200, page);
      if (!page.includes("<form")) return page;
      body = Browser.fields(page);
      url = /<form[^>]*action="([^"]+)"/.exec(page)[1];
      if (page.includes('name="password"')) {
        body.set("identifier", email);
        body.set("password", password);
      }
      if (page.includes('name="decision"')) body.set("decision", "allow");
    }
    assert.fail("the way does not end");
  }
}

async function withOpenidClient() {
  const browser = new Browser();
  const config = await client.discovery(
    new URL(issuer),
    clients.basic.client_id,
    { client_secret: clients.basic.client_secret },
    client.ClientSecretBasic(clients.basic.client_secret),
    insecure,
  );
  passed("openid-client: discovery");
  const verifier = client.randomPKCECodeVerifier();
  const checks = {
    pkceCodeVerifier: verifier,
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    idTokenExpected: true,
  };
  const parameters = {
    redirect_uri: redirectUri,
    scope: "openid profile email offline_access",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  };
  const tokens = await client.authorizationCodeGrant(
    config,
    await browser.authorize(client.buildAuthorizationUrl(config, parameters)),
    checks,
  );
  assert.equal(tokens.claims().email, email);
  passed("openid-client: code with PKCE");
  const person = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  assert.equal(person.email, email);
  passed("openid-client: userinfo");
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token);
  assert.notEqual(renewed.refresh_token, tokens.refresh_token);
  passed("openid-client: refresh");
  assert.equal((await client.tokenIntrospection(config, renewed.access_token)).active, true);
  passed("openid-client: introspection");
  const pushed = { ...parameters, state: client.randomState(), nonce: client.randomNonce() };
  const byPush = await client.buildAuthorizationUrlWithPAR(config, pushed);
  assert.ok(byPush.searchParams.get("request_uri"));
  await client.authorizationCodeGrant(config, await browser.authorize(byPush), {
    ...checks,
    expectedState: pushed.state,
    expectedNonce: pushed.nonce,
  });
  passed("openid-client: PAR");
  // Many at once with one handle: one successor, and every answer is good.
  const many = await Promise.all(Array.from({ length: 64 }, () => client.refreshTokenGrant(config, renewed.refresh_token)));
  assert.equal(new Set(many.map((one) => one.refresh_token)).size, 1);
  for (const one of many) assert.equal((await client.fetchUserInfo(config, one.access_token, tokens.claims().sub)).email, email);
  passed("openid-client: 64 refreshes at once");
  await client.tokenRevocation(config, renewed.refresh_token);
  assert.equal((await client.tokenIntrospection(config, renewed.access_token)).active, false);
  passed("openid-client: revocation");
  const out = await browser.fetch(
    client.buildEndSessionUrl(config, { post_logout_redirect_uri: "https://app.example/bye", id_token_hint: tokens.id_token, state: "x" }),
  );
  assert.equal(out.headers.get("location"), "https://app.example/bye?state=x");
  passed("openid-client: end of the session");
}

async function withDpop() {
  const browser = new Browser();
  const config = await client.discovery(new URL(issuer), clients.native.client_id, undefined, client.None(), insecure);
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair("ES256"));
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid email",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    dpop_jkt: await DPoP.calculateThumbprint(),
  });
  const tokens = await client.authorizationCodeGrant(
    config,
    await browser.authorize(url),
    { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true },
    undefined,
    { DPoP },
  );
  assert.equal(tokens.token_type, "dpop");
  const person = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub, { DPoP });
  assert.equal(person.email, email);
  // Whoever has the token and not the key has nothing.
  const thief = await fetch(new URL("/oauth/userinfo", issuer), { headers: { authorization: `Bearer ${tokens.access_token}` } });
  assert.equal(thief.status, 401);
  await assert.rejects(
    client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub, {
      DPoP: client.getDPoPHandle(config, await client.randomDPoPKeyPair("ES256")),
    }),
  );
  await client.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP });
  await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token));
  passed("openid-client: DPoP");
}

async function onDevice() {
  const config = await client.discovery(
    new URL(issuer),
    clients.device.client_id,
    { client_secret: clients.device.client_secret },
    client.ClientSecretPost(clients.device.client_secret),
    insecure,
  );
  const started = await client.initiateDeviceAuthorization(config, { scope: "openid email" });
  const allowed = new Browser().authorize(started.verification_uri_complete);
  const tokens = await client.pollDeviceAuthorizationGrant(config, started);
  assert.ok((await allowed).includes("notice"));
  assert.equal(tokens.claims().email, email);
  passed("openid-client: device");
}

async function withOauth4webapi() {
  const browser = new Browser();
  const options = { [oauth.allowInsecureRequests]: true };
  const server = await oauth.processDiscoveryResponse(new URL(issuer), await oauth.discoveryRequest(new URL(issuer), options));
  const app = { client_id: clients.assertion.client_id };
  const key = await crypto.subtle.importKey("jwk", clients.assertion.private, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  const proof = oauth.PrivateKeyJwt({ key, kid: clients.assertion.private.kid });
  const verifier = oauth.generateRandomCodeVerifier();
  const nonce = oauth.generateRandomNonce();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const callback = oauth.validateAuthResponse(server, app, await browser.authorize(url), state);
  const answer = await oauth.authorizationCodeGrantRequest(server, app, proof, callback, redirectUri, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(server, app, answer, { expectedNonce: nonce, requireIdToken: true });
  assert.ok(oauth.getValidatedIdTokenClaims(tokens).sub);
  passed("oauth4webapi: code with PKCE and private_key_jwt");
  // The same code again: refused, and what it gave is gone.
  const again = await oauth.authorizationCodeGrantRequest(server, app, proof, callback, redirectUri, verifier, options);
  await assert.rejects(oauth.processAuthorizationCodeResponse(server, app, again, { expectedNonce: nonce }), { error: "invalid_grant" });
  const userinfo = await oauth.userInfoRequest(server, app, tokens.access_token, options);
  assert.equal(userinfo.status, 401);
  passed("oauth4webapi: a code is good once");
  const own = await oauth.processClientCredentialsResponse(
    server,
    app,
    await oauth.clientCredentialsGrantRequest(server, app, proof, new URLSearchParams(), options),
  );
  assert.equal(own.token_type, "bearer");
  passed("oauth4webapi: client credentials");
  return tokens;
}

async function withJose() {
  const keys = jose.createRemoteJWKSet(new URL("/.well-known/jwks.json", issuer));
  const login = await fetch(new URL("/api/auth/login", issuer), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier: email, password, service_id: "identity" }),
  });
  const { access_token: token } = await login.json();
  const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
    issuer,
    audience: "identity",
    typ: "at+jwt",
    algorithms: ["ES256"],
  });
  passed("jose: our token verifies");
  const validate = async (value) => (await fetch(new URL("/validate", issuer), { headers: { authorization: `Bearer ${value}` } })).status;
  assert.equal(await validate(token), 200);
  const [head, body, signature] = token.split(".");
  const encode = (value) => jose.base64url.encode(JSON.stringify(value));
  const stranger = await jose.generateKeyPair("ES256");
  const rsa = await jose.generateKeyPair("RS256");
  const jwk = await jose.exportJWK(stranger.publicKey);
  const sign = (header, key = stranger.privateKey, claims = payload) => new jose.SignJWT(claims).setProtectedHeader(header).sign(key);
  const published = await (await fetch(new URL("/.well-known/jwks.json", issuer))).json();
  const hostile = [
    `${encode({ ...protectedHeader, alg: "none" })}.${body}.`,
    `${encode({ alg: "none" })}.${body}.`,
    `${head}.${body}.`,
    `${head}.${body}.${signature}.${signature}`,
    `${head}.${encode({ ...payload, platform_role: "platform_super_admin" })}.${signature}`,
    `${head}.${body}.${signature.slice(0, -2)}AA`,
    await sign(protectedHeader),
    await sign({ ...protectedHeader, jwk }),
    await sign({ ...protectedHeader, jku: "https://evil.example/jwks.json" }),
    await sign({ ...protectedHeader, kid: "../../../../dev/null" }),
    await sign({ ...protectedHeader, crit: ["exp"] }).catch(() => "a.b.c"),
    await sign({ ...protectedHeader, alg: "RS256" }, rsa.privateKey),
    await sign({ ...protectedHeader, alg: "RS256", kid: published.keys.find((key) => key.kty === "RSA").kid }, rsa.privateKey),
    await sign({ ...protectedHeader, alg: "HS256" }, new TextEncoder().encode(JSON.stringify(published.keys[0]))),
    await sign({ ...protectedHeader, typ: "JWT" }),
    "e30.e30.e30",
    "a",
    "....",
    `${token}a`,
    token.toUpperCase(),
  ];
  // On a route of another service, too, which asks us in its own process.
  const contacts = async (value) => (await fetch(`${crm}/api/contacts`, { headers: { authorization: `Bearer ${value}` } })).status;
  const there = await fetch(new URL("/api/auth/login", issuer), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier: email, password, service_id: "crm" }),
  });
  assert.equal(await contacts((await there.json()).access_token), 200);
  for (const value of [...hostile, token]) assert.equal(await contacts(value), 401, value);
  for (const value of hostile) assert.equal(await validate(value), 401, value);
  passed("jose: hostile tokens are refused");
}

async function registered() {
  const config = await client.dynamicClientRegistration(
    new URL(issuer),
    { client_name: "By itself", redirect_uris: [redirectUri], subject_type: "pairwise" },
    undefined,
    { ...insecure, initialAccessToken: initialToken },
  );
  const made = config.clientMetadata();
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid email",
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const tokens = await client.authorizationCodeGrant(config, await new Browser().authorize(url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    idTokenExpected: true,
  });
  assert.ok(!tokens.claims().sub.startsWith("usr_"));
  assert.equal((await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub)).email, email);
  passed("openid-client: dynamic registration, pairwise");
  const own = { headers: { authorization: `Bearer ${made.registration_access_token}` } };
  assert.equal((await (await fetch(made.registration_client_uri, own)).json()).client_name, "By itself");
  assert.equal((await fetch(made.registration_client_uri, { method: "DELETE", ...own })).status, 204);
  assert.equal((await fetch(made.registration_client_uri, own)).status, 401);
  passed("openid-client: the registration is ended");
}

await withJose();
await withOpenidClient();
await registered();
await withDpop();
await onDevice();
await withOauth4webapi();
