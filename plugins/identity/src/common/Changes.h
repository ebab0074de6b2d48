#pragma once

#include "portico/Database.h"
#include "portico/Plugin.h"
#include "portico/Tenant.h"
#include "portico/system/SharedReads.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Revision of data, in this host and in the database. If equal, nothing has changed that a caller could see.
struct DataRevision
{
    std::uint64_t host = 0;
    std::int64_t database = 0;
    bool operator==(const DataRevision&) const = default;
};

/// Revisions of everything that a caller depends on: common data (the catalog, signing keys), the caller's data, and those of the active
/// organization.
struct CallerRevision
{
    DataRevision common;
    DataRevision principal;
    DataRevision organization;
    bool operator==(const CallerRevision&) const = default;
};

/// Runs changes that affect active credentials (roles, memberships, sessions, keys, services), and invalidates cached callers. The revision
/// of everyone concerned is raised twice. The transaction raises it in the database. After the commit, and before the caller answers, it is
/// raised in this host for all generations of the plugin. Changes that only add (a new sign-in) do not need this class. Thread-safe.
class Changes
{
    static constexpr std::size_t parts = 64;

public:
    /// Numbers of this host at one moment.
    using HostNumbers = std::array<std::uint64_t, parts>;

    explicit Changes(PluginContext& context);

    /// Runs a change that may affect all callers.
    template <class F>
    std::invoke_result_t<F, Transaction&> run(F&& work)
    {
        return run({}, std::forward<F>(work));
    }
    /// A change that only these people, and callers in these organizations, can see. Changes that share one of them wait for each other.
    template <class F>
    std::invoke_result_t<F, Transaction&> run(const std::vector<Tenant>& concerned, F&& work)
    {
        const Announcement announcement(*this, concerned);
        return _database.transact(
            [&](Transaction& transaction)
            {
                // First, so that changes wait for each other here and not half done.
                raise(transaction, concerned);
                return work(transaction);
            });
    }

    /// Serializes this transaction with changes that concern the given principal. For transactions that only add something that such a
    /// change may end, such as a sign-in: later reads see the result of the change. Caches are not invalidated.
    static void waitFor(Transaction& transaction, Tenant concerned);

    /// Returns the revision of common data. On SQLite all changes go through this host, so the number in memory suffices.
    DataRevision current();
    /// Also returns the revisions of a caller, by one query. @param organization empty in personal context
    CallerRevision current(std::string_view principal, std::string_view organization);
    /// Does the same on an event loop; empty if the answer would require waiting.
    std::optional<CallerRevision> atHand(std::string_view principal, std::string_view organization);

    /// Used for a caller who is read for the first time, when the rows must tell which revisions apply. Call `hostNumbers` before the
    /// snapshot, and `revisionIn` in it. A concurrent change makes the result look older than it is, never newer.
    HostNumbers hostNumbers() const noexcept;
    CallerRevision revisionIn(Session& snapshot, const DataRevision& common, const HostNumbers& numbers, std::string_view principal,
                              std::string_view organization);

private:
    /// Also announces after an exception, because a commit whose answer was lost may have taken effect.
    struct Announcement
    {
        Announcement(Changes& changes, const std::vector<Tenant>& concerned) : owner(changes), whom(concerned) {}
        ~Announcement() { owner.announce(whom); }
        Changes& owner;
        const std::vector<Tenant>& whom;
    };
    static void raise(Transaction& transaction, const std::vector<Tenant>& concerned);
    void announce(const std::vector<Tenant>& concerned) noexcept;
    /// On PostgreSQL the numbers of the database, with those of other requests; false where this would have to wait on an event loop.
    /// @throws DatabaseError
    bool readDatabase(CallerRevision& revision, std::string_view principal, std::string_view organization);
    CallerRevision inHost(std::string_view principal, std::string_view organization) const noexcept;
    bool databaseCounts() const noexcept { return _database.dialect() == Dialect::PostgreSQL; }
    static std::size_t partOf(std::string_view id) noexcept { return std::hash<std::string_view>()(id) % parts; }

    Database& _database;
    /// The host's own, which outlives the plugin; null on SQLite.
    interfaces::SharedReads* _reads = nullptr;
    const std::string _serviceId;
    std::atomic<std::uint64_t>& _common;
    /// Revisions are shared by principals with the same hash. A collision only causes a rare extra read.
    std::array<std::atomic<std::uint64_t>*, parts> _ofParts{};
};

} // namespace portico::identity
