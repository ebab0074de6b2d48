#include "social/PublishingFixture.h"

#include "notices/NoticeMails.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Mails to people who must approve or reconnect.
class NoticeTest : public PublishingFixture
{
    CPPUNIT_TEST_SUITE(NoticeTest);
    CPPUNIT_TEST(sendsOneMailForSeveralItems);
    CPPUNIT_TEST(staysSilentForPeopleWithoutTheRight);
    CPPUNIT_TEST(letsEachPersonSwitchMailsOff);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        PublishingFixture::setUp();
        mails = std::make_unique<NoticeMails>(host->context());
        made(patch(admin, "/api/brands/" + brand, R"({"approvalPolicy":{"required":true,"steps":1}})"));
        account = addAccount(Platform::Webhook);
        directory.add(admin.organizationId, admin.principalId, {"social.content:approve", "social.accounts:write"}, "ada@example.org");
    }
    void tearDown() override
    {
        mails.reset();
        PublishingFixture::tearDown();
    }
    void submit(const std::string& text) const
    {
        made(inBrand(brand, Method::Post, "/api/posts", member,
                     R"({"text":")" + text + R"(","targets":[{"integrationId":")" + account + R"("}],"scheduledFor":")" +
                         toString(now() + 48h) + "\"}"));
    }
    std::vector<Mail> sent() const
    {
        mails->sweep();
        return host->context().mailer().sent();
    }

    void sendsOneMailForSeveralItems()
    {
        submit("One");
        submit("Two");
        // Younger than five minutes: the next sweep counts more of them.
        CPPUNIT_ASSERT(sent().empty());
        advance(5min);
        const auto first = sent();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, first.size());
        CPPUNIT_ASSERT_EQUAL(std::string("ada@example.org"), first[0].to);
        CPPUNIT_ASSERT_MESSAGE(first[0].text, first[0].text.find("2 items are waiting for approval:") != std::string::npos);
        CPPUNIT_ASSERT(first[0].text.find("/approvals") != std::string::npos && first[0].text.find("account") == std::string::npos);
        // Nothing new, then something new within the hour, then after it.
        advance(2h);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent().size());
        submit("Three");
        setState(account, ConnectionState::ReconnectRequired);
        change("UPDATE integration SET updated_at = " + std::to_string(toMillis(now())));
        advance(5min);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, sent().size());
        CPPUNIT_ASSERT(sent()[1].text.find("1 account must be reconnected") != std::string::npos);
    }

    void staysSilentForPeopleWithoutTheRight()
    {
        directory.add(admin.organizationId, admin.principalId, {}, "ada@example.org");
        submit("One");
        advance(5min);
        CPPUNIT_ASSERT(sent().empty());
    }

    void letsEachPersonSwitchMailsOff()
    {
        const auto choice = made(get(admin, "/api/mail-settings"));
        CPPUNIT_ASSERT(choice.at("/approvals") == "true" && choice.at("/accounts") == "true");
        made(patch(admin, "/api/mail-settings", R"({"approvals":false})"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), made(get(admin, "/api/mail-settings")).at("/approvals"));
        submit("One");
        advance(5min);
        CPPUNIT_ASSERT(sent().empty());
        made(patch(admin, "/api/mail-settings", R"({"approvals":true})"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent().size());
    }

private:
    std::unique_ptr<NoticeMails> mails;
    std::string account;
};

CPPUNIT_TEST_SUITE_REGISTRATION(NoticeTest);

} // namespace portico::tests
