#include "embed/EmbedOrigins.h"

#include "service/Urls.h"

#include "portico/CrossOrigin.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/interfaces/ServiceCatalog.h"

#include <algorithm>
#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::seconds keptFor{60};

struct EmbedPart
{
    std::vector<std::string> embedOrigins;
};

constexpr auto schemaOf(const EmbedPart*) { return describe(field<&EmbedPart::embedOrigins>()); }

std::vector<std::string> askedNow(const BookingTools& tools)
{
    std::vector<std::string> origins;
    for (const auto& [service, origin] : tools.context.host().origins) origins.push_back(normalOrigin(origin));
    if (const auto catalog = tools.context.services().find<interfaces::ServiceCatalog>())
        if (const auto entry = catalog->service(tools.context.host().serviceId))
            for (const auto& origin : fromStoredJson<EmbedPart>(entry->manifest).embedOrigins) origins.push_back(normalOrigin(origin));
    return origins;
}
} // namespace

std::vector<std::string> EmbedOrigins::allowed() const
{
    const auto now = _tools.now();
    {
        const std::lock_guard lock(_mutex);
        if (!_known.empty() && now - _knownSince < keptFor) return _known;
    }
    auto origins = askedNow(_tools);
    const std::lock_guard lock(_mutex);
    _knownSince = now;
    return _known = std::move(origins);
}

bool EmbedOrigins::allowsUrl(std::string_view url) const
{
    return !url.empty() && std::ranges::count(allowed(), normalOrigin(originOf(url))) > 0;
}

EmbedGrant EmbedOrigins::requireGranted(Session& session, const Host& host, std::string_view embedId,
                                        const std::optional<EventTypeId>& type) const
{
    if (embedId == previewId)
    {
        EmbedGrant own;
        own.origins = {normalOrigin(_tools.context.host().origin)};
        return own;
    }
    const auto id = EmbedId::parse(embedId);
    auto grant = id ? embedTable.find(session, Tenant::fromStored(host.organizationId), host.hostId, *id) : std::nullopt;
    const bool holds = grant && grant->statusAt(_tools.now()) == EmbedStatus::Active && (!grant->eventTypeId || grant->eventTypeId == type);
    if (holds)
    {
        const auto known = allowed();
        std::erase_if(grant->origins, [&](const auto& origin) { return std::ranges::find(known, origin) == known.end(); });
        if (!grant->origins.empty()) return *std::move(grant);
    }
    throw Problem::forbidden("origin_not_allowed", "The host does not allow this page to be embedded here.");
}

} // namespace portico::calendar
