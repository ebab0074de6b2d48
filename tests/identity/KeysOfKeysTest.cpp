#include "identity/KeysFixture.h"

#include "catalog/CatalogStore.h"
#include "keys/KeyActor.h"

namespace portico::tests
{

/// API keys that make and change others: nothing that they make is wider than they are.
class KeysOfKeysTest : public Suite<KeysOfKeysTest, KeysFixture>
{
    TEST(managesKeysWithAKey)
    {
        elevate(_ownerToken);
        const auto manager = make(_ownerToken, organizationKey(R"(["api_keys.write","tickets.read"])"));
        const auto key = manager.at("/key");
        const auto made = make(key, organizationKey(R"(["tickets.read"])"));
        equal(201, made.status);
        equal(manager.at("/apiKey/id"), made.at("/apiKey/createdBy"));
        equal("scope_exceeds_own_rights", make(key, organizationKey(R"(["tickets.write"])")).code());
        equal("permission_denied", make(key, userKey(_member)).code());
        const auto wider = make(_ownerToken, organizationKey(R"(["tickets.read","tickets.write"])")).at("/apiKey/id");
        equal(404, show(key, wider).status);
        equal("scope_exceeds_own_rights", revoke(key, wider).code());
        equal(204, revoke(key, made.at("/apiKey/id")).status);
        // A key without the scope opens none of these rows.
        const auto plain = make(_memberToken, userKey(_member)).at("/key");
        equal("insufficient_scope", make(plain, userKey(_member)).code());
    }

    TEST(keepsKeysOfAKeyWithinItsResources)
    {
        const auto bound = [](std::string_view id) { return jsonWith(R"(,"resources":[{"type":"queue","id":"$"}])", id); };
        const auto manager = makeManager(bound(queue)).at("/key");
        equal(201, make(manager, organizationKey(readTickets, {}, bound(queue))).status);
        expectWider(make(manager, organizationKey(readTickets)));
        expectWider(make(manager, organizationKey(readTickets, {}, bound(otherQueue))));
        const auto unbound = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        equal(404, show(manager, unbound).status);
        expectWider(rotate(manager, unbound));
        expectWider(patch(manager, unbound, R"({"name":"x"})"));
        const auto elsewhere = make(_ownerToken, organizationKey(readTickets, {}, bound(otherQueue))).at("/apiKey/id");
        expectWider(rotate(manager, elsewhere));
        const auto sibling = make(_ownerToken, organizationKey(readTickets, {}, bound(queue))).at("/apiKey/id");
        expectWider(patch(manager, sibling, R"({"grants":[{"service_id":"desk","scopes":["tickets.read"]}]})"));
        equal(201, rotate(manager, sibling).status);
    }

    TEST(keepsKeysOfAKeyWithinItsAddresses)
    {
        const auto from = [](std::string_view list) { return jsonWith(R"("ipAllowList":$)", list); };
        const auto child = [&](std::string_view list) { return organizationKey(readTickets, ',' + from(list)); };
        const auto made = makeManager({}, ',' + from(R"(["192.0.2.0/24","2001:db8::/32"])"));
        const auto manager = made.at("/key");
        const auto self = made.at("/apiKey/id");
        equal(201, make(manager, child(R"(["192.0.2.0/25","2001:db8:1::1"])")).status);
        for (const auto* list : {"[]", R"(["192.0.2.0/23"])", R"(["0.0.0.0/0"])", R"(["192.0.2.1","198.51.100.1"])",
                                 R"(["::ffff:192.0.2.1"])", R"(["2001:db8::/31"])"})
            expectWider(make(manager, child(list)));
        // Absent values are taken from the creating key.
        equal(R"(["192.0.2.0/24","2001:db8::/32"])", make(manager, organizationKey(readTickets)).at("/apiKey/ipAllowList"));
        for (const auto* list : {"[]", R"(["192.0.2.0/23"])", R"(["192.0.2.0/24","2001:db8::/32","198.51.100.1"])"})
            expectWider(patch(manager, self, '{' + from(list) + '}'));
        equal(200, patch(manager, self, '{' + from(R"(["192.0.2.0/25"])") + '}').status);
        expectWider(patch(manager, self, '{' + from(R"(["192.0.2.0/24"])") + '}'));

        const auto sibling = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        expectWider(rotate(manager, sibling));
        expectWider(patch(manager, sibling, '{' + from(R"(["198.51.100.1"])") + '}'));
        equal(200, patch(manager, sibling, R"({"name":"renamed","status":"active"})").status);
        equal(200, patch(manager, sibling, '{' + from(R"(["192.0.2.1"])") + '}').status);
        expectWider(patch(manager, sibling, '{' + from(R"(["192.0.2.1","192.0.2.2"])") + '}'));
        equal(201, rotate(manager, sibling).status);
        // People do as they like.
        equal(200, patch(_ownerToken, self, '{' + from("[]") + '}').status);
    }

    TEST(keepsKeysOfAKeyWithinItsRate)
    {
        const auto made = makeManager({}, rate(60, 60));
        const auto manager = made.at("/key");
        const auto self = made.at("/apiKey/id");
        const auto child = [&](const std::string& more) { return make(manager, organizationKey(readTickets, more)); };
        equal(201, child(rate(60, 60)).status);
        equal(201, child(rate(10, 60)).status);
        expectWider(child(rate(61, 60)));
        expectWider(child(rate(60, 59)));
        // Slower, but more at once.
        expectWider(child(rate(600, 3600)));
        equal("60", child({}).at("/apiKey/rateLimit/limit"));
        equal("60", child(R"(,"rateLimit":null)").at("/apiKey/rateLimit/limit"));
        const auto change = [&](const std::string& credential, const std::string& id, const std::string& more)
        { return patch(credential, id, jsonWith(R"({"name":"x"$})", more)); };
        expectWider(change(manager, self, rate(61, 60)));
        expectWider(change(manager, self, R"(,"rateLimit":null)"));
        equal(200, change(manager, self, rate(30, 60)).status);
        expectWider(change(manager, self, rate(60, 60)));

        const auto sibling = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        expectWider(rotate(manager, sibling));
        expectWider(change(manager, sibling, rate(31, 60)));
        equal(200, change(manager, sibling, {}).status);
        equal(200, change(manager, sibling, rate(10, 60)).status);
        expectWider(change(manager, sibling, rate(20, 60)));
        equal(201, rotate(manager, sibling).status);
        equal(200, change(_ownerToken, self, rate(6000, 60)).status);
    }

    TEST(takesTheHostsRateForAKeyWithoutOne)
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"limits.requestsPerMinute", "100"}});
        signIn();
        const auto made = makeManager();
        const auto manager = made.at("/key");
        equal(201, make(manager, organizationKey(readTickets, rate(100, 60))).status);
        expectWider(make(manager, organizationKey(readTickets, rate(101, 60))));
        expectWider(patch(manager, made.at("/apiKey/id"), jsonWith(R"({"name":"x"$})", rate(101, 60))));
        // A wider rate than the host's is not passed on without a word.
        const auto fast = makeManager({}, rate(1000, 60)).at("/key");
        equal("null", make(fast, organizationKey(readTickets)).at("/apiKey/rateLimit"));
        equal(201, make(fast, organizationKey(readTickets, rate(1000, 60))).status);
    }

    TEST(keepsKeysOfAKeyWithinItsLife)
    {
        const auto until = [&](int days)
        { return jsonWith(R"(,"expiresAt":"$")", toString(_host->context().clock().now() + std::chrono::hours(24 * days))); };
        const auto made = makeManager({}, until(10));
        const auto manager = made.at("/key");
        const auto end = made.at("/apiKey/expiresAt");
        const auto child = [&](const std::string& credential, const std::string& more)
        { return make(credential, organizationKey(readTickets, more)); };
        equal(201, child(manager, until(9)).status);
        expectWider(child(manager, until(11)));
        expectWider(child(manager, R"(,"expiresAt":null)"));
        equal(end, child(manager, {}).at("/apiKey/expiresAt"));
        const auto endless = child(_ownerToken, R"(,"expiresAt":null)").at("/apiKey/id");
        equal(end, rotate(manager, endless).at("/apiKey/expiresAt"));
        const auto yearly = child(_ownerToken, {}).at("/apiKey/id");
        equal(end, rotate(manager, yearly).at("/apiKey/expiresAt"));

        // By rotating itself a key does not live on.
        _host->context().clock().advance(std::chrono::hours(24 * 5));
        const auto rotated = rotate(manager, made.at("/apiKey/id"));
        equal(201, rotated.status);
        equal(end, rotated.at("/apiKey/expiresAt"));
        // The old key expires with its overlap, and limits the expiry of keys that it creates.
        equal(rotated.at("/previous/overlapEndsAt"), child(manager, {}).at("/apiKey/expiresAt"));
        expectWider(child(manager, until(2)));

        const auto token = _host->signIn("owner@acme.example");
        elevate(token);
        const auto forever = make(token, managerKey({}, R"(,"expiresAt":null)")).at("/key");
        equal("null", child(forever, R"(,"expiresAt":null)").at("/apiKey/expiresAt"));
    }

    TEST(keepsKeysOfAKeyOfItsKind)
    {
        const auto kind = [](std::string_view name) { return jsonWith(R"(,"environment":"$")", name); };
        const auto tester = makeManager({}, kind("test")).at("/key");
        expectWider(make(tester, organizationKey(readTickets)));
        expectWider(make(tester, organizationKey(readTickets, kind("live"))));
        const auto made = make(tester, organizationKey(readTickets, kind("test")));
        equal(201, made.status);
        const auto live = make(_ownerToken, organizationKey(readTickets)).at("/apiKey/id");
        equal(404, show(tester, live).status);
        expectWider(rotate(tester, live));
        expectWider(revoke(tester, live));
        expectWider(patch(tester, live, R"({"status":"disabled"})"));
        const auto manager = makeManager().at("/key");
        equal(201, rotate(manager, made.at("/apiKey/id")).status);
        equal(201, make(manager, organizationKey(readTickets, kind("test"))).status);
    }

    TEST(leavesDisabledKeysToPeople)
    {
        const auto manager = makeManager().at("/key");
        const auto made = make(_ownerToken, organizationKey(readTickets));
        const auto id = made.at("/apiKey/id");
        const auto enable = [&](const std::string& credential) { return patch(credential, id, R"({"status":"active"})"); };
        equal(200, patch(_ownerToken, id, R"({"status":"disabled"})").status);
        expectWider(enable(manager));
        equal("conflict", rotate(manager, id).code());
        equal(200, patch(manager, id, R"({"name":"still disabled"})").status);
        equal("key_disabled", _host->verdict(made.at("/key")));
        equal(200, enable(_ownerToken).status);
        equal("ok", _host->verdict(made.at("/key")));
        // A key cannot revert its own restrictions, because it may have been stolen since.
        equal(200, patch(manager, id, R"({"status":"disabled"})").status);
        expectWider(enable(manager));
    }

    /// The key ends after it was authenticated and before the requested change begins.
    TEST(keyThatEndedDuringTheRequestMakesNothing)
    {
        auto& database = _host->context().database();
        identity::Changes changes(_host->context());
        identity::CatalogStore catalog(database, changes);
        const identity::Settings settings(_host->context().config());
        const auto rows = catalog.snapshot();
        const auto made = makeManager();
        const auto caller = _host->validate(made.at("/key"), "desk", false);
        const auto act = [&](Transaction& transaction)
        { identity::KeyActor(transaction, *rows, settings, *caller, _host->context().clock().now()); };
        database.transact(act);
        for (const auto* status : {"disabled", "revoked"})
        {
            _host->change("UPDATE api_keys SET status = $2 WHERE id = $1", {made.at("/apiKey/id"), status});
            CPPUNIT_ASSERT_THROW(database.transact(act), Problem);
        }
    }
};

} // namespace portico::tests
