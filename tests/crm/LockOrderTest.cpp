#include "crm/CrmFixture.h"

#include "records/CustomField.h"

#include <chrono>
#include <functional>
#include <thread>

namespace portico::tests
{

/// Transactions take locks in the order of data/Locks.h. Otherwise PostgreSQL would abort one of two deadlocked transactions after a
/// second. SQLite has one writer.
class LockOrderTest : public Suite<LockOrderTest, CrmFixture>
{
    void setUp() override
    {
        CrmFixture::setUp();
        equal(201, client->post(owner, "/api/custom-fields", R"({"key":"k","label":"K","type":"text"})").status);
        _contact = created(R"({"firstName":"T","emails":[{"address":"t@a.example"}],"customFields":{"k":"v"}})").at("/id");
        _other = created(R"({"firstName":"O","customFields":{"k":"w"}})").at("/id");
    }

    TEST(changesContacts)
    {
        waitsEmptyHanded([&] { return client->put(owner, "/api/contacts/" + _contact, R"({"customFields":{"k":"x"}})").status; });
    }

    TEST(mergesContacts)
    {
        waitsEmptyHanded([&] { return merge().status; });
    }

    TEST(undoesMerges)
    {
        const auto path = "/api/contacts/merges/" + merge().at("/mergeId") + "/undo";
        waitsEmptyHanded([&] { return client->post(owner, path, "").status; });
    }

    TEST(importsContacts)
    {
        const auto csv = "Email,customFields.k\r\nt@a.example,x\r\n";
        waitsEmptyHanded(
            [&] {
                return client->post(owner, "/api/contacts/import?onDuplicate=update", csv, {{"Content-Type", "text/csv"}}).status;
            });
        equal("x", client->get(owner, "/api/contacts/" + _contact).at("/customFields/k"));
    }

    Answer merge() const { return client->post(owner, "/api/contacts/" + _contact + "/merge", jsonWith(R"({"sourceIds":["$"]})", _other)); }

    /// While a custom field is being removed, a request that writes values waits before it locks the contact or the duplicates. The removal
    /// locks contacts later, so otherwise they could deadlock.
    void waitsEmptyHanded(const std::function<int()>& request) const
    {
        if (database().dialect() == Dialect::SQLite) return equal(200, request());
        int status = 0;
        std::jthread other;
        {
            auto removal = database().begin();
            crm::lockCustomFields(removal, owner.tenant());
            other = std::jthread([&] { status = request(); });
            waitForAWaiter();
            removal.query("SELECT 1 FROM contact WHERE organization_id = $1 AND id = $2 FOR UPDATE NOWAIT", owner.organizationId, _contact)
                .next();
            auto rows = removal.query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", "duplicates " + owner.organizationId);
            CHECK(rows.next()->get<bool>(0));
        }
        other.join();
        equal(200, status);
    }

    /// Until another session of this database waits for a lock of this kind.
    void waitForAWaiter() const
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        for (;;)
        {
            auto session = database().session();
            if (session.value<std::int64_t>("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "
                                            "(SELECT oid FROM pg_database WHERE datname = current_database())") > 0)
                return;
            CPPUNIT_ASSERT_MESSAGE("no transaction waits for the custom fields", std::chrono::steady_clock::now() < deadline);
            std::this_thread::yield();
        }
    }

    std::string _contact;
    std::string _other;
};

} // namespace portico::tests
