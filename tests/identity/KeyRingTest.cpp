#include "identity/IdentityHost.h"

#include "tokens/KeyRing.h"

#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <future>
#include <utility>

namespace portico::tests
{

using namespace identity;

/// A database whose sessions are waited for: `whileWaiting` runs meanwhile, once.
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
class KeyRingTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(KeyRingTest);
    CPPUNIT_TEST(givesKeysWhileItWaitsForASession);
    CPPUNIT_TEST_SUITE_END();

public:
    /// A refresh holds a session and asks for a MAC key. If it waited for somebody who waits for a session, all sessions could be held so.
    void givesKeysWhileItWaitsForASession()
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
        CPPUNIT_ASSERT(answered);
        CPPUNIT_ASSERT(after->currentKid != before->currentKid);
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, after->keys.size());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(KeyRingTest);

} // namespace portico::tests
