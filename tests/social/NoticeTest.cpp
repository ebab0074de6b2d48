#include "social/PublishingFixture.h"

#include "notices/NoticeMails.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Mails to people who must approve or reconnect.
class NoticeTest : public Suite<NoticeTest, PublishingFixture>
{
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
        made(inBrand(
            brand, Method::Post, "/api/posts", member,
            jsonWith(R"({"text":"$","targets":[{"integrationId":"$"}],"scheduledFor":"$"})", text, account, toString(now() + 48h))));
    }
    std::vector<Mail> sent() const
    {
        mails->sweep();
        return host->context().mailer().sent();
    }

    TEST(sendsOneMailForSeveralItems)
    {
        submit("One");
        submit("Two");
        // Younger than five minutes: the next sweep counts more of them.
        CHECK(sent().empty());
        advance(5min);
        const auto first = sent();
        equal(1, first.size());
        equal("ada@example.org", first[0].to);
        CPPUNIT_ASSERT_MESSAGE(first[0].text, first[0].text.find("2 items are waiting for approval:") != std::string::npos);
        CHECK(first[0].text.find("/approvals") != std::string::npos && first[0].text.find("account") == std::string::npos);
        // Nothing new, then something new within the hour, then after it.
        advance(2h);
        equal(1, sent().size());
        submit("Three");
        setState(account, ConnectionState::ReconnectRequired);
        change("UPDATE integration SET updated_at = " + std::to_string(toMillis(now())));
        advance(5min);
        equal(2, sent().size());
        CHECK(sent()[1].text.find("1 account must be reconnected") != std::string::npos);
    }

    TEST(staysSilentForPeopleWithoutTheRight)
    {
        directory.add(admin.organizationId, admin.principalId, {}, "ada@example.org");
        submit("One");
        advance(5min);
        CHECK(sent().empty());
    }

    TEST(letsEachPersonSwitchMailsOff)
    {
        const auto choice = made(get(admin, "/api/mail-settings"));
        CHECK(choice.at("/approvals") == "true" && choice.at("/accounts") == "true");
        made(patch(admin, "/api/mail-settings", R"({"approvals":false})"));
        equal("false", made(get(admin, "/api/mail-settings")).at("/approvals"));
        submit("One");
        advance(5min);
        CHECK(sent().empty());
        made(patch(admin, "/api/mail-settings", R"({"approvals":true})"));
        equal(1, sent().size());
    }

    std::unique_ptr<NoticeMails> mails;
    std::string account;
};

} // namespace portico::tests
