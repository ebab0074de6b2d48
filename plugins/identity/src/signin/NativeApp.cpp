#include "signin/NativeApp.h"

#include "tokens/Dpop.h"

namespace portico::identity
{

std::optional<NativeApp> NativeApp::find(const Core& core, const Request& request, std::string_view clientId, std::string_view serviceId)
{
    auto client = core.read([&](Session& session) { return oauth_clients::find(session, clientId); });
    if (!client || client->type != ClientType::Native || client->serviceId != serviceId) return std::nullopt;
    auto proof =
        Dpop(core.state, core.clock).check(request.header("DPoP"), {"POST", std::string(request.origin) + std::string(request.path)});
    if (proof.verdict != Dpop::Verdict::Good) throw Problem::badRequest("invalid_dpop_proof", "Prove the key that the app holds.");
    return NativeApp{*std::move(client), std::move(proof.jkt)};
}

void NativeApp::claim(SignInRequest& wanted) const
{
    wanted.clientId = client.clientId;
    wanted.dpopJkt = jkt;
    wanted.native = true;
    wanted.refreshable = client.hasGrant(grant::refresh);
    wanted.client.origin.clear();
}

} // namespace portico::identity
