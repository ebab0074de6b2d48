// oidc-provider as a peer: client_credentials tokens and their introspection, in memory. Its tokens are opaque (a random text and a row in memory), or
// signed with ES256, as Portico's are.
//   node server.mjs PORT SECRET [signed]
import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";

const [port, secret, signed] = process.argv.slice(2);
const resource = "urn:bench";
const key = {
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  use: "sig",
  alg: "ES256",
  kid: "bench",
};
const resourceIndicators = {
  enabled: true,
  defaultResource: () => resource,
  getResourceServerInfo: () => ({ scope: "", audience: resource, accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } }),
};
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "bench", client_secret: secret, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    devInteractions: { enabled: false },
    ...(signed && { resourceIndicators }),
  },
  ttl: { ClientCredentials: 3600 },
  ...(signed && { jwks: { keys: [key] }, clientDefaults: { id_token_signed_response_alg: "ES256" } }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
