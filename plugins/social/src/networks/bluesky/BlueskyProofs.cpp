#include "networks/bluesky/BlueskyProofs.h"

#include "networks/Urls.h"
#include "networks/bluesky/BlueskyOAuthRecords.h"

namespace portico::social::bluesky
{

namespace
{
constexpr std::size_t maxNonces = 1'000, longestNonce = 300;

/// An authorization server says so in the body (RFC 9449, 8), a resource server in a header (9).
bool asksForNonce(const Exchanged& exchanged)
{
    if (!exchanged.response || (exchanged.response->status != 400 && exchanged.response->status != 401)) return false;
    const auto* challenge = exchanged.response->header("WWW-Authenticate");
    return (challenge != nullptr && challenge->find("use_dpop_nonce") != std::string::npos) ||
           readAnswer<OAuthError>(exchanged).value_or(OAuthError{}).error == "use_dpop_nonce";
}
} // namespace

std::string Proofs::nonceOf(const std::string& origin) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _nonces.find(origin);
    return found == _nonces.end() ? std::string() : found->second;
}

void Proofs::remember(const std::string& origin, const std::string& nonce)
{
    if (nonce.empty() || nonce.size() > longestNonce) return;
    const std::lock_guard lock(_mutex);
    if (_nonces.size() >= maxNonces && !_nonces.contains(origin)) _nonces.clear();
    _nonces.insert_or_assign(origin, nonce);
}

Exchanged Proofs::send(HttpClient& http, HttpClient::Request request, const JwtKey& key, std::string_view accessToken)
{
    const auto origin = originOf(request.url);
    for (bool again = false;; again = true)
    {
        auto sent = request;
        const auto nonce = nonceOf(origin);
        sent.headers.emplace_back("DPoP", signDpopProof(key, {sent.method, sent.url, nonce, accessToken, _clock.now()}));
        if (!accessToken.empty()) sent.headers.emplace_back("Authorization", "DPoP " + std::string(accessToken));
        auto answer = exchange(http, std::move(sent));
        const auto* given = answer.response ? answer.response->header("DPoP-Nonce") : nullptr;
        if (given != nullptr) remember(origin, *given);
        if (again || given == nullptr || !asksForNonce(answer)) return answer;
    }
}

} // namespace portico::social::bluesky
