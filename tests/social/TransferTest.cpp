#include "social/SocialFixture.h"

#include "brands/BrandTables.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

/// A brand moves to another organization.
class TransferTest : public SocialFixture
{
    CPPUNIT_TEST_SUITE(TransferTest);
    CPPUNIT_TEST(movesTheBrandWithItsRecords);
    CPPUNIT_TEST(asksTheOtherOrganization);
    CPPUNIT_TEST(refusesTheOldOrganization);
    CPPUNIT_TEST(findsAFreeSlug);
    CPPUNIT_TEST(refusesAFullOrganization);
    CPPUNIT_TEST(namesEveryTableOfABrand);
    CPPUNIT_TEST(losesNothingUnderLoad);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        SocialFixture::setUp();
        brand = newBrand(admin);
        // The same person in the other organization.
        there = admin;
        there.organizationId = stranger.organizationId;
        directory.add(there.organizationId, admin.principalId, {"social.brands:transfer"});
    }

    void movesTheBrandWithItsRecords()
    {
        made(patch(admin, "/api/brands/" + brand, R"({"name":"Renamed"})"));
        const auto moved = made(transfer());
        CPPUNIT_ASSERT_EQUAL(200, moved.status);
        CPPUNIT_ASSERT_EQUAL(brand, moved.at("/brandId"));
        CPPUNIT_ASSERT_EQUAL(there.organizationId, moved.at("/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), moved.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), moved.at("/kept/events"));
        CPPUNIT_ASSERT_EQUAL(std::string("Renamed"), get(there, "/api/brands/" + brand).at("/name"));
        const auto check = get(there, "/api/content-ops/events/verify");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(check.body, std::string("true"), check.at("/ok"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), check.at("/events"));
        // Each event names the owner of its time; the transfer is the last one of the old owner.
        made(patch(there, "/api/brands/" + brand, R"({"name":"Ours"})"));
        const auto events = get(there, "/api/content-ops/events?kind=brand.updated,brand.transferred&sort=occurredAt");
        CPPUNIT_ASSERT_EQUAL(std::string("brand.transferred"), events.at("/items/1/kind"));
        CPPUNIT_ASSERT_EQUAL(admin.organizationId, events.at("/items/1/organizationId"));
        CPPUNIT_ASSERT_EQUAL(there.organizationId, events.at("/items/1/changes/0/to"));
        CPPUNIT_ASSERT_EQUAL(there.organizationId, events.at("/items/2/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(there, "/api/content-ops/events/verify").at("/ok"));
    }

    void asksTheOtherOrganization()
    {
        directory.written.clear();
        assertProblem(transfer(), 404, "not_found");
        directory.add(there.organizationId, admin.principalId, {"social.brands:write"});
        assertProblem(transfer(), 403, "permission_denied");
        directory.written.begin()->second.permissions = {"social.brands:transfer"};
        directory.written.begin()->second.profile.active = false;
        assertProblem(transfer(), 404, "not_found");
        assertProblem(post(member, "/api/brands/" + brand + "/transfer-organization", body(there.organizationId)), 403,
                      "permission_denied");
        assertProblem(post(newKey(admin.organizationId), "/api/brands/" + brand + "/transfer-organization", body(there.organizationId)),
                      403, "bearer_required");
        const auto same = post(admin, "/api/brands/" + brand + "/transfer-organization", body(admin.organizationId));
        assertProblem(same, 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("same_organization"), same.at("/errors/0/code"));
        assertProblem(post(admin, "/api/brands/" + brand + "/transfer-organization"), 400, "validation_failed");
        assertProblem(post(stranger, "/api/brands/" + brand + "/transfer-organization", body(stranger.organizationId)), 404, "not_found");
        assertProblem(post(admin, "/api/brands/brd_01jd0000000000000000000000/transfer-organization", body(there.organizationId)), 404,
                      "not_found");
        CPPUNIT_ASSERT_EQUAL(200, get(admin, "/api/brands/" + brand).status);
    }

    void refusesTheOldOrganization()
    {
        const auto key = newKey(admin.organizationId);
        CPPUNIT_ASSERT_EQUAL(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        made(transfer());
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events", key), 404, "not_found");
        assertProblem(get(admin, "/api/brands/" + brand), 404, "not_found");
        assertProblem(patch(admin, "/api/brands/" + brand, R"({"name":"Mine"})"), 404, "not_found");
        assertProblem(transfer(), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(200, inBrand(brand, Method::Get, "/api/content-ops/events", newKey(there.organizationId)).status);
    }

    void findsAFreeSlug()
    {
        newBrand(stranger);
        CPPUNIT_ASSERT_EQUAL(std::string("acme-coffee-2"), made(transfer()).at("/slug"));
    }

    void refusesAFullOrganization()
    {
        for (int i = 0; i < 200; ++i) newBrand(stranger, "Brand " + std::to_string(i));
        assertProblem(transfer(), 409, "conflict");
        CPPUNIT_ASSERT_EQUAL(200, get(admin, "/api/brands/" + brand).status);
    }

    void namesEveryTableOfABrand()
    {
        auto session = host->context().database().session();
        const auto sql =
            session.dialect() == Dialect::SQLite
                ? "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'brand_id'"
                : "SELECT table_name FROM information_schema.columns WHERE column_name = 'brand_id' AND table_schema = "
                  "current_schema()";
        std::set<std::string> found, listed{"queue_count"};
        for (const auto& row : session.query(sql)) found.insert(row.get<std::string>(0));
        for (const auto& [table, counted] : social::brandTables) listed.emplace(table);
        for (const auto& table : found) CPPUNIT_ASSERT_MESSAGE("brandTables lacks " + table, listed.contains(table));
        CPPUNIT_ASSERT_EQUAL(found.size(), listed.size());
    }

    /// Writers of the old owner change the brand until they are refused: what they were told is done is there at the new owner.
    void losesNothingUnderLoad()
    {
        std::atomic<int> done = 0, refused = 0, other = 0;
        std::vector<std::thread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back(
                [&, i]
                {
                    for (int n = 0; refused < 4 && n < 5000; ++n)
                    {
                        const auto answer = patch(admin, "/api/brands/" + brand,
                                                  R"({"description":")" + std::to_string(i) + "-" + std::to_string(n) + "\"}");
                        if (answer.status == 200)
                            ++done;
                        else if (answer.status == 404)
                        {
                            ++refused;
                            return;
                        }
                        else
                            ++other;
                    }
                });
        while (done < 20 && other == 0) std::this_thread::yield();
        const auto moved = transfer();
        for (auto& writer : writers) writer.join();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(0, other.load());
        CPPUNIT_ASSERT_EQUAL(4, refused.load());
        const auto check = get(there, "/api/content-ops/events/verify");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), check.at("/ok"));
        // brand.created, one for each change, brand.transferred.
        CPPUNIT_ASSERT_EQUAL(std::to_string(done + 2), check.at("/events"));
        CPPUNIT_ASSERT_EQUAL(std::to_string(done + 2), get(there, "/api/brands/" + brand).at("/version"));
        auto session = host->context().database().session();
        for (const auto& [table, counted] : social::brandTables)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                std::string(table), std::int64_t{0},
                *session.value<std::int64_t>("SELECT count(*) FROM " + std::string(table) + " WHERE organization_id = $1",
                                             admin.organizationId));
    }

private:
    static std::string body(const std::string& organization) { return R"({"organizationId":")" + organization + "\"}"; }
    testing::TestAnswer transfer() const
    {
        return post(admin, "/api/brands/" + brand + "/transfer-organization", body(there.organizationId));
    }

    std::string brand;
    Caller there;
};

CPPUNIT_TEST_SUITE_REGISTRATION(TransferTest);

} // namespace portico::tests
