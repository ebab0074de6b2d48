#include "external/ExternalSources.h"

#include "external/CalDavSource.h"
#include "external/GoogleSource.h"
#include "external/IcsFeedSource.h"
#include "external/MicrosoftSource.h"

#include "portico/Json.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::milliseconds longestFeedRequest{5'000};

/// Stores renewed tokens only if the used ones are still stored. If the user has reconnected the calendar since, its tokens are newer.
OAuthCalls::Keep keeperOf(const BookingTools& tools, Tenant tenant, const ExternalCalendar& calendar)
{
    return
        [&tools, tenant, hostId = calendar.hostId, id = calendar.calendarId, before = calendar.password](const OAuthTokens& tokens) mutable
    {
        const auto sealed = tools.sealer.seal(toJson(tokens), sealPurpose(id));
        tools.database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("UPDATE external_calendar SET password = $4 WHERE organization_id = $1 AND host_id = $2 AND id = $3 "
                                    "AND password = $5",
                                    tenant, hostId, id, sealed, before);
            });
        before = sealed;
    };
}
} // namespace

std::unique_ptr<CalendarSource> openSource(const BookingTools& tools, Tenant tenant, const ExternalCalendar& calendar,
                                           std::chrono::milliseconds timeout, std::vector<std::string> written)
{
    const auto password =
        calendar.password.empty() ? std::string() : tools.sealer.tryOpen(calendar.password, sealPurpose(calendar.calendarId));
    // The operator has taken its sealing key away.
    if (!password)
        throw CalendarFailure(CalendarFailure::Kind::Refused, {"password_lost", {}, calendar.name, {}},
                              "The stored password cannot be decrypted: send it again.");
    return makeSource(tools, calendar, *password, timeout, isOfProvider(calendar.kind) ? keeperOf(tools, tenant, calendar) : nullptr,
                      std::move(written));
}

std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout, OAuthCalls::Keep keep, std::vector<std::string> written)
{
    auto& context = tools.context;
    CalendarChoice choice{calendar.selectedCollections, calendar.writeTarget.value_or(""), std::move(written)};
    if (!isOfProvider(calendar.kind))
    {
        const bool isFeed = calendar.kind == CalendarKind::IcsFeed;
        RemoteCalls calls(context.http(), context.clock(), {calendar.url, calendar.username, password},
                          isFeed ? std::min(timeout, longestFeedRequest) : timeout);
        if (isFeed) return std::make_unique<IcsFeedSource>(std::move(calls), tools.zones);
        return std::make_unique<CalDavSource>(std::move(calls), tools.zones, std::move(choice));
    }
    auto provider = providerOf(context.config(), calendar.kind);
    if (!provider.isSetUp())
        throw CalendarFailure(CalendarFailure::Kind::Unreachable, {"setup_required", {}, provider.name, {}},
                              "The operator of this server has not set up " + provider.name + ".");
    if (password.empty())
        throw CalendarFailure(CalendarFailure::Kind::Refused, {"consent_needed", {}, provider.name, {}},
                              "Allow it at " + provider.name + " first.");
    RemoteCalls calls(context.http(), context.clock(), {provider.apiUrl, {}, {}}, timeout);
    OAuthCalls authorized(std::move(calls), context.clock(), std::move(provider), fromStoredJson<OAuthTokens>(password), std::move(keep));
    if (calendar.kind == CalendarKind::Google) return std::make_unique<GoogleSource>(std::move(authorized), std::move(choice));
    return std::make_unique<MicrosoftSource>(std::move(authorized), std::move(choice));
}

} // namespace portico::calendar
