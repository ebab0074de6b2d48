#include "external/ExternalRoutes.h"

#include "external/ExternalSources.h"
#include "external/OAuthProvider.h"
#include "external/RemoteCalls.h"
#include "hosttime/ExternalBusy.h"
#include "service/Live.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::int64_t maxCalendars = 20;
/// People wait for it.
constexpr std::chrono::milliseconds lookTimeout{10'000};

/// Checks an account's settings before a server is contacted. @throws Problem 400
void checkAccount(ExternalCalendar& calendar, bool hasPassword)
{
    if (calendar.kind == CalendarKind::IcsFeed && calendar.url.starts_with("webcal://")) calendar.url.replace(0, 6, "https");
    if (!isWebUrl(calendar.url)) throw Problem::invalid("url", "invalid_url", "Give the address of the calendar, as https://…");
    const bool isFeed = calendar.kind == CalendarKind::IcsFeed;
    if ((hasPassword || isFeed) && !keepsSecrets(calendar.url))
        throw Problem::invalid("url", "https_required", "Feeds and passwords need https, except within the local network.");
    if (isFeed && calendar.direction == SyncDirection::BusyAndWrite)
        throw Problem::invalid("direction", "not_allowed", "A feed can only be read.");
}

/// Rejects entered values for what a provider's consent determines. @throws Problem 400
void checkUntyped(const ExternalCalendar& calendar, const ExternalCalendar& before)
{
    if (calendar.url != before.url) throw Problem::invalid("url", "not_allowed", "The provider has its own address.");
    if (calendar.username != before.username) throw Problem::invalid("username", "not_allowed", "The provider determines the account.");
    if (calendar.password != before.password) throw Problem::invalid("password", "not_allowed", "Allow it at the provider instead.");
}

/// Returns true if the calendar belongs to the account: by its address, or by the form of its id for a provider.
bool belongsTo(const ExternalCalendar& account, std::string_view calendar)
{
    if (!isOfProvider(account.kind)) return isWebUrl(calendar) && trustsWithCredentials(account.url, calendar);
    return !calendar.empty() && calendar.size() <= 1024 && std::ranges::all_of(calendar, [](char c) { return c > ' ' && c < 0x7f; });
}

/// Checks that the chosen calendars belong to the account. @throws Problem 400
void checkChoice(ExternalCalendar& calendar)
{
    for (const auto& chosen : calendar.selectedCollections)
        if (!belongsTo(calendar, chosen))
            throw Problem::invalid("selectedCollections", "foreign_calendar", "Choose from the calendars of this account.");
    if (calendar.direction == SyncDirection::BusyOnly)
        calendar.writeTarget.reset();
    else if (!calendar.writeTarget && !calendar.selectedCollections.empty())
        calendar.writeTarget = calendar.selectedCollections.front();
    if (calendar.direction == SyncDirection::BusyAndWrite && (!calendar.writeTarget || !belongsTo(calendar, *calendar.writeTarget)))
        throw Problem::invalid("writeTarget", "foreign_calendar", "Choose one of the calendars of this account to write to.");
}
} // namespace

void ExternalRoutes::declare(Routes& routes)
{
    constexpr std::string_view all = "/external-calendars", one = "/external-calendars/{calendarId}";
    AdminRoutes(routes, "external_sync:read", "external_sync.write")
        .get(all, &ExternalRoutes::list, this, {.summary = "List connected calendars"})
        .get(one, &ExternalRoutes::show, this, {.summary = "Read a connected calendar"});
    AdminRoutes(routes, "external_sync:write", "external_sync.write")
        .post(all, &ExternalRoutes::create, this,
              {.summary = "Connect a calendar", .execution = Execution::Long, .problems = {"502 calendar_unreachable"}})
        .put(one, &ExternalRoutes::update, this, {.summary = "Change a connected calendar"})
        .del(one, &ExternalRoutes::remove, this, {.summary = "Disconnect a calendar"})
        .post("/external-calendars/discover", &ExternalRoutes::discover, this,
              {.summary = "List the calendars of an external account",
               .execution = Execution::Long,
               .problems = {"502 calendar_unreachable"}})
        .post("/external-calendars/{calendarId}/sync", &ExternalRoutes::sync, this,
              {.summary = "Schedule a sync of a connected calendar", .statuses = {202}});
}

Page<ExternalCalendar, CalendarListExtra> ExternalRoutes::list(const Caller& caller, const Query<HostChoice>& choice,
                                                               const Paging& paging) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    return {externalCalendarTable.select(caller.tenant()).where(&ExternalCalendar::hostId, host.hostId).page(session, paging),
            {connectableKinds(_tools.context.config())}};
}

/// @throws Problem 400 for a password that is refused, 502 `calendar_unreachable`, 503 while many others do the same
std::vector<RemoteCalendar> ExternalRoutes::look(const std::function<std::unique_ptr<CalendarSource>()>& source)
{
    const auto place = _looking.take();
    if (!place) throw Problem::unavailable("overloaded", "Many calendars are being connected just now. Try again.", 5);
    try
    {
        return source()->discover();
    }
    catch (const CalendarFailure& failure)
    {
        const auto problem = failure.kind() == CalendarFailure::Kind::Refused ? Problem::invalid("password", "auth_failed", failure.what())
                                                                              : Problem(502, "calendar_unreachable", failure.what());
        throw Problem(problem).withDetails(failure.fault());
    }
}

/// Fills the account with the server's data.
void ExternalRoutes::fillAccount(ExternalCalendar& made)
{
    checkAccount(made, !made.password.empty());
    const auto found = look([&] { return makeSource(_tools, made, made.password, lookTimeout); });
    if (made.selectedCollections.empty())
        for (const auto& calendar : found) made.selectedCollections.push_back(calendar.url);
    if (made.selectedCollections.empty()) throw Problem::invalid("url", "no_calendars", "The account has no calendars.");
    checkChoice(made);
    if (made.name.empty()) made.name = found.empty() ? originOf(made.url) : found.front().name;
}

/// Fills an account without tokens. It stays inactive until the user returns from the provider.
void ExternalRoutes::fillProvider(ExternalCalendar& made)
{
    const auto provider = providerOf(_tools.context.config(), made.kind);
    if (!provider.isSetUp()) throw Problem::invalid("kind", "setup_required", "The operator has not set up this kind of calendar.");
    checkUntyped(made, {});
    if (made.selectedCollections.empty()) made.selectedCollections = {"primary"};
    checkChoice(made);
    if (made.name.empty()) made.name = provider.name;
    made.syncState = SyncState::AuthFailed;
    made.lastError = "Allow it at " + provider.name + " first.";
    made.lastFaults = {{"consent_needed", {}, provider.name, {}}};
}

Created<ExternalCalendar> ExternalRoutes::create(const Caller& caller, const Query<HostChoice>& choice, const Body<ExternalCalendar>& body)
{
    const auto tenant = caller.tenant();
    ExternalCalendar made = *body;
    {
        auto session = _tools.database().session();
        made.hostId = requireHost(session, caller, *choice).hostId;
        if (externalCalendarTable.select(tenant).where(&ExternalCalendar::hostId, made.hostId).count(session) >= maxCalendars)
            throw Problem::invalid("", "limit_reached", "A host has at most " + std::to_string(maxCalendars) + " calendars elsewhere.");
    }
    if (isOfProvider(made.kind))
        fillProvider(made);
    else
        fillAccount(made);
    const auto now = _tools.now();
    made = externalCalendarTable.stamped(std::move(made), {now});
    if (!isOfProvider(made.kind)) made.nextSyncAt = now;
    if (!made.password.empty()) made.password = _tools.sealer.seal(made.password, sealPurpose(made.calendarId));
    return transactLive(_tools.context, tenant, "calendar.external_calendars",
                        [&](Transaction& transaction) -> Created<ExternalCalendar>
                        {
                            externalCalendarTable.insert(transaction, tenant, made);
                            if (made.nextSyncAt) _sync.request(transaction, tenant, made);
                            return {made, pathFor(caller, "/external-calendars/" + made.calendarId.text())};
                        });
}

ExternalCalendar ExternalRoutes::show(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice) const
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    return externalCalendarTable.require(session, caller.tenant(), host.hostId, *id);
}

ExternalCalendar ExternalRoutes::update(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                        const Body<Patch<ExternalCalendar>>& body, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return transactLive(
        _tools.context, tenant, "calendar.external_calendars",
        [&](Transaction& transaction)
        {
            const auto host = requireHost(transaction, caller, *choice);
            const auto edit = [&](ExternalCalendar& calendar)
            {
                const auto before = calendar;
                body->applyTo(calendar);
                if (calendar.kind != before.kind) throw Problem::invalid("kind", "not_allowed", "Connect another calendar instead.");
                const bool newPassword = calendar.password != before.password;
                // Credentials for one server must not be sent to another.
                if (!newPassword && !calendar.password.empty() && originOf(calendar.url) != originOf(before.url))
                    throw Problem::invalid("password", "required", "Send the password again: it would go to another server.");
                if (isOfProvider(calendar.kind))
                    checkUntyped(calendar, before);
                else
                    checkAccount(calendar, !calendar.password.empty());
                // A feed is its only calendar.
                if (calendar.kind == CalendarKind::IcsFeed && calendar.url != before.url && !body->has("selectedCollections"))
                    calendar.selectedCollections = {calendar.url};
                checkChoice(calendar);
                if (newPassword && !calendar.password.empty())
                    calendar.password = _tools.sealer.seal(calendar.password, sealPurpose(calendar.calendarId));
                if (calendar.selectedCollections.empty())
                    throw Problem::invalid("selectedCollections", "required", "Choose at least one calendar.");
                const bool readsOthers = calendar.url != before.url || calendar.username != before.username || newPassword ||
                                         calendar.selectedCollections != before.selectedCollections ||
                                         calendar.busyKinds != before.busyKinds || calendar.writeTarget != before.writeTarget;
                if (readsOthers && !isClosed(calendar)) calendar.readAnew(_tools.now());
            };
            const ExternalCalendar changed =
                externalCalendarTable.change(transaction, tenant, host.hostId, *id, ifMatch, {_tools.now()}, edit);
            if (changed.syncState == SyncState::Stale) _sync.request(transaction, tenant, changed);
            return changed;
        });
}

Deleted<CalendarId, "calendarId"> ExternalRoutes::remove(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                                         const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return transactLive(
        _tools.context, tenant, "calendar.external_calendars", [&](Transaction & transaction) -> Deleted<CalendarId, "calendarId"> {
            const auto host = requireHost(transaction, caller, *choice);
            forgetBusy(transaction, tenant, externalCalendarTable.remove(transaction, tenant, host.hostId, *id, ifMatch));
            return {*id};
        });
}

Reply<ExternalCalendar> ExternalRoutes::sync(const Caller& caller, const Path<CalendarId>& id, const Query<HostChoice>& choice,
                                             const Body<NoMembers>&)
{
    return transactLive(_tools.context, caller.tenant(), "calendar.external_calendars",
                        [&](Transaction& transaction) -> Reply<ExternalCalendar>
                        {
                            const auto host = requireHost(transaction, caller, *choice);
                            const auto calendar = externalCalendarTable.require(transaction, caller.tenant(), host.hostId, *id);
                            _sync.request(transaction, caller.tenant(), calendar);
                            return {calendar, 202};
                        });
}

DiscoveredCalendars ExternalRoutes::discover(const Caller& caller, const Query<HostChoice>& choice, const Body<DiscoverRequest>& body)
{
    ExternalCalendar account;
    {
        auto session = _tools.database().session();
        const auto host = requireHost(session, caller, *choice);
        if (body->calendarId) account = externalCalendarTable.require(session, caller.tenant(), host.hostId, *body->calendarId);
    }
    if (body->calendarId) return {look([&] { return openSource(_tools, caller.tenant(), account, lookTimeout); })};
    if (isOfProvider(body->kind)) throw Problem::invalid("kind", "not_allowed", "Connect it first, then ask by its calendarId.");
    account.kind = body->kind;
    account.url = body->url;
    account.username = body->username;
    checkAccount(account, !body->password.empty());
    return {look([&] { return makeSource(_tools, account, body->password, lookTimeout); })};
}

} // namespace portico::calendar
