#include "common/Changes.h"

#include <algorithm>
#include <array>

namespace portico::identity
{

namespace
{

/// Key of the common revision; no id looks so.
constexpr std::string_view commonKey = "*";
constexpr std::string_view revisionsByKey =
    "SELECT id, value FROM tenant_revisions WHERE id = ANY($1::text[]) UNION ALL SELECT '*', value FROM revisions WHERE id = 1";

} // namespace

Changes::Changes(PluginContext& context)
    : _database(context.database()), _serviceId(context.host().serviceId), _common(context.hostCounter("identity"))
{
    for (std::size_t part = 0; part < parts; ++part) _ofParts[part] = &context.hostCounter("identity." + std::to_string(part));
    if (!databaseCounts()) return;
    if (const auto shared = context.services().find<interfaces::SharedReads>()) _reads = &*shared;
}

void Changes::raise(Transaction& transaction, const std::vector<Tenant>& concerned)
{
    if (concerned.empty()) transaction.execute("UPDATE revisions SET value = value + 1 WHERE id = 1");
    // In one order, so that no two changes wait for each other crosswise.
    std::vector<std::string_view> ids;
    for (const Tenant tenant : concerned) ids.push_back(tenant.text());
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const auto id : ids)
        transaction.execute("INSERT INTO tenant_revisions (id, value) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE "
                            "SET value = tenant_revisions.value + 1",
                            id);
}

void Changes::waitFor(Transaction& transaction, Tenant concerned)
{
    transaction.execute("INSERT INTO tenant_revisions (id, value) VALUES ($1, 0) ON CONFLICT (id) DO UPDATE "
                        "SET value = tenant_revisions.value",
                        concerned);
}

void Changes::announce(const std::vector<Tenant>& concerned) noexcept
{
    if (concerned.empty()) _common.fetch_add(1);
    for (const Tenant tenant : concerned) _ofParts[partOf(tenant.text())]->fetch_add(1);
}

DataRevision Changes::current()
{
    DataRevision revision{.host = _common.load()};
    if (!databaseCounts()) return revision;
    if (!_reads)
        revision.database = _database.session().value<std::int64_t>("SELECT value FROM revisions WHERE id = 1").value_or(0);
    else if (!_reads->read(_serviceId, revisionsByKey, {&commonKey, 1}, {&revision.database, 1}))
        throw DatabaseError(DatabaseError::Kind::Busy, "", {}, "the event loop cannot wait for the revision of the catalog");
    return revision;
}

CallerRevision Changes::inHost(std::string_view principal, std::string_view organization) const noexcept
{
    return {{.host = _common.load()}, {.host = _ofParts[partOf(principal)]->load()}, {.host = _ofParts[partOf(organization)]->load()}};
}

CallerRevision Changes::current(std::string_view principal, std::string_view organization)
{
    auto revision = inHost(principal, organization);
    if (databaseCounts() && !readDatabase(revision, principal, organization))
        throw DatabaseError(DatabaseError::Kind::Busy, "", {}, "the event loop cannot wait for the revision of the caller");
    return revision;
}

std::optional<CallerRevision> Changes::atHand(std::string_view principal, std::string_view organization)
{
    auto revision = inHost(principal, organization);
    if (!databaseCounts()) return revision;
    return _reads && readDatabase(revision, principal, organization) ? std::optional(revision) : std::nullopt;
}

bool Changes::readDatabase(CallerRevision& revision, std::string_view principal, std::string_view organization)
{
    if (_reads)
    {
        const std::array keys{commonKey, principal, organization};
        std::array<std::int64_t, keys.size()> numbers{};
        if (!_reads->read(_serviceId, revisionsByKey, keys, numbers)) return false;
        revision.common.database = numbers[0];
        revision.principal.database = numbers[1];
        revision.organization.database = numbers[2];
        return true;
    }
    auto session = _database.session();
    auto rows = session.query("SELECT value, (SELECT value FROM tenant_revisions WHERE id = $1), "
                              "(SELECT value FROM tenant_revisions WHERE id = $2) FROM revisions WHERE id = 1",
                              principal, organization);
    const auto row = rows.next();
    revision.common.database = row->get<std::int64_t>(0);
    revision.principal.database = row->get<std::optional<std::int64_t>>(1).value_or(0);
    revision.organization.database = row->get<std::optional<std::int64_t>>(2).value_or(0);
    return true;
}

Changes::HostNumbers Changes::hostNumbers() const noexcept
{
    HostNumbers numbers{};
    std::ranges::transform(_ofParts, numbers.begin(), [](const auto* number) { return number->load(); });
    return numbers;
}

CallerRevision Changes::revisionIn(Session& snapshot, const DataRevision& common, const HostNumbers& numbers, std::string_view principal,
                                   std::string_view organization)
{
    CallerRevision revision{common, {.host = numbers[partOf(principal)]}, {.host = numbers[partOf(organization)]}};
    if (!databaseCounts()) return revision;
    for (const Row row : snapshot.query("SELECT id, value FROM tenant_revisions WHERE id IN ($1, $2)", principal, organization))
    {
        if (row.text(0) == principal) revision.principal.database = row.get<std::int64_t>(1);
        if (row.text(0) == organization) revision.organization.database = row.get<std::int64_t>(1);
    }
    return revision;
}

} // namespace portico::identity
