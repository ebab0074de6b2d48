#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Messages to people.
class LaunchpadNotificationTest : public Suite<LaunchpadNotificationTest, LaunchpadFixture>
{
    testing::TestAnswer send(const std::string& members) const
    {
        return post(newKey({"notifications.write"}), "/api/notifications", jsonWith(R"({"title":"Hello",$})", members));
    }
    std::string unread(const Caller& caller) const { return get(caller, "/api/notifications").at("/unread"); }

    TEST(notifiesAMemberOnce)
    {
        const auto to = jsonWith(R"("userId":"$","href":"/apps","severity":"warning","dedupeKey":"a")", member.principalId);
        const auto first = send(to);
        equal(201, first.status, first.body);
        equal("1", first.at("/created"));
        equal("0", made(send(to)).at("/created"));
        const auto list = get(member, "/api/notifications?unread=true");
        equal(1, list.count("/items"));
        equal("warning", list.at("/items/0/severity"));
        equal("0", unread(personal(member)));
        equal("0", unread(admin));
    }

    TEST(notifiesAllWithARole)
    {
        equal("4", made(send(R"("role":"member")")).at("/created"));
        for (const auto* caller : {&owner, &superAdmin, &admin, &member}) equal("1", unread(*caller));
        refused(get(guest, "/api/notifications"), 403, "permission_denied");
    }

    TEST(marksAsRead)
    {
        for (const auto* key : {"a", "b", "c"}) made(send(jsonWith(R"("userId":"$","dedupeKey":"$")", member.principalId, key)));
        const auto id = get(member, "/api/notifications").at("/items/0/id");
        refused(post(admin, "/api/notifications/" + id + "/read"), 404, "not_found");
        refused(post(stranger, "/api/notifications/" + id + "/read"), 404, "not_found");
        equal(204, post(member, "/api/notifications/" + id + "/read").status);
        equal(204, post(member, "/api/notifications/" + id + "/read").status);
        equal("2", unread(member));
        equal(1, get(member, "/api/notifications?unread=false").count("/items"));
        equal(204, post(member, "/api/notifications/read-all").status);
        equal("0", unread(member));
    }

    TEST(refusesNotifications)
    {
        for (const auto* members : {R"("role":"king")", R"("userId":"usr_nobody")", R"("userId":"a","role":"admin")", R"("href":"/a")",
                                    R"("role":"admin","href":"https://evil.example")", R"("role":"admin","severity":"loud")"})
            refused(send(members), 400, "validation_failed");
        refused(send(jsonWith(R"("role":"admin","organizationId":"$")", stranger.organizationId)), 404, "not_found");
        refused(post(newKey({"notifications.read"}), "/api/notifications", R"({"title":"x","role":"admin"})"), 403, "insufficient_scope");
    }

    TEST(removesOldOnes)
    {
        made(send(R"("role":"member")"));
        advance(std::chrono::days(89));
        host->context().jobs().runDue();
        equal("1", unread(member));
        advance(std::chrono::days(2));
        host->context().jobs().runDue();
        equal("0", unread(member));
    }
};

} // namespace portico::tests
