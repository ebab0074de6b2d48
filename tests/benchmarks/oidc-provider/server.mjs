// oidc-provider as a peer: client_credentials tokens and their introspection, in memory.
//   node server.mjs PORT SECRET
import Provider from 'oidc-provider'

const [port, secret] = process.argv.slice(2)
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: 'bench', client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
  features: { clientCredentials: { enabled: true }, introspection: { enabled: true }, devInteractions: { enabled: false } },
  ttl: { ClientCredentials: 3600 },
})
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'))
