#include "social/SocialFixture.h"

#include <string>

namespace portico::tests
{

/// Brands of an organization, and which of them a request is about.
class BrandTest : public SocialFixture
{
    CPPUNIT_TEST_SUITE(BrandTest);
    CPPUNIT_TEST(makesABrandWithDefaults);
    CPPUNIT_TEST(makesSlugsOfNames);
    CPPUNIT_TEST(refusesASlugThatIsTaken);
    CPPUNIT_TEST(refusesWrongMembers);
    CPPUNIT_TEST(changesMembersByMerge);
    CPPUNIT_TEST(listsByNameAndWords);
    CPPUNIT_TEST(hidesBrandsOfOthers);
    CPPUNIT_TEST(stopsAtTwoHundred);
    CPPUNIT_TEST(choosesTheBrandOfABearer);
    CPPUNIT_TEST(choosesTheBrandOfAKey);
    CPPUNIT_TEST(narrowsKeysToBrands);
    CPPUNIT_TEST(offersBrandsToNarrowKeysTo);
    CPPUNIT_TEST_SUITE_END();

public:
    void makesABrandWithDefaults()
    {
        const auto brand = post(admin, "/api/brands", R"({"name":"  Acme Café  "})");
        CPPUNIT_ASSERT_EQUAL(201, brand.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Acme Café"), brand.at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("acme-cafe"), brand.at("/slug"));
        CPPUNIT_ASSERT_EQUAL(std::string("UTC"), brand.at("/timeZone"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"required":false,"steps":1,"allowSelfApproval":false})"), brand.at("/approvalPolicy"));
        CPPUNIT_ASSERT_EQUAL(std::string("120"), brand.at("/latePublishGraceMinutes"));
        CPPUNIT_ASSERT_EQUAL(std::string("24"), brand.at("/deckHalfLifeHours"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), brand.at("/slotPlan"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), brand.at("/avatarMediaId"));
        CPPUNIT_ASSERT_EQUAL(admin.organizationId, brand.at("/organizationId"));
        CPPUNIT_ASSERT_EQUAL(admin.principalId, brand.at("/createdBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), brand.at("/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), brand.at("/version"));
        const auto read = get(member, "/api/brands/" + brand.at("/brandId"));
        CPPUNIT_ASSERT_EQUAL(200, read.status);
        CPPUNIT_ASSERT_EQUAL(std::string("member"), read.at("/role"));
        CPPUNIT_ASSERT(!read.has("/nameFolded"));
    }

    void makesSlugsOfNames()
    {
        const auto slugOf = [this](const std::string& name)
        { return made(post(admin, "/api/brands", "{\"name\":\"" + name + "\"}")).at("/slug"); };
        CPPUNIT_ASSERT_EQUAL(std::string("acme"), slugOf("Acme"));
        CPPUNIT_ASSERT_EQUAL(std::string("acme-2"), slugOf("ACME!"));
        CPPUNIT_ASSERT_EQUAL(std::string("acme-3"), slugOf("--acme--"));
        CPPUNIT_ASSERT_EQUAL(std::string("brand"), slugOf("日本語"));
        CPPUNIT_ASSERT_EQUAL(std::string("brand-2"), slugOf("한국어"));
        CPPUNIT_ASSERT(slugOf(std::string(120, 'x')).size() <= 60);
        CPPUNIT_ASSERT(slugOf(std::string(120, 'x')).size() <= 60);
    }

    void refusesASlugThatIsTaken()
    {
        made(post(admin, "/api/brands", R"({"name":"One","slug":"one"})"));
        const auto second = made(post(admin, "/api/brands", R"({"name":"Two","slug":"two"})")).at("/brandId");
        assertProblem(post(admin, "/api/brands", R"({"name":"Other","slug":"one"})"), 409, "conflict");
        assertProblem(patch(admin, "/api/brands/" + second, R"({"slug":"one"})"), 409, "conflict");
        CPPUNIT_ASSERT_EQUAL(std::string("two"), made(patch(admin, "/api/brands/" + second, R"({"slug":"two"})")).at("/slug"));
        // Another organization has its own slugs.
        CPPUNIT_ASSERT_EQUAL(201, post(stranger, "/api/brands", R"({"name":"One","slug":"one"})").status);
    }

    void refusesWrongMembers()
    {
        for (const auto* body : {R"({})",
                                 R"({"name":" "})",
                                 R"({"name":null})",
                                 R"({"name":"A","slug":"Upper"})",
                                 R"({"name":"A","slug":"a b"})",
                                 R"({"name":"A","timeZone":"Mars/Olympus"})",
                                 R"({"name":"A","timeZone":"localtime"})",
                                 R"({"name":"A","timeZone":"Fixed/UTC+01:00:00"})",
                                 R"({"name":"A","timeZone":"../UTC"})",
                                 R"({"name":"A","language":"english please"})",

                                 R"({"name":"A","approvalPolicy":{"steps":0}})",
                                 R"({"name":"A","approvalPolicy":{"steps":4}})",
                                 R"({"name":"A","latePublishGraceMinutes":1441})",
                                 R"({"name":"A","deckHalfLifeHours":0})",
                                 R"({"name":"A","deckHalfLifeHours":169})",
                                 R"({"name":"A","slotPlan":[{"weekday":8,"time":"10:00"}]})",
                                 R"({"name":"A","slotPlan":[{"weekday":1,"time":"24:00"}]})",
                                 R"({"name":"A","slotPlan":[{"weekday":1,"time":"9:00"}]})",
                                 R"({"name":"A","slotPlan":[{"weekday":1}]})",
                                 R"({"name":"A","slotPlan":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:00"}]})"})
            assertProblem(post(admin, "/api/brands", body), 400, "validation_failed");
        assertProblem(post(admin, "/api/brands", "{\"name\":\"" + std::string(121, 'x') + "\"}"), 400, "validation_failed");
        assertProblem(post(admin, "/api/brands", R"({"name":"A","colour":"red"})"), 400, "unknown_field");
        assertProblem(post(admin, "/api/brands", R"({"name":"A","organizationId":")" + stranger.organizationId + "\"}"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/brands").count("/items"));
    }

    void changesMembersByMerge()
    {
        const auto target = "/api/brands/" + newBrand(admin);
        const auto changed = made(patch(admin, target,
                                        R"({"name":"Bravo","timeZone":"Europe/Berlin","language":"de-CH","approvalPolicy":{"required":true},
                                            "slotPlan":[{"weekday":1,"time":"09:00"},{"weekday":7,"time":"23:59"}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), changed.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"required":true,"steps":1,"allowSelfApproval":false})"), changed.at("/approvalPolicy"));
        CPPUNIT_ASSERT_EQUAL(std::string("acme-coffee"), changed.at("/slug"));
        // What was read can be sent back, and changes nothing.
        CPPUNIT_ASSERT_EQUAL(std::string("2"), made(patch(admin, target, changed.body)).at("/version"));
        testing::TestRequest stale{Method::Patch, target, R"({"name":"C"})", {{"If-Match", "\"1\""}}, admin};
        assertProblem(host->call(stale), 412, "version_conflict");
        assertProblem(patch(admin, target, R"({"avatarMediaId":"med_01jd0000000000000000000000"})"), 400, "validation_failed");
        for (const auto* body : {R"({"timeZone":null})", R"({"timeZone":""})", R"({"language":null})", R"({"slug":null})", R"({"slug":""})",
                                 R"({"name":null})"})
            assertProblem(patch(admin, target, body), 400, "validation_failed");
        const auto events = get(admin, "/api/content-ops/events?kind=brand.updated");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, events.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("name"), events.at("/items/0/changes/0/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("Acme Coffee"), events.at("/items/0/changes/0/from"));
        CPPUNIT_ASSERT_EQUAL(std::string("Bravo"), events.at("/items/0/changes/0/to"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, events.count("/items/0/changes"));
    }

    void listsByNameAndWords()
    {
        for (const auto* name : {"Zebra", "äpfel & Co", "Bravo"}) newBrand(admin, name);
        const auto all = get(member, "/api/brands?include=total&organizationId=" + admin.organizationId);
        CPPUNIT_ASSERT_EQUAL(std::string("3"), all.at("/total"));
        CPPUNIT_ASSERT_EQUAL(std::string("äpfel & Co"), all.at("/items/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("Zebra"), all.at("/items/2/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("member"), all.at("/items/0/role"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(member, "/api/brands?q=APFEL%20co").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/brands?q=%25").count("/items"));
        const auto first = get(member, "/api/brands?limit=2");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, first.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("Zebra"),
                             get(member, "/api/brands?limit=2&cursor=" + first.at("/nextCursor")).at("/items/0/name"));
        assertProblem(get(member, "/api/brands?slug=a"), 400, "unknown_parameter");
        assertProblem(get(member, "/api/brands?organizationId=" + stranger.organizationId), 404, "not_found");
    }

    void hidesBrandsOfOthers()
    {
        const auto brand = newBrand(admin);
        assertProblem(get(stranger, "/api/brands/" + brand), 404, "not_found");
        assertProblem(patch(stranger, "/api/brands/" + brand, R"({"name":"Mine"})"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(stranger, "/api/brands").count("/items"));
        auto personal = admin;
        personal.organizationId.clear();
        assertProblem(get(personal, "/api/brands"), 403, "service_access_denied");
    }

    void stopsAtTwoHundred()
    {
        for (int i = 0; i < 199; ++i) newBrand(admin, "Brand " + std::to_string(i));
        newBrand(admin, "The last one");
        assertProblem(post(admin, "/api/brands", R"({"name":"One more"})"), 409, "conflict");
        newBrand(stranger);
    }

    void choosesTheBrandOfABearer()
    {
        assertProblem(get(member, "/api/content-ops/events"), 400, "brand_required");
        const auto brand = newBrand(admin);
        CPPUNIT_ASSERT_EQUAL(brand, get(member, "/api/content-ops/events").at("/items/0/brandId"));
        const auto other = newBrand(admin, "Other");
        assertProblem(get(member, "/api/content-ops/events"), 400, "brand_required");
        CPPUNIT_ASSERT_EQUAL(other, get(member, "/api/content-ops/events?brandId=" + other).at("/items/0/brandId"));
        CPPUNIT_ASSERT_EQUAL(other, inBrand(other, Method::Get, "/api/content-ops/events", member).at("/items/0/brandId"));
        CPPUNIT_ASSERT_EQUAL(200, inBrand(other, Method::Get, "/api/content-ops/events?brandId=" + other, member).status);
        assertProblem(inBrand(other, Method::Get, "/api/content-ops/events?brandId=" + brand, member), 400, "brand_mismatch");
        for (const auto* unknown : {"brd_01jd0000000000000000000000", "nonsense", "%20"})
            assertProblem(get(member, "/api/content-ops/events?brandId=" + std::string(unknown)), 404, "not_found");
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events", stranger), 404, "not_found");
    }

    void choosesTheBrandOfAKey()
    {
        const auto brand = newBrand(admin);
        const auto key = newKey(admin.organizationId);
        assertProblem(get(key, "/api/content-ops/events"), 400, "brand_required");
        CPPUNIT_ASSERT_EQUAL(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events", newKey(stranger.organizationId)), 404, "not_found");
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events", newKey(admin.organizationId, {"posts.read"})), 403,
                      "insufficient_scope");
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events/verify", key), 403, "bearer_required");
        assertProblem(get(key, "/api/brands"), 403, "bearer_required");
    }

    void narrowsKeysToBrands()
    {
        const auto brand = newBrand(admin), other = newBrand(admin, "Other");
        auto key = newKey(admin.organizationId);
        key.boundResources["brand"] = {brand};
        CPPUNIT_ASSERT_EQUAL(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        for (const auto& elsewhere : {other, std::string("brd_01jd0000000000000000000000"), std::string("nonsense")})
            assertProblem(inBrand(elsewhere, Method::Get, "/api/content-ops/events", key), 403, "resource_not_bound");
        assertProblem(inBrand(brand, Method::Get, "/api/content-ops/events?brandId=" + other, key), 403, "resource_not_bound");
        // A narrowed key has no default either.
        assertProblem(get(key, "/api/content-ops/events"), 400, "brand_required");
    }

    void offersBrandsToNarrowKeysTo()
    {
        const auto first = newBrand(admin, "Acme Tea"), second = newBrand(admin, "Acme Coffee");
        auto& bindable = *host->context().services().provided<interfaces::BindableResources>();
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, bindable.list(admin, "brand", "acme", "", 10).size());
        CPPUNIT_ASSERT_EQUAL(first, bindable.list(admin, "brand", "tea", "", 10).at(0).id);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, bindable.list(admin, "brand", "", first, 10).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, bindable.list(admin, "brand", "", "", 1).size());
        CPPUNIT_ASSERT_EQUAL(std::string("Acme Coffee"), bindable.find(admin, "brand", second).value().label);
        CPPUNIT_ASSERT(!bindable.find(stranger, "brand", second));
        CPPUNIT_ASSERT(!bindable.find(admin, "brand", "nonsense"));
        CPPUNIT_ASSERT_THROW(bindable.list(admin, "host", "", "", 1), Problem);
        CPPUNIT_ASSERT_THROW(bindable.list(testing::userOf(admin.organizationId, {}), "brand", "", "", 1), Problem);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(BrandTest);

} // namespace portico::tests
