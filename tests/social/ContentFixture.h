#pragma once

#include "social/SocialFixture.h"

#include "content/ItemService.h"
#include "content/Publications.h"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace portico::tests
{

/// Brand with a webhook account, and a second person who may approve.
class ContentFixture : public SocialFixture
{
public:
    void setUp() override
    {
        SocialFixture::setUp();
        brand = newBrand(admin);
        account = newAccount("webhook", "https://hooks.example.org/a");
        approver = newAdmin(admin.organizationId);
    }

protected:
    /// Writes a connected account, as connecting one does.
    std::string newAccount(const std::string& platform, const std::string& externalId, const std::string& state = "connected") const
    {
        const auto id = "itg_" + makeUlid(host->context().clock().now());
        host->context().database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute(
                    "INSERT INTO integration (organization_id, brand_id, id, platform, account_type, external_id, display_name, handle, "
                    "avatar_url, instance_url, connection_state, scopes, secrets, pages, groups, created_by, created_at, updated_at, "
                    "version) "
                    "VALUES ($1, $2, $3, $4, 'account', $5, 'Acme', 'acme', '', '', $6, '[]', '', '[]', '[]', 'usr_x', 0, 0, 1)",
                    admin.organizationId, brand, id, platform, externalId, state);
            });
        return id;
    }
    void setPolicy(int steps, bool allowSelf = false) const
    {
        made(patch(
            admin, "/api/brands/" + brand,
            jsonWith(R"({"approvalPolicy":{"required":true,"steps":$,"allowSelfApproval":$}})", steps, (allowSelf ? "true" : "false"))));
    }
    std::string bodyOf(const std::string& text, const std::string& more = {}) const
    {
        return jsonWith(R"({"text":"$","targets":[{"integrationId":"$"}]$})", text, account, more);
    }
    testing::TestAnswer newPost(const Caller& caller, const std::string& text = "Hello", const std::string& more = {}) const
    {
        auto answer = post(caller, "/api/posts", bodyOf(text, more));
        equal(201, answer.status, answer.body);
        return answer;
    }
    /// Queues a post for now.
    void publishNow(const Caller& caller, const std::string& postId) const
    {
        const auto answer = post(caller, "/api/posts/" + postId + "/publish");
        equal(202, answer.status, answer.body);
    }
    static std::string timed(const std::string& instant) { return jsonWith(R"(,"scheduledFor":"$")", instant); }
    testing::TestAnswer item(const std::string& id, const Caller& caller) const { return made(get(caller, itemPath(id))); }
    testing::TestAnswer item(const std::string& id) const { return item(id, admin); }
    static std::string itemPath(const std::string& id) { return "/api/content-ops/items/" + id; }
    testing::TestAnswer step(const Caller& caller, const std::string& id, const std::string& name, const std::string& body = "{}") const
    {
        return post(caller, itemPath(id) + '/' + name, body);
    }
    static std::string stateOf(const testing::TestAnswer& item) { return item.at("/approvalState") + ' ' + item.at("/publishStatus"); }
    std::string stateOf(const std::string& id) const { return stateOf(item(id)); }
    /// Names of the safe actions, with a blank between each.
    static std::string actionsOf(const testing::TestAnswer& item)
    {
        std::string names;
        for (std::size_t i = 0; i < item.count("/safeActions"); ++i)
            names += (i == 0 ? "" : " ") + item.at("/safeActions/" + std::to_string(i) + "/action");
        return names;
    }

    Tenant tenant() const { return admin.tenant(); }
    social::BrandId brandId() const { return *social::BrandId::parse(brand); }
    static social::ContentId contentId(const std::string& id) { return *social::ContentId::parse(id); }
    social::Publications publications() const { return social::Publications(host->context()); }
    social::Held held(const std::string& id, const std::string& worker = "w1") const
    {
        return {tenant(), brandId(), contentId(id), worker};
    }
    template <class F>
    auto work(const F& function) const
    {
        return host->context().database().transact(function);
    }
    std::optional<social::Lease> take(const std::string& id, const std::string& worker = "w1") const
    {
        return work([&](Transaction& transaction)
                    { return publications().take(transaction, tenant(), brandId(), contentId(id), worker, std::chrono::seconds(60)); });
    }
    void publish(const std::string& id, const std::string& worker = "w1") const
    {
        CHECK(take(id, worker));
        CHECK(work(
            [&](Transaction& transaction) {
                return publications().succeed(transaction, held(id, worker), {"1", "https://net.example.org/1", {}}, {});
            }));
    }
    /// Ends an attempt with a failure that is retried, or is not.
    void fail(const std::string& id, social::FailureCode code, bool again, const std::string& worker = "w1") const
    {
        CHECK(take(id, worker));
        const bool done = work(
            [&](Transaction& transaction)
            {
                social::Setback setback;
                setback.failure.code = code;
                setback.failure.message = "No";
                setback.failure.retryable = again;
                if (again) setback.nextAttemptAt = host->context().clock().now() + std::chrono::seconds(30);
                return publications().setBack(transaction, held(id, worker), setback, {});
            });
        CHECK(done);
    }
    /// A suggestion that a person made a generator write.
    std::string newSuggestion(const Caller& author, const std::string& text = "Idea",
                              social::Platform platform = social::Platform::Webhook) const
    {
        return work(
                   [&](Transaction& transaction)
                   {
                       social::Rights rights;
                       rights.userId = author.principalId;
                       social::BrandContent content(host->context(), transaction, tenant(), brandId(), social::Doer::system(), rights);
                       social::ContentItem made;
                       made.platform = platform;
                       made.text = text;
                       made.generator = social::Generator::Template;
                       return social::ItemService::suggest(content, made);
                   })
            .contentId.text();
    }

    /// Compares the kept counts of all brands with the items.
    void assertKeptCounts(const std::string& what) const
    {
        auto session = host->context().database().session();
        const auto read = [&](const std::string& sql)
        {
            std::string text;
            for (const auto& row : session.query(sql))
                text += row.get<std::string>(0) + ' ' + row.get<std::string>(1) + ' ' + row.get<std::string>(2) + ' ' +
                        std::to_string(row.get<std::int64_t>(3)) + '\n';
            return text;
        };
        equal(read("SELECT organization_id, brand_id, queue_state, count(*) FROM content_item GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"),
              read("SELECT organization_id, brand_id, queue_state, items FROM queue_count WHERE items <> 0 ORDER BY 1, 2, 3"), what);
    }

    std::string brand, account;
    Caller approver;
};

} // namespace portico::tests
