#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "tokens/KeyRing.h"

#include <functional>
#include <future>
#include <utility>

namespace portico::tests
{

using namespace identity;

/// Database that runs `whileWaiting` once before it returns a session.
class BusyDatabase final : public Database
{
public:
    explicit BusyDatabase(Database& database) : _database(database) {}
    Dialect dialect() const noexcept override { return _database.dialect(); }
    Session session() override
    {
        if (const auto once = std::exchange(whileWaiting, nullptr)) once();
        return _database.session();
    }
    Transaction begin() override { return _database.begin(); }
    Transaction snapshot() override { return _database.snapshot(); }

    std::function<void()> whileWaiting;

private:
    Database& _database;
};

/// Keys for those who hold a session of the database already.
class KeyRingTest : public Suite<KeyRingTest>
{
    /// A refresh holds a session and asks for a MAC key. It must not wait for a thread that waits for a session, because that could
    /// deadlock.
    TEST(givesKeysWhileItWaitsForASession)
    {
        IdentityHost host;
        BusyDatabase database(host.context().database());
        Changes changes(host.context());
        KeyRing ring(database, changes, host.context().clock());
        ring.prepare();
        const auto before = ring.signingKeys({.host = 1});
        std::future<bool> other;
        bool answered = false;
        database.whileWaiting = [&]
        {
            other = std::async(std::launch::async,
                               [&] { return !ring.macKey(ring.newestMacKeyId()).empty() && ring.signingKeys({.host = 1}) == before; });
            answered = other.wait_for(std::chrono::seconds(20)) == std::future_status::ready && other.get();
        };
        host.context().clock().advance(std::chrono::minutes(5));
        ring.rotate();
        const auto after = ring.signingKeys({.host = 2});
        CHECK(answered);
        CHECK(after->currentKid != before->currentKid);
        equal(3, after->keys.size());
    }
};

} // namespace portico::tests
