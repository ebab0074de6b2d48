#include "social/SocialFixture.h"

#include <string>

namespace portico::tests
{

/// Brands of an organization, and which of them a request is about.
class BrandTest : public Suite<BrandTest, SocialFixture>
{
    TEST(makesABrandWithDefaults)
    {
        const auto brand = post(admin, "/api/brands", R"({"name":"  Acme Café  "})");
        equal(201, brand.status);
        equal("Acme Café", brand.at("/name"));
        equal("acme-cafe", brand.at("/slug"));
        equal("UTC", brand.at("/timeZone"));
        equal(R"({"required":false,"steps":1,"allowSelfApproval":false})", brand.at("/approvalPolicy"));
        equal("120", brand.at("/latePublishGraceMinutes"));
        equal("24", brand.at("/deckHalfLifeHours"));
        equal("[]", brand.at("/slotPlan"));
        equal("null", brand.at("/avatarMediaId"));
        equal(admin.organizationId, brand.at("/organizationId"));
        equal(admin.principalId, brand.at("/createdBy"));
        equal("admin", brand.at("/role"));
        equal("1", brand.at("/version"));
        const auto read = get(member, "/api/brands/" + brand.at("/brandId"));
        equal(200, read.status);
        equal("member", read.at("/role"));
        CHECK(!read.has("/nameFolded"));
    }

    TEST(makesSlugsOfNames)
    {
        const auto slugOf = [this](const std::string& name)
        { return made(post(admin, "/api/brands", jsonWith(R"({"name":"$"})", name))).at("/slug"); };
        equal("acme", slugOf("Acme"));
        equal("acme-2", slugOf("ACME!"));
        equal("acme-3", slugOf("--acme--"));
        equal("brand", slugOf("日本語"));
        equal("brand-2", slugOf("한국어"));
        CHECK(slugOf(std::string(120, 'x')).size() <= 60);
        CHECK(slugOf(std::string(120, 'x')).size() <= 60);
    }

    TEST(refusesASlugThatIsTaken)
    {
        made(post(admin, "/api/brands", R"({"name":"One","slug":"one"})"));
        const auto second = made(post(admin, "/api/brands", R"({"name":"Two","slug":"two"})")).at("/brandId");
        refused(post(admin, "/api/brands", R"({"name":"Other","slug":"one"})"), 409, "conflict");
        refused(patch(admin, "/api/brands/" + second, R"({"slug":"one"})"), 409, "conflict");
        equal("two", made(patch(admin, "/api/brands/" + second, R"({"slug":"two"})")).at("/slug"));
        // Another organization has its own slugs.
        equal(201, post(stranger, "/api/brands", R"({"name":"One","slug":"one"})").status);
    }

    TEST(refusesWrongMembers)
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
            refused(post(admin, "/api/brands", body), 400, "validation_failed");
        refused(post(admin, "/api/brands", jsonWith(R"({"name":"$"})", std::string(121, 'x'))), 400, "validation_failed");
        refused(post(admin, "/api/brands", R"({"name":"A","colour":"red"})"), 400, "unknown_field");
        refused(post(admin, "/api/brands", jsonWith(R"({"name":"A","organizationId":"$"})", stranger.organizationId)), 404, "not_found");
        equal(0, get(admin, "/api/brands").count("/items"));
    }

    TEST(changesMembersByMerge)
    {
        const auto target = "/api/brands/" + newBrand(admin);
        const auto changed = made(patch(admin, target,
                                        R"({"name":"Bravo","timeZone":"Europe/Berlin","language":"de-CH","approvalPolicy":{"required":true},
                                            "slotPlan":[{"weekday":1,"time":"09:00"},{"weekday":7,"time":"23:59"}]})"));
        equal("2", changed.at("/version"));
        equal(R"({"required":true,"steps":1,"allowSelfApproval":false})", changed.at("/approvalPolicy"));
        equal("acme-coffee", changed.at("/slug"));
        // An answer can be sent back, and changes nothing.
        equal("2", made(patch(admin, target, changed.body)).at("/version"));
        testing::TestRequest stale{Method::Patch, target, R"({"name":"C"})", {{"If-Match", "\"1\""}}, admin};
        refused(host->call(stale), 412, "version_conflict");
        refused(patch(admin, target, R"({"avatarMediaId":"med_01jd0000000000000000000000"})"), 400, "validation_failed");
        for (const auto* body : {R"({"timeZone":null})", R"({"timeZone":""})", R"({"language":null})", R"({"slug":null})", R"({"slug":""})",
                                 R"({"name":null})"})
            refused(patch(admin, target, body), 400, "validation_failed");
        const auto events = get(admin, "/api/content-ops/events?kind=brand.updated");
        equal(1, events.count("/items"));
        equal("name", events.at("/items/0/changes/0/field"));
        equal("Acme Coffee", events.at("/items/0/changes/0/from"));
        equal("Bravo", events.at("/items/0/changes/0/to"));
        equal(5, events.count("/items/0/changes"));
    }

    TEST(listsByNameAndWords)
    {
        for (const auto* name : {"Zebra", "äpfel & Co", "Bravo"}) newBrand(admin, name);
        const auto all = get(member, "/api/brands?include=total&organizationId=" + admin.organizationId);
        equal("3", all.at("/total"));
        equal("äpfel & Co", all.at("/items/0/name"));
        equal("Zebra", all.at("/items/2/name"));
        equal("member", all.at("/items/0/role"));
        equal(1, get(member, "/api/brands?q=APFEL%20co").count("/items"));
        equal(0, get(member, "/api/brands?q=%25").count("/items"));
        const auto first = get(member, "/api/brands?limit=2");
        equal(2, first.count("/items"));
        equal("Zebra", get(member, "/api/brands?limit=2&cursor=" + first.at("/nextCursor")).at("/items/0/name"));
        refused(get(member, "/api/brands?slug=a"), 400, "unknown_parameter");
        refused(get(member, "/api/brands?organizationId=" + stranger.organizationId), 404, "not_found");
    }

    TEST(hidesBrandsOfOthers)
    {
        const auto brand = newBrand(admin);
        refused(get(stranger, "/api/brands/" + brand), 404, "not_found");
        refused(patch(stranger, "/api/brands/" + brand, R"({"name":"Mine"})"), 404, "not_found");
        equal(0, get(stranger, "/api/brands").count("/items"));
        auto personal = admin;
        personal.organizationId.clear();
        refused(get(personal, "/api/brands"), 403, "service_access_denied");
    }

    TEST(stopsAtTwoHundred)
    {
        for (int i = 0; i < 199; ++i) newBrand(admin, "Brand " + std::to_string(i));
        newBrand(admin, "The last one");
        refused(post(admin, "/api/brands", R"({"name":"One more"})"), 409, "conflict");
        newBrand(stranger);
    }

    TEST(choosesTheBrandOfABearer)
    {
        refused(get(member, "/api/content-ops/events"), 400, "brand_required");
        const auto brand = newBrand(admin);
        equal(brand, get(member, "/api/content-ops/events").at("/items/0/brandId"));
        const auto other = newBrand(admin, "Other");
        refused(get(member, "/api/content-ops/events"), 400, "brand_required");
        equal(other, get(member, "/api/content-ops/events?brandId=" + other).at("/items/0/brandId"));
        equal(other, inBrand(other, Method::Get, "/api/content-ops/events", member).at("/items/0/brandId"));
        equal(200, inBrand(other, Method::Get, "/api/content-ops/events?brandId=" + other, member).status);
        refused(inBrand(other, Method::Get, "/api/content-ops/events?brandId=" + brand, member), 400, "brand_mismatch");
        for (const auto* unknown : {"brd_01jd0000000000000000000000", "nonsense", "%20"})
            refused(get(member, "/api/content-ops/events?brandId=" + std::string(unknown)), 404, "not_found");
        refused(inBrand(brand, Method::Get, "/api/content-ops/events", stranger), 404, "not_found");
    }

    TEST(choosesTheBrandOfAKey)
    {
        const auto brand = newBrand(admin);
        const auto key = newKey(admin.organizationId);
        refused(get(key, "/api/content-ops/events"), 400, "brand_required");
        equal(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        refused(inBrand(brand, Method::Get, "/api/content-ops/events", newKey(stranger.organizationId)), 404, "not_found");
        refused(inBrand(brand, Method::Get, "/api/content-ops/events", newKey(admin.organizationId, {"posts.read"})), 403,
                "insufficient_scope");
        refused(inBrand(brand, Method::Get, "/api/content-ops/events/verify", key), 403, "bearer_required");
        refused(get(key, "/api/brands"), 403, "bearer_required");
    }

    TEST(narrowsKeysToBrands)
    {
        const auto brand = newBrand(admin), other = newBrand(admin, "Other");
        auto key = newKey(admin.organizationId);
        key.boundResources["brand"] = {brand};
        equal(200, inBrand(brand, Method::Get, "/api/content-ops/events", key).status);
        for (const auto& elsewhere : {other, std::string("brd_01jd0000000000000000000000"), std::string("nonsense")})
            refused(inBrand(elsewhere, Method::Get, "/api/content-ops/events", key), 403, "resource_not_bound");
        refused(inBrand(brand, Method::Get, "/api/content-ops/events?brandId=" + other, key), 403, "resource_not_bound");
        // A narrowed key has no default either.
        refused(get(key, "/api/content-ops/events"), 400, "brand_required");
    }

    TEST(offersBrandsToNarrowKeysTo)
    {
        const auto first = newBrand(admin, "Acme Tea"), second = newBrand(admin, "Acme Coffee");
        auto& bindable = *host->context().services().provided<interfaces::BindableResources>();
        equal(2, bindable.list(admin, "brand", "acme", "", 10).size());
        equal(first, bindable.list(admin, "brand", "tea", "", 10).at(0).id);
        equal(1, bindable.list(admin, "brand", "", first, 10).size());
        equal(1, bindable.list(admin, "brand", "", "", 1).size());
        equal("Acme Coffee", bindable.find(admin, "brand", second).value().label);
        CHECK(!bindable.find(stranger, "brand", second));
        CHECK(!bindable.find(admin, "brand", "nonsense"));
        CPPUNIT_ASSERT_THROW(bindable.list(admin, "host", "", "", 1), Problem);
        CPPUNIT_ASSERT_THROW(bindable.list(testing::userOf(admin.organizationId, {}), "brand", "", "", 1), Problem);
    }
};

} // namespace portico::tests
