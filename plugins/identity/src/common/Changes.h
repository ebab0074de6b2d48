#pragma once

#include "portico/Database.h"
#include "portico/Plugin.h"

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace portico::identity
{

/// Where identity's data stood at some moment, in this host and in the database. Equal: nothing changed that a caller could see.
struct DataRevision
{
    std::uint64_t host = 0;
    std::int64_t database = 0;
    bool operator==(const DataRevision&) const = default;
};

/// Runs the changes that a running credential may see (roles, memberships, sessions, keys, services), so that nothing remembered outlives
/// one: the number of the database is raised in the transaction, that of this host, which all generations of the plugin share, after the
/// commit and before the caller answers. What only adds (a new sign-in) goes to the database directly. Thread-safe.
class Changes
{
public:
    explicit Changes(PluginContext& context) : _database(context.database()), _host(context.hostCounter("identity")) {}

    template <class F>
    std::invoke_result_t<F, Transaction&> run(F&& work)
    {
        const Announcement announcement(_host);
        return _database.transact(
            [&](Transaction& transaction)
            {
                // First, so that changes wait for each other here and not half done.
                transaction.execute("UPDATE revisions SET value = value + 1 WHERE id = 1");
                return work(transaction);
            });
    }

    /// On SQLite all changes go through this host, so that the number in memory says it all.
    DataRevision current()
    {
        // The host's number first: a change between the two reads then makes the result look older than it is, never newer.
        DataRevision revision{.host = _host.load()};
        if (_database.dialect() == Dialect::PostgreSQL)
            revision.database = _database.session().value<std::int64_t>("SELECT value FROM revisions WHERE id = 1").value_or(0);
        return revision;
    }

private:
    /// Also on a throw: a commit whose answer was lost may have taken effect.
    struct Announcement
    {
        explicit Announcement(std::atomic<std::uint64_t>& number) : revision(number) {}
        ~Announcement() { revision.fetch_add(1); }
        std::atomic<std::uint64_t>& revision;
    };
    Database& _database;
    std::atomic<std::uint64_t>& _host;
};

} // namespace portico::identity
