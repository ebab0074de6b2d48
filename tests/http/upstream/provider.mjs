// npm's oidc-provider as somebody else's provider: whoever types a name is that one. Says `ready` when it listens.
import { Provider } from "oidc-provider";

const { port, clientId, clientSecret, redirectUri, backchannelLogoutUri } = JSON.parse(process.argv[2]);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: true,
    },
  ],
  features: { backchannelLogout: { enabled: true } },
  pkce: { required: () => true },
  scopes: ["openid", "profile", "email"],
  claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: id, email: `${id}@acme.example`, email_verified: true }),
  }),
});
provider.on("server_error", (context, error) => console.error(error));
provider.listen(port, "127.0.0.1", () => console.log("ready"));
