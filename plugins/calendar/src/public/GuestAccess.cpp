#include "public/GuestAccess.h"

#include "service/Urls.h"

#include "portico/CrossOrigin.h"
#include "portico/Crypto.h"
#include "portico/Form.h"

#include <algorithm>

namespace portico::calendar
{

BookingContext requireGuest(Session& session, const BookingService& bookings, const BookingId& id, std::string_view token)
{
    const auto organization =
        session.value<std::string>("SELECT organization_id FROM booking WHERE id = $1 AND manage_token_hash = $2", id, sha256(token).hex());
    if (!organization) throw Problem::notFound("The booking does not exist, or the link is incomplete.");
    return bookings.find(session, Tenant::fromStored(*organization), id);
}

namespace
{
/// Reads the embedding fields (grant and embedding page) from the referrer, which is a page of this plugin. Returns none if it cannot be
/// parsed.
Fields addressOf(const Request& request)
{
    const auto page = request.header("Referer");
    const auto query = page.find('?');
    if (query == std::string_view::npos) return {};
    try
    {
        return parseForm(page.substr(query + 1));
    }
    catch (const Problem&)
    {
        return {};
    }
}
} // namespace

BookingChannel requireChannel(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request)
{
    const auto named = request.header("Origin");
    if (named.empty()) return {Source::Api, {}};
    const auto origin = normalOrigin(named);
    const auto& host = tools.context.host();
    const bool ours = origin == request.origin || origin == host.origin;
    const auto address = ours ? addressOf(request) : Fields();
    if (ours && fieldOf(address, "embed").empty()) return {Source::Page, {}};
    const auto allowed = embedders.allowed();
    if (ours)
    {
        const auto around = normalOrigin(fieldOf(address, "from"));
        return {Source::Embed, std::ranges::find(allowed, around) == allowed.end() ? std::string() : around};
    }
    if (std::ranges::find(allowed, origin) != allowed.end()) return {Source::Embed, origin};
    throw Problem::forbidden("origin_not_allowed", "Pages of this origin may not book here.");
}

void requireOwnForm(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request)
{
    // Browsers that know it (Fetch Metadata, 2.2) say whether it is of a page of ours; others leave the token, which is a secret.
    const auto site = request.header("Sec-Fetch-Site");
    if (request.header("Origin") == "null" && (site.empty() || site == "same-origin")) return;
    requireChannel(tools, embedders, request);
}

} // namespace portico::calendar
