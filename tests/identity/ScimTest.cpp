#include "identity/IdentityHost.h"
#include "scim/NameKeys.h"
#include "support/Suite.h"

#include "portico/testing/FakeChannels.h"

#include <array>
#include <thread>

namespace portico::tests
{

/// Directory of an organization as a client of /scim/v2: accounts that it can and cannot affect.
class ScimTest : public Suite<ScimTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _host->createUser("admin@acme.example", "acme", "admin");
        _acme = _host->organizationId("acme");
        prove(_acme, "acme.example");
        _client = clientOf(_acme);
    }
    void tearDown() override { _host.reset(); }

    TEST(opensToTheOrganizationsClientAlone)
    {
        equal(200, get("/Users").status);
        equal(401, send({}, Method::Get, "/Users").status);
        auto other = _client;
        other.scopes.clear();
        equal(403, send(other, Method::Get, "/Users").status);
        equal(403, _host->call({.target = "/scim/v2/Users"}, _host->signIn("owner@acme.example", "identity")).status);
        // Admins do not make what provisions admins.
        _host->createUser("super@acme.example", "acme", "super_admin");
        _host->change("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, version, "
                      "created_at, updated_at) SELECT 'ovr_01arz3ndektsv4rrffq69g5fav', id, $1, 'identity.oauth_clients:manage', 'allow', "
                      "'', 'x', 1, 0, 0 FROM users WHERE email = 'admin@acme.example'",
                      {_acme});
        equal("role_above_own", client("admin@acme.example").code());
        equal(201, client("super@acme.example").status);
    }

    TEST(provisionsAPerson)
    {
        const auto made = post("/Users", R"({"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"Bea@acme.example",
            "externalId":"42","name":{"givenName":"Bea","familyName":"Bee"},"emails":[{"value":"bea@acme.example","primary":true}],
            "title":"Beekeeper","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Hives"}})");
        equal(201, made.status, made.body);
        equal("application/scim+json", made.contentType);
        equal(made.etag, made.at("/meta/version"));
        const auto path = "/Users/" + made.at("/id");
        equal("http://identity.localhost:8080/scim/v2" + path, made.at("/meta/location"));
        CHECK(made.headerBlock().find("Location: " + made.at("/meta/location")) != std::string::npos);
        const auto shown = get(path);
        equal(made.body, shown.body);
        equal("true", shown.at("/active"));
        equal("Hives", shown.at("/urn:ietf:params:scim:schemas:extension:enterprise:2.0:User/department"));
        equal("member", shown.at("/roles/0/value"));
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'bea@acme.example' AND status = 'active' AND "
                              "password_hash IS NULL AND display_name = 'Bea Bee' AND given_name = 'Bea'"));
        equal(2,
              _host->count(
                  "SELECT COUNT(*) FROM audit_events WHERE type IN ('user.created', 'membership.provisioned') AND actor_type = 'service'"));
        // The name of the account follows, what else is said stays with the organization.
        const auto changed = patch(path, R"([{"op":"replace","path":"name.familyName","value":"Beehive"},{"op":"remove","path":"title"},
            {"op":"replace","path":"displayName","value":"B. Beehive"}])");
        equal(200, changed.status, changed.body);
        CHECK(changed.etag != made.etag);
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE display_name = 'B. Beehive'"));
        const auto put = call(Method::Put, path, R"({"userName":"bea","emails":[{"value":"bea@acme.example"}]})");
        equal(200, put.status, put.body);
        CPPUNIT_ASSERT_THROW(put.at("/externalId"), std::out_of_range);
        equal("true", put.at("/active"));
        // A member from before the directory is managed like others.
        const auto owner = get("/Users/" + _owner);
        equal("owner@acme.example", owner.at("/userName"));
        equal(200, patch("/Users/" + _owner, R"([{"op":"add","path":"externalId","value":"1"}])").status);
    }

    TEST(suspendsAtOnce)
    {
        const auto id = _host->createUser("bea@acme.example", "acme", "member");
        const auto signedIn = _host->signIn("bea@acme.example");
        equal("ok", _host->verdict(signedIn));
        const auto suspended = patch("/Users/" + id, R"([{"op":"Replace","value":{"active":"False"}}])");
        equal("false", suspended.at("/active"), suspended.body);
        equal("session_ended", _host->verdict(signedIn));
        equal(1, sessionsEndedByDirectory(id));
        equal("membership_required",
              _host->login("bea@acme.example", IdentityHost::password, "desk", jsonWith(R"(,"organizationId":"$")", _acme)).code());
        // Once more changes nothing; back it is as before.
        equal(200, patch("/Users/" + id, R"([{"op":"replace","path":"active","value":false}])").status);
        equal("true", patch("/Users/" + id, R"([{"op":"replace","path":"active","value":true}])").at("/active"));
        equal("ok", _host->verdict(_host->signIn("bea@acme.example")));
        equal(2, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'membership.changed' AND "
                              "actor_type = 'service'"));
        const auto asleep = post("/Users", R"({"userName":"new@acme.example","active":false})");
        equal("false", asleep.at("/active"));
    }

    TEST(removesTheMembershipAndNotTheAccount)
    {
        const auto id = _host->createUser("bea@acme.example", "acme", "member");
        const auto signedIn = _host->signIn("bea@acme.example");
        const auto group = post("/Groups", jsonWith(R"({"displayName":"Keepers","members":[{"value":"$"}]})", id));
        equal(201, group.status, group.body);
        equal(204, call(Method::Delete, "/Users/" + id).status);
        equal(404, get("/Users/" + id).status);
        equal(404, call(Method::Delete, "/Users/" + id).status);
        equal("session_ended", _host->verdict(signedIn));
        equal(1, sessionsEndedByDirectory(id));
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'bea@acme.example' AND status = 'active'"));
        equal(0, _host->count("SELECT COUNT(*) FROM scim_group_members"));
        // A returning person keeps the account, and is new in the organization.
        const auto back = post("/Users", R"({"userName":"bea@acme.example"})");
        equal(id, back.at("/id"), back.body);
    }

    TEST(takesNoAccountOver)
    {
        const auto victim = _host->createUser("victim@bank.example", "bank", "owner");
        const auto unknown = post("/Users", R"({"userName":"nobody@bank.example"})");
        const auto known = post("/Users", R"({"userName":"victim@bank.example"})");
        equal(400, known.status);
        // The answer does not reveal whether the account exists.
        equal(unknown.body, known.body);
        equal("invalidValue", known.at("/scimType"));
        equal(404, get("/Users/" + victim).status);
        // A claimed domain that is not verified does not suffice.
        _host->change("UPDATE organization_domains SET status = 'pending'");
        equal(400, post("/Users", R"({"userName":"bea@acme.example"})").status);
        _host->change("UPDATE organization_domains SET status = 'verified'");
        for (const auto* bad : {R"({"userName":"bea"})", R"({"userName":"a@b@acme.example"})", R"({"userName":"@acme.example"})",
                                R"({"userName":"b ea@acme.example"})", R"({"userName":"bea","emails":[{"value":"bea@sub.acme.example"}]})",
                                R"({"userName":"bea@acme.example","emails":[{"value":"victim@bank.example","primary":true}]})"})
            equal(400, post("/Users", bad).status, bad);
        // The account of a member from another domain stays unchanged.
        const auto guest = _host->createUser("guest@bank.example", "acme", "guest");
        const auto renamed = patch("/Users/" + guest, R"([{"op":"replace","path":"displayName","value":"Taken"}])");
        equal(200, renamed.status, renamed.body);
        const auto moved =
            patch("/Users/" + guest, R"([{"op":"replace","path":"emails","value":[{"value":"mallory@acme.example","primary":true}]}])");
        equal("invalidValue", moved.at("/scimType"), moved.body);
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE display_name = 'Taken' OR "
                              "email_key = 'mallory@acme.example'"));
        // In the domain, but of another organization too: one account, joined.
        const auto shared = _host->createUser("shared@acme.example", "bank", "admin");
        equal(shared, post("/Users", R"({"userName":"shared@acme.example"})").at("/id"));
        equal(1, _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'admin' AND user_id = '" + shared + "'"));
    }

    TEST(nothingOfAnUnprovedRegistrationStays)
    {
        const auto registerAs = [&](const std::string& organization)
        {
            const TestRequest request{.method = Method::Post,
                                      .target = "/api/auth/register",
                                      .body = jsonWith(R"({"email":"bea@acme.example","displayName":"Mallory",)"
                                                       R"("password":"the strangers own","acceptTerms":true,"createOrganization":true,)"
                                                       R"("organizationName":"$",)"
                                                       R"("humanVerification":$})",
                                                       organization, _host->humanProof("register"))};
            equal(202, _host->call(request).status);
        };
        registerAs("Trap");
        // An expired registration is invalid, but still lists what it created.
        _host->context().clock().advance(std::chrono::hours(25));
        _host->context().jobs().runDue();
        registerAs("Snare");
        const auto token = _host->mailedToken("bea@acme.example");
        const auto made = post("/Users", R"({"userName":"bea@acme.example","name":{"formatted":"Bea Bee"}})");
        equal(201, made.status, made.body);
        equal("true", made.at("/active"));
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE id = '" + made.at("/id") +
                              "' AND display_name = 'Bea Bee' AND password_hash IS NULL AND email_verified"));
        equal(0, _host->count("SELECT COUNT(*) FROM organizations WHERE name IN ('Trap', 'Snare')"));
        equal("invalid_credentials", _host->login("bea@acme.example", "the strangers own").code());
        equal(
            410,
            _host->call({.method = Method::Post, .target = "/api/auth/email/verify", .body = jsonWith(R"({"token":"$"})", token)}).status);
        // Without an account that waits, they go.
        _host->context().clock().advance(std::chrono::hours(25));
        _host->context().jobs().runDue();
        equal(0, _host->count("SELECT COUNT(*) FROM one_time_tokens"));
    }

    TEST(namesAreOnceInAnOrganization)
    {
        equal(201, post("/Users", R"({"userName":"bea","emails":[{"value":"bea@acme.example"}]})").status);
        const auto again = post("/Users", R"({"userName":"BEA","emails":[{"value":"other@acme.example"}]})");
        equal(409, again.status);
        equal("uniqueness", again.at("/scimType"));
        // Rejects the address of another account, and the userName of an account without a separate one.
        equal(409, post("/Users", R"({"userName":"x","emails":[{"value":"bea@acme.example"}]})").status);
        equal(409, post("/Users", R"({"userName":"owner@acme.example","emails":[{"value":"o2@acme.example"}]})").status);
        const auto other = post("/Users", R"({"userName":"dan","emails":[{"value":"dan@acme.example"}]})");
        equal(409, patch("/Users/" + other.at("/id"), R"([{"op":"replace","path":"userName","value":"Bea"}])").status);
        equal(200, patch("/Users/" + other.at("/id"), R"([{"op":"replace","path":"userName","value":"DAN"}])").status);
        // userNames are unique per organization.
        _host->createUser("owner@bank.example", "bank", "owner");
        prove(_host->organizationId("bank"), "bank.example");
        const auto theirs = clientOf(_host->organizationId("bank"));
        equal(201, send(theirs, Method::Post, "/Users", R"({"userName":"bea","emails":[{"value":"b@bank.example"}]})").status);
    }

    TEST(aRenameReachesTheAccount)
    {
        const auto id =
            post("/Users", R"({"userName":"ann@acme.example","emails":[{"type":"work","value":"ann@acme.example"}]})").at("/id");
        const auto renamed = patch("/Users/" + id, R"([{"op":"Replace","path":"userName","value":"ann.lee@acme.example"},
            {"op":"Replace","path":"emails[type eq \"work\"].value","value":"ann.lee@acme.example"}])");
        equal(200, renamed.status, renamed.body);
        equal("ann.lee@acme.example", addressOf(id));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'user.email_changed' AND "
                              "actor_type = 'service' AND target = '" +
                              id + "'"));
        // The old name is free, for another person.
        const auto other = post("/Users", R"({"userName":"ann@acme.example","emails":[{"type":"work","value":"ann@acme.example"}]})");
        equal(201, other.status, other.body);
        CHECK(other.at("/id") != id);
        // By PUT, without a primary mark, and where the userName alone is the address.
        const auto put = call(Method::Put, "/Users/" + id,
                              R"({"userName":"ann","emails":[{"value":"a@acme.example"},{"type":"home","value":"a@home.example"}]})");
        equal(200, put.status, put.body);
        equal("a@acme.example", addressOf(id));
        const auto plain = post("/Users", R"({"userName":"bo@acme.example"})").at("/id");
        equal(200, patch("/Users/" + plain, R"([{"op":"replace","path":"userName","value":"bo.ek@acme.example"}])").status);
        equal("bo.ek@acme.example", addressOf(plain));
        // A private address beside it is no rename.
        equal(200,
              patch("/Users/" + plain, R"([{"op":"Replace","path":"emails[type eq \"home\"].value","value":"bo@home.example"}])").status);
        equal("bo.ek@acme.example", addressOf(plain));
        // An unconfirmed registration does not block the address.
        const TestRequest squat{.method = Method::Post,
                                .target = "/api/auth/register",
                                .body = jsonWith(R"({"email":"bo2@acme.example","displayName":"M","password":"the strangers own",)"
                                                 R"("acceptTerms":true,"humanVerification":$})",
                                                 _host->humanProof("register"))};
        equal(202, _host->call(squat).status);
        equal(200, patch("/Users/" + plain, R"([{"op":"replace","path":"userName","value":"bo2@acme.example"}])").status);
        equal("bo2@acme.example", addressOf(plain));
    }

    TEST(aRenameThatCannotReachTheAccountIsRefused)
    {
        const auto id = post("/Users", R"({"userName":"ann@acme.example"})").at("/id");
        _host->createUser("taken@acme.example", "bank", "member");
        const auto rename = [&](const std::string& person, const std::string& to)
        { return patch("/Users/" + person, jsonWith(R"([{"op":"replace","path":"userName","value":"$"}])", to)); };
        equal("invalidValue", rename(id, "ann@elsewhere.example").at("/scimType"));
        equal("uniqueness", rename(id, "taken@acme.example").at("/scimType"));
        // The directory would not find the person by the address that the account keeps.
        equal("invalidValue", rename(id, "ann").at("/scimType"));
        equal("ann@acme.example", get("/Users/" + id).at("/userName"));
        equal(403, patch("/Users/" + _owner, R"([{"op":"replace","path":"emails","value":[{"value":"o@acme.example"}]}])").status);
        _host->change("UPDATE organization_domains SET status = 'pending'");
        equal(400, rename(id, "ann.lee@acme.example").status);
        equal("ann@acme.example", addressOf(id));
    }

    TEST(keepsTheAddressOfOwnersOfOtherOrganizations)
    {
        const auto rename = [&](const std::string& person, const std::string& to)
        { return patch("/Users/" + person, jsonWith(R"([{"op":"replace","path":"userName","value":"$"}])", to)); };
        const auto banker = _host->createUser("banker@acme.example", "acme", "member");
        _host->createUser("banker@acme.example", "bank", "super_admin");
        const auto refused = patch("/Users/" + banker, R"([{"op":"replace","path":"emails","value":[{"value":"mallory@acme.example"}]}])");
        equal(403, refused.status, refused.body);
        equal("banker@acme.example", addressOf(banker));
        equal(0, _host->context().mailer().sent().size());
        // The old address is notified, and can take the account back.
        const auto ann = post("/Users", R"({"userName":"ann@acme.example"})").at("/id");
        equal(200, rename(ann, "mallory@acme.example").status);
        const auto token = _host->mailedToken("ann@acme.example");
        equal(
            200,
            _host->call({.method = Method::Post, .target = "/api/auth/email/verify", .body = jsonWith(R"({"token":"$"})", token)}).status);
        equal("ann@acme.example", addressOf(ann));
    }

    TEST(refusedRenameStillDeactivates)
    {
        _host->createUser("taken@acme.example", "bank", "member");
        int number = 0;
        for (const std::string to : {"x@elsewhere.example", "taken@acme.example", "owner@acme.example"})
        {
            const auto own = "p" + std::to_string(++number) + "@acme.example";
            const auto id = post("/Users", jsonWith(R"({"userName":"p-$","emails":[{"value":"$"}]})", to, own)).at("/id");
            const auto before = addressOf(id);
            const auto off = patch("/Users/" + id, jsonWith(R"([{"op":"Replace","path":"emails","value":[{"value":"$"}]},)"
                                                            R"({"op":"Replace","path":"userName","value":"$"},{"op":"Replace",)"
                                                            R"("path":"active","value":"False"}])",
                                                            to, to));
            equal(200, off.status, off.body);
            equal("false", off.at("/active"));
            // Rejected values are not shown.
            equal("p-" + to, off.at("/userName"));
            equal(before, off.at("/emails/0/value"));
            equal(before, addressOf(id));
        }
    }

    TEST(anOperationOfAnyFormKeepsNoPersonActive)
    {
        const auto id = post("/Users", R"({"userName":"ann@acme.example","title":"Cook"})").at("/id");
        for (const std::string bad :
             {R"({"value":{"title":"x"}})", R"({"op":null,"value":{"title":"x","nickName":"y"}})", R"({"path":"title"})", R"("x")", "7",
              R"({"op":"Move","path":"title","value":"x"})", R"({"op":"Move","value":{"title":"x"}})", R"({"op":"Remove"})",
              R"({"op":"Replace","path":"userName","value":""})", R"({"op":"Replace","path":"userName","value":null})",
              R"({"op":"Remove","path":"userName"})", R"({"op":"Replace","value":{"userName":null}})",
              R"({"op":"Replace","path":"userName","value":"ann"})", R"({"op":"Replace","path":"emails[","value":"x"})",
              R"({"op":"Replace","path":"name.givenName","value":5})", R"({"op":"Replace","path":"id","value":"x"})"})
        {
            equal(200, patch("/Users/" + id, R"([{"op":"Replace","path":"active","value":true}])").status);
            const auto off = patch("/Users/" + id, '[' + bad + R"(,{"op":"Replace","path":"active","value":"False"}])");
            equal(200, off.status, bad + off.body);
            equal("false", off.at("/active"), bad);
            equal("ann@acme.example", off.at("/userName"), bad);
            equal("Cook", off.at("/title"), bad);
        }
    }

    TEST(auditNamesWhatWasPassedOver)
    {
        const auto id = post("/Users", R"({"userName":"ann@acme.example"})").at("/id");
        equal(200, patch("/Users/" + id, R"([{"op":"Add","path":"urn:x:y:badge","value":"7"}])").status);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'scim.user_updated' AND "
                              "details LIKE '%urn:x:y:badge%'"));
        const auto group = post("/Groups", R"({"displayName":"Cooks"})").at("/id");
        equal(200, patch("/Groups/" + group, R"([{"op":"Add","path":"colour","value":"red"}])").status);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'scim.group_updated' AND details LIKE '%colour%'"));
    }

    TEST(namesOfAnEarlierVersionAreFoldedAgain)
    {
        const auto group = post("/Groups", R"({"displayName":"Ärzte"})").at("/id");
        const auto bea = post("/Users", R"({"userName":"Ünal","emails":[{"value":"u@acme.example"}]})").at("/id");
        _host->change("UPDATE scim_groups SET display_name_key = 'Ärzte'");
        _host->change("UPDATE scim_users SET user_name_key = 'Ünal'");
        identity::scim::refoldNames(_host->context().database());
        equal(group, get("/Groups?filter=displayName%20eq%20%22%C3%A4rzte%22").at("/Resources/0/id"));
        equal(bea, get("/Users?filter=userName%20eq%20%22%C3%BCNAL%22").at("/Resources/0/id"));
        equal(409, post("/Groups", R"({"displayName":"ÄRZTE"})").status);
        equal(409, post("/Users", R"({"userName":"ünal","emails":[{"value":"u2@acme.example"}]})").status);
        // Two of them that an earlier version kept apart stay two.
        const auto second = post("/Groups", R"({"displayName":"other"})").at("/id");
        _host->change("UPDATE scim_groups SET display_name = 'ärzte', display_name_key = 'ärztE' WHERE id = $1", {second});
        identity::scim::refoldNames(_host->context().database());
        equal("2", get("/Groups?count=0").at("/totalResults"));
    }

    /// Entra appends flags to every address.
    TEST(queriesOfDirectoriesAreTaken)
    {
        const std::string flag = "?aadOptscim062020";
        const auto made = post("/Users" + flag, R"({"userName":"ann@acme.example"})");
        equal(201, made.status, made.body);
        const auto path = "/Users/" + made.at("/id") + flag;
        equal(200, get(path).status);
        equal(200, patch(path, R"([{"op":"Replace","path":"title","value":"x"}])").status);
        equal(200, get("/ServiceProviderConfig" + flag).status);
        equal(200, post("/Users/.search" + flag, R"({"count":1})").status);
        equal(200, post("/Bulk" + flag, R"({"Operations":[{"method":"DELETE","path":"/Users/x"}]})").status);
        equal(204, call(Method::Delete, path).status);
    }

    TEST(findsPeople)
    {
        for (const std::string name : {"a", "b", "c"})
            equal(201, post("/Users", jsonWith(R"({"userName":"$","externalId":"X-$","title":"T",)"
                                               R"("emails":[{"value":"$@acme.example"}]})",
                                               name, name, name))
                           .status);
        const auto total = [&](const std::string& query) { return get("/Users?" + query).at("/totalResults"); };
        equal("5", total("count=0"));
        equal("1", total("filter=userName%20eq%20%22B%22"));
        equal("1", total("filter=userName%20eq%20%22OWNER@acme.example%22"));
        equal("1", total("filter=externalId%20eq%20%22X-c%22"));
        equal("0", total("filter=externalId%20eq%20%22x-c%22"));
        equal("1", total("filter=id%20eq%20%22" + _owner + "%22"));
        equal("3", total("filter=title%20eq%20%22t%22"));
        equal("0", total("filter=userName%20eq%20%22b%22%20and%20title%20ne%20%22T%22"));
        const auto page = get("/Users?startIndex=2&count=2&attributes=userName");
        equal("5", page.at("/totalResults"));
        equal("2", page.at("/itemsPerPage"));
        equal("2", page.at("/startIndex"));
        CPPUNIT_ASSERT_THROW(page.at("/Resources/0/meta"), std::out_of_range);
        const auto filtered = get("/Users?startIndex=3&count=9&filter=title%20pr");
        equal("3", filtered.at("/totalResults"));
        equal("1", filtered.at("/itemsPerPage"));
        const auto searched = post("/Users/.search", R"({"filter":"userName eq \"b\"","attributes":["userName"],"count":1})");
        equal("b", searched.at("/Resources/0/userName"), searched.body);
        equal("invalidFilter", post("/Users/.search", R"({"filter":5})").at("/scimType"));
        for (const auto* body : {R"({"count":"1"})", R"({"startIndex":1.5})"})
            equal("invalidValue", post("/Users/.search", body).at("/scimType"), body);
        equal(400, get("/Users?filter=userName%20is%20%22b%22").status);
        equal(400, get("/Users?count=many").status);
        equal("1", get("/Users?startIndex=-3&count=-1").at("/startIndex"));
        // Agents are no people of a directory.
        _host->change("UPDATE users SET principal_type = 'agent' WHERE email_key = 'a@acme.example'");
        equal("4", total("count=0"));
    }

    TEST(groupsGiveRoles)
    {
        const auto bea = post("/Users", R"({"userName":"bea@acme.example"})").at("/id");
        const auto dan = post("/Users", R"({"userName":"dan@acme.example"})").at("/id");
        const auto role = [&](const std::string& id) { return get("/Users/" + id).at("/roles/0/value"); };
        const auto plain = post("/Groups", jsonWith(R"({"displayName":"Keepers","members":[{"value":"$"}]})", bea));
        equal(201, plain.status, plain.body);
        equal("member", role(bea));
        equal(plain.at("/id"), get("/Users/" + bea).at("/groups/0/value"));
        const auto admins = post("/Groups", jsonWith(R"({"displayName":"Admin","externalId":"g1","members":[{"value":"$"}]})", bea));
        equal(201, admins.status, admins.body);
        equal("admin", role(bea));
        const auto guests = post("/Groups", jsonWith(R"({"displayName":"guest","members":[{"value":"$"},{"value":"$"}]})", bea, dan));
        // The highest of several.
        equal("admin", role(bea));
        equal("guest", role(dan));
        const auto path = "/Groups/" + admins.at("/id");
        patch(path, jsonWith(R"([{"op":"add","path":"members","value":[{"value":"$"}]}])", dan));
        equal("admin", role(dan));
        patch(path, jsonWith(R"([{"op":"remove","path":"members[value eq \"$\"]"}])", dan));
        equal("guest", role(dan));
        // A renamed group grants nothing; renamed back, it grants the role again.
        patch(path, R"([{"op":"replace","path":"displayName","value":"Bosses"}])");
        equal("guest", role(bea));
        patch(path, R"([{"op":"replace","value":{"id":"x","displayName":"ADMIN"}}])");
        equal("admin", role(bea));
        equal(204, call(Method::Delete, path).status);
        equal(204, call(Method::Delete, "/Groups/" + guests.at("/id")).status);
        equal("member", role(bea));
        equal("member", role(dan));
        // Leaving the groups restores the former role: a guest does not become a member.
        const auto gus = _host->createUser("gus@acme.example", "acme", "guest");
        const auto passing = jsonWith(R"({"displayName":"admin","members":[{"value":"$"}]})", gus);
        for (int i = 0; i < 2; ++i)
        {
            const auto group = "/Groups/" + post("/Groups", passing).at("/id");
            const auto lower = "/Groups/" + post("/Groups", R"({"displayName":"Member","members":[{"value":")" + gus + R"("}]})").at("/id");
            equal("admin", role(gus));
            equal(204, call(Method::Delete, group).status);
            equal("member", role(gus));
            equal(204, call(Method::Delete, lower).status);
            equal("guest", role(gus));
        }
        // Effective immediately for signed-in users.
        _host->change("UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $1) WHERE id = $2", {_owner, bea});
        const auto signedIn = _host->signIn("bea@acme.example", "identity");
        equal("member", _host->validate(signedIn, "identity")->role);
        const auto stream = _host->call({.target = "/api/auth/session-events"}, signedIn);
        post("/Groups", jsonWith(R"({"displayName":"admin","members":[{"value":"$"}]})", bea));
        equal("admin", _host->validate(signedIn, "identity")->role);
        CHECK(testing::FakeChannels::sentTo(*stream.live).find("event: principal\n") != std::string::npos);
    }

    TEST(groupsRestoreNoRoleOfAnEarlierMembership)
    {
        const auto role = [&](const std::string& id) { return get("/Users/" + id).at("/roles/0/value"); };
        const auto group = [&](std::string_view name, const std::string& id)
        { return "/Groups/" + post("/Groups", jsonWith(R"({"displayName":"$","members":[{"value":"$"}]})", name, id)).at("/id"); };
        const auto gus = _host->createUser("gus@acme.example", "acme", "admin");
        const auto guests = group("guest", gus);
        equal("guest", role(gus));
        equal(204, call(Method::Delete, "/Users/" + gus).status);
        equal(201, post("/Users", R"({"userName":"gus@acme.example"})").status);
        equal("member", role(gus));
        patch(guests, jsonWith(R"([{"op":"add","path":"members","value":[{"value":"$"}]}])", gus));
        equal("guest", role(gus));
        equal(204, call(Method::Delete, guests).status);
        equal("member", role(gus));
        // A role that a person gives stays when the member leaves the groups.
        const auto admins = group("admin", gus);
        equal("admin", role(gus));
        equal(200,
              _host
                  ->call(
                      {.method = Method::Patch, .target = "/api/organizations/" + _acme + "/members/" + gus, .body = R"({"role":"guest"})"},
                      _host->signIn("owner@acme.example", "identity"))
                  .status);
        equal(204, call(Method::Delete, admins).status);
        equal("guest", role(gus));
    }

    TEST(superAdminsAndOwnersAreOutOfReach)
    {
        const auto super = _host->createUser("super@acme.example", "acme", "super_admin");
        for (const auto& id : {_owner, super})
        {
            const auto off = patch("/Users/" + id, R"([{"op":"replace","path":"active","value":false}])");
            equal(403, off.status, off.body);
            equal(403, call(Method::Delete, "/Users/" + id).status);
            equal(403, call(Method::Put, "/Users/" + id, R"({"userName":"x","active":false})").status);
        }
        const auto group = post("/Groups", jsonWith(R"({"displayName":"guest","members":[{"value":"$"},{"value":"$"}]})", _owner, super));
        equal(201, group.status, group.body);
        equal("owner", get("/Users/" + _owner).at("/roles/0/value"));
        equal("super_admin", get("/Users/" + super).at("/roles/0/value"));
        // Groups grant no role above admin.
        const auto bea = post("/Users", R"({"userName":"bea@acme.example","roles":[{"value":"owner"}]})").at("/id");
        for (const std::string name : {"owner", "super_admin", "platform_admin"})
            equal(201, post("/Groups", jsonWith(R"({"displayName":"$","members":[{"value":"$"}]})", name, bea)).status);
        equal("member", get("/Users/" + bea).at("/roles/0/value"));
        // Provisioning into the admin organization must not activate a dormant platform role.
        _host->createUser("root@portico.example", "", "member", "platform_super_admin");
        const auto admin = _host->organizationId("admin");
        prove(admin, "portico.example");
        const auto dormant = _host->createUser("dormant@portico.example");
        _host->change("UPDATE users SET platform_role = 'platform_admin' WHERE id = $1", {dormant});
        const auto operators = clientOf(admin);
        equal(403, send(operators, Method::Post, "/Users", R"({"userName":"dormant@portico.example"})").status);
        // Operators cannot be suspended.
        const auto root = send(operators, Method::Get, "/Users?filter=userName%20eq%20%22root@portico.example%22").at("/Resources/0/id");
        equal(403, send(operators, Method::Delete, "/Users/" + root).status);
    }

    TEST(groupsHoldMembersOnly)
    {
        const auto stranger = _host->createUser("stranger@bank.example", "bank", "owner");
        for (const auto& value : {stranger, std::string("usr_01arz3ndektsv4rrffq69g5fav"), std::string("x")})
        {
            const auto refused = post("/Groups", jsonWith(R"({"displayName":"Keepers","members":[{"value":"$"}]})", value));
            equal(400, refused.status, refused.body);
        }
        // Nothing half done is left.
        equal("0", get("/Groups").at("/totalResults"));
        equal(201, post("/Groups", R"({"displayName":"Keepers","externalId":"e"})").status);
        equal(409, post("/Groups", R"({"displayName":"keepers"})").status);
        const auto found = get("/Groups?filter=displayName%20eq%20%22KEEPERS%22&excludedAttributes=members");
        equal("e", found.at("/Resources/0/externalId"));
        const auto path = "/Groups/" + found.at("/Resources/0/id");
        const auto put = call(Method::Put, path, jsonWith(R"({"displayName":"Hives","members":[{"value":"$"}]})", _owner));
        equal(_owner, put.at("/members/0/value"), put.body);
        equal("1", get("/Groups?filter=members.value%20eq%20%22" + _owner + "%22").at("/totalResults"));
        CPPUNIT_ASSERT_THROW(get(path + "?excludedAttributes=members").at("/members"), std::out_of_range);
        equal("1", post("/Groups/.search", R"({"filter":"displayName sw \"hi\""})").at("/totalResults"));
    }

    TEST(versionsGuardChanges)
    {
        const auto made = post("/Users", R"({"userName":"bea@acme.example"})");
        const auto path = "/Users/" + made.at("/id");
        const auto change = [&](const std::string& match, const std::string& title)
        {
            const auto body = jsonWith(R"({"Operations":[{"op":"add","path":"title","value":"$"}]})", title);
            return send(_client, Method::Patch, path, body, {{"If-Match", match}});
        };
        equal(200, change(made.etag, "one").status);
        const auto late = change(made.etag, "two");
        equal(412, late.status);
        equal("412", late.at("/status"));
        equal(200, change("*", "three").status);
        equal(200, change("\"x\", " + get(path).etag, "four").status);
        // Simulates a proxy that compresses and rewrites the ETag.
        auto tag = get(path).etag;
        equal(200, change(tag.insert(tag.size() - 1, "-gzip"), "five").status);
        equal(412, change(tag, "six").status);
        const auto group = post("/Groups", R"({"displayName":"G"})");
        const auto removed = send(_client, Method::Delete, "/Groups/" + group.at("/id"), {}, {{"If-Match", "W/\"7\""}});
        equal(412, removed.status);
    }

    TEST(bulkDoesSeveral)
    {
        const auto done = post("/Bulk", R"({"schemas":["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],"Operations":[
            {"method":"POST","path":"/Groups","bulkId":"g","data":{"displayName":"admin","members":[{"value":"bulkId:u"}]}},
            {"method":"POST","path":"/Users","bulkId":"u","data":{"userName":"bea@acme.example"}},
            {"method":"PATCH","path":"/Users/bulkId:u","data":{"Operations":[{"op":"add","path":"title","value":"Boss"}]}},
            {"method":"POST","path":"/Users","bulkId":"v","data":{"userName":"x@elsewhere.example"}},
            {"method":"DELETE","path":"/Users/bulkId:nobody"},
            {"method":"GET","path":"/Users/x"}]})");
        equal(200, done.status, done.body);
        for (const auto& [place, status] : std::vector<std::pair<std::string, std::string>>{
                 {"0", "201"}, {"1", "201"}, {"2", "200"}, {"3", "400"}, {"4", "409"}, {"5", "400"}})
            equal(status, done.at("/Operations/" + place + "/status"), done.body);
        equal("invalidValue", done.at("/Operations/3/response/scimType"));
        const auto bea = get("/Users?filter=userName%20eq%20%22bea@acme.example%22");
        equal("admin", bea.at("/Resources/0/roles/0/value"));
        equal("Boss", bea.at("/Resources/0/title"));
        equal(bea.at("/Resources/0/meta/location"), done.at("/Operations/1/location"));
        const auto stopped = post("/Bulk", R"({"failOnErrors":1,"Operations":[{"method":"DELETE","path":"/Users/x"},
            {"method":"POST","path":"/Users","bulkId":"w","data":{"userName":"late@acme.example"}}]})");
        CPPUNIT_ASSERT_THROW_MESSAGE(stopped.body, stopped.at("/Operations/1"), std::out_of_range);
        equal("0", get("/Users?filter=userName%20eq%20%22late@acme.example%22").at("/totalResults"));
        std::string many = R"({"Operations":[)";
        for (int i = 0; i < 501; ++i) many += std::string(i == 0 ? "" : ",") + R"({"method":"DELETE","path":"/Users/x"})";
        equal(413, post("/Bulk", many + "]}").status);
        equal(400, post("/Bulk", R"({"Operations":[{"method":"POST","path":"/Users","data":{}}]})").status);
    }

    TEST(saysWhatItIs)
    {
        const auto provider = get("/ServiceProviderConfig");
        equal("true", provider.at("/patch/supported"));
        equal("500", provider.at("/bulk/maxOperations"));
        equal("3", get("/Schemas").at("/totalResults"));
        equal("Group", get("/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group").at("/name"));
        equal(404, get("/Schemas/urn:x").status);
        equal(403, get("/Schemas?filter=name%20pr").status);
        equal("/Users", get("/ResourceTypes").at("/Resources/0/endpoint"));
        equal("Group", get("/ResourceTypes/Group").at("/id"));
    }

    TEST(refusesInItsOwnForm)
    {
        const auto expect = [](const TestAnswer& answer, int status)
        {
            equal(status, answer.status, answer.body);
            equal("application/scim+json", answer.contentType);
            equal(std::to_string(status), answer.at("/status"));
            equal("urn:ietf:params:scim:api:messages:2.0:Error", answer.at("/schemas/0"));
            CHECK(!answer.at("/detail").empty());
        };
        expect(_host->call({.target = "/scim/v2/Users"}), 401);
        expect(get("/Users/x"), 404);
        expect(get("/Groups/usr_01arz3ndektsv4rrffq69g5fav"), 404);
        expect(post("/Users", "no JSON"), 400);
        expect(post("/Users", "[]"), 400);
        expect(post("/Users", R"({"userName":"a\u0000@acme.example"})"), 400);
        expect(post("/Users", std::string(40, '[') + std::string(40, ']')), 400);
        const auto text = _host->call({.method = Method::Post,
                                       .target = "/scim/v2/Users",
                                       .body = "{}",
                                       .headers = {{"Content-Type", "text/plain"}},
                                       .caller = _client});
        expect(text, 415);
    }

    TEST(keepsToItsOrganization)
    {
        const auto stranger = _host->createUser("stranger@bank.example", "bank", "member");
        _host->createUser("owner@bank.example", "bank", "owner");
        prove(_host->organizationId("bank"), "bank.example");
        const auto theirs = clientOf(_host->organizationId("bank"));
        const auto group = send(theirs, Method::Post, "/Groups",
                                jsonWith(R"({"displayName":"admin",)"
                                         R"("members":[{"value":"$"}]})",
                                         stranger));
        equal(201, group.status);
        for (const auto& path : {"/Users/" + stranger, "/Groups/" + group.at("/id")})
        {
            equal(404, get(path).status);
            equal(404, call(Method::Delete, path).status);
            equal(404, call(Method::Put, path, R"({"userName":"x","displayName":"x"})").status);
            equal(404, patch(path, R"([{"op":"remove","path":"externalId"}])").status);
        }
        equal("0", get("/Groups").at("/totalResults"));
        equal("0", get("/Users?filter=id%20eq%20%22" + stranger + "%22").at("/totalResults"));
    }

    TEST(oneOfTwoAtOnceWins)
    {
        std::array<int, 2> statuses{};
        {
            const std::jthread one([&] { statuses[0] = post("/Users", R"({"userName":"bea@acme.example"})").status; });
            const std::jthread other([&] { statuses[1] = post("/Users", R"({"userName":"bea@acme.example"})").status; });
        }
        equal(201 + 409, statuses[0] + statuses[1]);
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email_key = 'bea@acme.example'"));
    }

    /// Counts entries whose actor is the directory's client, not the user.
    std::int64_t sessionsEndedByDirectory(const std::string& user) const
    {
        return _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_type = 'service' AND "
                            "actor_id = 'cli_directory' AND details LIKE '%" +
                            user + "%'");
    }
    std::string addressOf(const std::string& id) const
    {
        auto session = _host->context().database().session();
        return session.value<std::string>("SELECT email FROM users WHERE id = $1 AND email_key = email AND email_verified", id)
            .value_or("none");
    }
    TestAnswer client(const std::string& email) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/api/oauth-clients",
                            .body = R"({"name":"Directory","grant_types":["client_credentials"],"scopes":["scim"]})"},
                           _host->signIn(email, "identity"));
    }
    /// Returns the caller of such a client's token.
    static Caller clientOf(const std::string& organization)
    {
        Caller caller;
        caller.credential = CredentialKind::AccessToken;
        caller.principalId = caller.clientId = "cli_directory";
        caller.principalType = "service";
        caller.organizationId = organization;
        caller.scopes = {"scim"};
        caller.serviceId = "identity";
        return caller;
    }
    void prove(const std::string& organization, const std::string& domain) const
    {
        _host->change("INSERT INTO organization_domains (organization_id, domain, status, token, verified_at, version, created_at, "
                      "updated_at) VALUES ($1, $2, 'verified', 'x', 0, 1, 0, 0)",
                      {organization, domain});
    }
    TestAnswer send(const Caller& client, Method method, const std::string& path, const std::string& body = {},
                    std::vector<std::pair<std::string, std::string>> headers = {}) const
    {
        headers.emplace_back("Content-Type", "application/scim+json");
        return _host->call({.method = method, .target = "/scim/v2" + path, .body = body, .headers = std::move(headers), .caller = client});
    }
    TestAnswer call(Method method, const std::string& path, const std::string& body = {}) const
    {
        return send(_client, method, path, body);
    }
    TestAnswer get(const std::string& path) const { return call(Method::Get, path); }
    TestAnswer post(const std::string& path, const std::string& body) const { return call(Method::Post, path, body); }
    TestAnswer patch(const std::string& path, const std::string& operations) const
    {
        return call(Method::Patch, path,
                    jsonWith(R"({"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":$})", operations));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _acme;
    Caller _client;
};

} // namespace portico::tests
