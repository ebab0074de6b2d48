#include "launchpad/LaunchpadFixture.h"

#include <string>

namespace portico::tests
{

/// Messages to people.
class LaunchpadNotificationTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadNotificationTest);
    CPPUNIT_TEST(notifiesAMemberOnce);
    CPPUNIT_TEST(notifiesAllWithARole);
    CPPUNIT_TEST(marksAsRead);
    CPPUNIT_TEST(refusesNotifications);
    CPPUNIT_TEST(removesOldOnes);
    CPPUNIT_TEST_SUITE_END();

public:
    testing::TestAnswer send(const std::string& members) const
    {
        return post(newKey({"notifications.write"}), "/api/notifications", R"({"title":"Hello",)" + members + '}');
    }
    std::string unread(const Caller& caller) const { return get(caller, "/api/notifications").at("/unread"); }

    void notifiesAMemberOnce()
    {
        const auto to = R"("userId":")" + member.principalId + R"(","href":"/apps","severity":"warning","dedupeKey":"a")";
        const auto first = send(to);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 201, first.status);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), first.at("/created"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), made(send(to)).at("/created"));
        const auto list = get(member, "/api/notifications?unread=true");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("warning"), list.at("/items/0/severity"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), unread(personal(member)));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), unread(admin));
    }

    void notifiesAllWithARole()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("4"), made(send(R"("role":"member")")).at("/created"));
        for (const auto* caller : {&owner, &superAdmin, &admin, &member}) CPPUNIT_ASSERT_EQUAL(std::string("1"), unread(*caller));
        assertProblem(get(guest, "/api/notifications"), 403, "permission_denied");
    }

    void marksAsRead()
    {
        for (const auto* key : {"a", "b", "c"}) made(send(R"("userId":")" + member.principalId + R"(","dedupeKey":")" + key + '"'));
        const auto id = get(member, "/api/notifications").at("/items/0/id");
        assertProblem(post(admin, "/api/notifications/" + id + "/read"), 404, "not_found");
        assertProblem(post(stranger, "/api/notifications/" + id + "/read"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(204, post(member, "/api/notifications/" + id + "/read").status);
        CPPUNIT_ASSERT_EQUAL(204, post(member, "/api/notifications/" + id + "/read").status);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), unread(member));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(member, "/api/notifications?unread=false").count("/items"));
        CPPUNIT_ASSERT_EQUAL(204, post(member, "/api/notifications/read-all").status);
        CPPUNIT_ASSERT_EQUAL(std::string("0"), unread(member));
    }

    void refusesNotifications()
    {
        for (const auto* members : {R"("role":"king")", R"("userId":"usr_nobody")", R"("userId":"a","role":"admin")", R"("href":"/a")",
                                    R"("role":"admin","href":"https://evil.example")", R"("role":"admin","severity":"loud")"})
            assertProblem(send(members), 400, "validation_failed");
        assertProblem(send(R"("role":"admin","organizationId":")" + stranger.organizationId + '"'), 404, "not_found");
        assertProblem(post(newKey({"notifications.read"}), "/api/notifications", R"({"title":"x","role":"admin"})"), 403,
                      "insufficient_scope");
    }

    void removesOldOnes()
    {
        made(send(R"("role":"member")"));
        advance(std::chrono::days(89));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("1"), unread(member));
        advance(std::chrono::days(2));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("0"), unread(member));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadNotificationTest);

} // namespace portico::tests
