// A personal data server with its directory of identities, in memory but for files below the folder given. Prints one line of JSON when it serves, and ends with its standard input.
import { mkdirSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { PDS, envToCfg, envToSecrets } from "@atproto/pds";
import { Database, PlcServer } from "@did-plc/server";

const folder = process.argv[2];
// Documents of a client are on https only. This one's are asked for at an address of plain http: "https://client.example http://127.0.0.1:1".
const [clientOrigin, clientAddress] = (process.env.TEST_CLIENT ?? "").split(" ");
const fetchAnything = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  if (!clientAddress || !url.startsWith(clientOrigin + "/")) return fetchAnything(input, init);
  return fetchAnything(clientAddress + url.slice(clientOrigin.length), { headers: { accept: "application/json" } });
};
const port = Number(process.argv[3] ?? 0);
mkdirSync(folder + "/blobs", { recursive: true });
const plc = PlcServer.create({ db: Database.mock(), port: 0 });
const plcListener = await plc.start();
const plcUrl = `http://127.0.0.1:${plcListener.address().port}`;
const environment = {
  devMode: true,
  hostname: "localhost",
  port,
  serviceHandleDomains: [".test"],
  dataDirectory: folder,
  blobstoreDiskLocation: folder + "/blobs",
  didPlcUrl: plcUrl,
  jwtSecret: randomBytes(16).toString("hex"),
  adminPassword: "admin",
  plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString("hex"),
  inviteRequired: false,
  disableSsrfProtection: true,
  bskyAppViewUrl: "http://127.0.0.1:1",
  bskyAppViewDid: "did:web:localhost",
  crawlers: [],
  logEnabled: false,
  rateLimitsEnabled: false,
  recoveryDidKey: undefined,
};
const pds = await PDS.create(envToCfg(environment), envToSecrets(environment));
// Access tokens of OAuth that live so long.
if (process.env.TEST_TOKEN_SECONDS) pds.ctx.oauthProvider.tokenManager.tokenMaxAge = Number(process.env.TEST_TOKEN_SECONDS) * 1000;
const listener = await pds.start();
console.log(JSON.stringify({ port: listener.address().port, plcUrl }));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
