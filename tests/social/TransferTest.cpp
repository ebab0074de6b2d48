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
class TransferTest : public Suite<TransferTest, SocialFixture>
{
    void setUp() override
    {
        SocialFixture::setUp();
        brand = newBrand(admin);
        // The same person in the other organization.
        there = admin;
        there.organizationId = stranger.organizationId;
        directory.add(there.organizationId, admin.principalId, {"social.brands:transfer"});
    }

    TEST(movesTheBrandWithItsRecords)
    {
        made(patch(admin, "/api/brands/" + brand, R"({"name":"Renamed"})"));
        const auto moved = made(transfer());
        equal(200, moved.status);
        equal(brand, moved.at("/brandId"));
        equal(there.organizationId, moved.at("/organizationId"));
        equal("3", moved.at("/version"));
        equal("3", moved.at("/kept/events"));
        equal("Renamed", get(there, "/api/brands/" + brand).at("/name"));
        const auto check = get(there, "/api/content-ops/events/verify");
        equal("true", check.at("/ok"), check.body);
        equal("3", check.at("/events"));
        // Each event names the owner of its time; the transfer is the last one of the old owner.
        made(patch(there, "/api/brands/" + brand, R"({"name":"Ours"})"));
        const auto events = get(there, "/api/content-ops/events?kind=brand.updated,brand.transferred&sort=occurredAt");
        equal("brand.transferred", events.at("/items/1/kind"));
        equal(admin.organizationId, events.at("/items/1/organizationId"));
        equal(there.organizationId, events.at("/items/1/changes/0/to"));
        equal(there.organizationId, events.at("/items/2/organizationId"));
        equal("true", get(there, "/api/content-ops/events/verify").at("/ok"));
    }

    TEST(asksTheOtherOrganization)
    {
        directory.written.clear();
        refused(transfer(), 404, "not_found");
        directory.add(there.organizationId, admin.principalId, {"social.brands:write"});
        refused(transfer(), 403, "permission_denied");
        directory.written.begin()->second.permissions = {"social.brands:transfer"};
        directory.written.begin()->second.profile.active = false;
        refused(transfer(), 404, "not_found");
        refused(post(member, "/api/brands/" + brand + "/transfer-organization", body(there.organizationId)), 403, "permission_denied");
        refused(post(newKey(admin.organizationId), "/api/brands/" + brand + "/transfer-organization", body(there.organizationId)), 403,
                "bearer_required");
        const auto same = post(admin, "/api/brands/" + brand + "/transfer-organization", body(admin.organizationId));
        refused(same, 400, "validation_failed");
        equal("same_organization", same.at("/errors/0/code"));
        refused(post(admin, "/api/brands/" + brand + "/transfer-organization"), 400, "validation_failed");
        refused(post(stranger, "/api/brands/" + brand + "/transfer-organization", body(stranger.organizationId)), 404, "not_found");
        refused(post(admin, "/api/brands/brd_01jd0000000000000000000000/transfer-organization", body(there.organizationId)), 404,
                "not_found");
        equal(200, get(admin, "/api/brands/" + brand).status);
    }

    TEST(refusesTheOldOrganization)
    {
        const auto key = newKey(admin.organizationId);
        equal(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        made(transfer());
        refused(inBrand(brand, Method::Get, "/api/content-ops/events", key), 404, "not_found");
        refused(get(admin, "/api/brands/" + brand), 404, "not_found");
        refused(patch(admin, "/api/brands/" + brand, R"({"name":"Mine"})"), 404, "not_found");
        refused(transfer(), 404, "not_found");
        equal(200, inBrand(brand, Method::Get, "/api/content-ops/events", newKey(there.organizationId)).status);
    }

    TEST(findsAFreeSlug)
    {
        newBrand(stranger);
        equal("acme-coffee-2", made(transfer()).at("/slug"));
    }

    TEST(refusesAFullOrganization)
    {
        for (int i = 0; i < 200; ++i) newBrand(stranger, "Brand " + std::to_string(i));
        refused(transfer(), 409, "conflict");
        equal(200, get(admin, "/api/brands/" + brand).status);
    }

    TEST(namesEveryTableOfABrand)
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
        equal(found.size(), listed.size());
    }

    /// Writers change the brand in the old organization until they are rejected: every successful change must exist in the new one.
    TEST(losesNothingUnderLoad)
    {
        std::atomic<int> done = 0, refused = 0, other = 0;
        std::vector<std::thread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back(
                [&, i]
                {
                    for (int n = 0; refused < 4 && n < 5000; ++n)
                    {
                        const auto answer = patch(admin, "/api/brands/" + brand, jsonWith(R"({"description":"$-$"})", i, n));
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
        equal(200, moved.status, moved.body);
        equal(0, other.load());
        equal(4, refused.load());
        const auto check = get(there, "/api/content-ops/events/verify");
        equal("true", check.at("/ok"));
        // brand.created, one for each change, brand.transferred.
        equal(std::to_string(done + 2), check.at("/events"));
        equal(std::to_string(done + 2), get(there, "/api/brands/" + brand).at("/version"));
        auto session = host->context().database().session();
        for (const auto& [table, counted] : social::brandTables)
            equal(0,
                  *session.value<std::int64_t>("SELECT count(*) FROM " + std::string(table) + " WHERE organization_id = $1",
                                               admin.organizationId),
                  table);
    }

    static std::string body(const std::string& organization) { return jsonWith(R"({"organizationId":"$"})", organization); }
    testing::TestAnswer transfer() const
    {
        return post(admin, "/api/brands/" + brand + "/transfer-organization", body(there.organizationId));
    }

    std::string brand;
    Caller there;
};

} // namespace portico::tests
