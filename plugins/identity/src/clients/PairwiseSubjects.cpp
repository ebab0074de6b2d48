#include "clients/PairwiseSubjects.h"

#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto sectorTime = std::chrono::seconds(5);
constexpr std::uint64_t longestSectorBytes = 64 * 1024;

struct SectorDocument
{
    std::vector<std::string> uris;
};

constexpr auto schemaOf(const SectorDocument*) { return describe(field<&SectorDocument::uris>()); }

/// Without scheme and port.
std::string hostOf(std::string_view url)
{
    auto host = originOf(url);
    const auto begin = host.find("://");
    if (begin == std::string::npos) return {};
    host.erase(0, begin + 3);
    const auto bracket = host.find(']');
    host.resize(std::min(host.find(':', bracket == std::string::npos ? 0 : bracket), host.size()));
    return host;
}

std::vector<std::string> urisAt(HttpClient& http, const std::string& url)
{
    try
    {
        HttpClient::Request wanted;
        wanted.url = url;
        wanted.maxResponseBytes = longestSectorBytes;
        wanted.timeout = sectorTime;
        const auto answer = http.send(wanted);
        return answer.status == 200 ? fromStoredJson<SectorDocument>("{\"uris\":" + answer.body + '}').uris : std::vector<std::string>();
    }
    catch (const Problem&)
    {
        return {};
    }
}

} // namespace

std::string pairwise_subjects::sectorOf(const OAuthClient& client)
{
    if (client.sectorIdentifierUri) return hostOf(*client.sectorIdentifierUri);
    if (client.redirectUris.empty()) return {};
    auto host = hostOf(client.redirectUris.front());
    const auto same = [&](const std::string& uri) { return hostOf(uri) == host; };
    if (host.empty() || !std::ranges::all_of(client.redirectUris, same)) return {};
    // Anyone can register a client with this host. Therefore only clients of one owner share the sector; others need the list on the host
    // itself.
    return host + ' ' + client.ownerId.text();
}

void pairwise_subjects::requireSector(HttpClient& http, const OAuthClient& client)
{
    if (!client.sectorIdentifierUri) return;
    // Redirects to its addresses prove that a client belongs to the sector. The device grant would return subjects without a redirect.
    if (client.redirectUris.empty() || client.hasGrant(grant::device))
        throw Problem::invalid("sector_identifier_uri", "redirects_only",
                               "A client of a shared sector has redirect_uris and no device grant");
    const auto listed = urisAt(http, *client.sectorIdentifierUri);
    const auto isListed = [&](const std::string& uri) { return std::ranges::find(listed, uri) != listed.end(); };
    if (!std::ranges::all_of(client.redirectUris, isListed))
        throw Problem::invalid("sector_identifier_uri", "not_listed", "A JSON array there must hold every one of the redirect_uris");
}

std::optional<std::string> pairwise_subjects::find(Session& session, const OAuthClient& client, const UserId& userId)
{
    if (!client.isPairwise()) return userId.text();
    return session.value<std::string>("SELECT subject FROM oauth_subjects WHERE sector = $1 AND user_id = $2", sectorOf(client), userId);
}

std::optional<std::string> pairwise_subjects::make(Transaction& transaction, const OAuthClient& client, const UserId& userId, Instant now)
{
    if (!client.isPairwise()) return std::nullopt;
    transaction.execute("INSERT INTO oauth_subjects (sector, user_id, subject, created_at) VALUES ($1, $2, $3, $4) "
                        "ON CONFLICT (sector, user_id) DO NOTHING",
                        sectorOf(client), userId, randomToken(), now);
    return find(transaction, client, userId);
}

} // namespace portico::identity
