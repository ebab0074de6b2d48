#pragma once

#include "social/SocialFixture.h"

#include "integrations/Accounts.h"
#include "publishing/Worker.h"

#include "portico/testing/TemporaryDirectory.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace portico::tests
{

/// Ends a worker as `kill -9` would: nothing of the worker's catches it.
struct Killed
{
};

/// In-memory network that the test controls.
class ScriptedNetwork final : public social::Network
{
public:
    using Script = std::function<std::optional<social::StepOutcome>(const social::StepCall&)>;

    ScriptedNetwork(social::Platform platform, social::Repetition repetition) : _platform(platform), _repetition(repetition) {}

    social::Platform platform() const noexcept override { return _platform; }
    social::ConnectKind connectKind() const noexcept override { return social::ConnectKind::Url; }
    social::NetworkLimits limits(const social::Credentials*) const override { return allowed; }
    social::AccountProfile check(const social::NetworkAccount&) override { return {}; }
    social::Refreshed refresh(const social::NetworkAccount& account) override
    {
        ++refreshes;
        auto answer = onRefresh ? onRefresh(account) : social::Refreshed{};
        return answer;
    }
    std::vector<social::FixedStep> prepare(const social::Publication& publication, const social::NetworkAccount&, Instant) override
    {
        if (onPrepare) onPrepare();
        std::vector<social::FixedStep> steps;
        for (const auto& part : publication.parts) files.insert(files.end(), part.files.begin(), part.files.end());
        for (std::size_t i = 0; i < publication.parts.size(); ++i)
        {
            social::FixedStep step;
            step.kind = "post";
            step.part = static_cast<int>(i);
            step.idempotencyKey = publication.contentId.text() + "-" + std::to_string(publication.revision) + "-" + std::to_string(i);
            step.request = publication.parts[i].text;
            steps.push_back(std::move(step));
        }
        return steps;
    }
    social::StepOutcome perform(const social::StepCall& call) override
    {
        ++performed;
        tokens.push_back(call.account.credentials.accessToken);
        if (before)
            if (auto outcome = before(call)) return *outcome;
        const auto made = publish(call.step);
        if (after)
            if (auto outcome = after(call)) return *outcome;
        return social::StepOutcome::done(made);
    }
    social::Repetition repetition() const noexcept override { return _repetition; }
    std::chrono::seconds repeatsFor() const noexcept override { return std::chrono::minutes(55); }
    social::LookUp lookUp(const social::StepCall& call) override
    {
        ++looks;
        if (onLook)
            if (auto answer = onLook(call)) return *answer;
        for (const auto& [id, text] : posts)
            if (text == call.step.request) return {social::LookUp::Kind::Found, {id, "https://network.example/" + id, {}}, {}, {}};
        return {social::LookUp::Kind::Absent, {}, {}, {}};
    }

    bool canRemove() const noexcept override { return _platform != social::Platform::Webhook; }
    social::StepOutcome remove(const social::NetworkAccount&, const social::StepResult& published) override
    {
        if (onRemove)
            if (auto outcome = onRemove(published)) return *outcome;
        std::erase_if(posts, [&](const auto& post) { return post.first == published.id; });
        return {};
    }
    std::optional<social::PostNumbers> numbers(const social::NetworkAccount&, const social::StepResult& published) override
    {
        return onNumbers ? onNumbers(published) : social::PostNumbers{};
    }

    social::NetworkLimits allowed = {.maxText = 500, .maxImages = 4, .mimeTypes = {"image/png"}};
    /// Files of all publications, in their order.
    std::vector<social::PublishedFile> files;
    /// Called before a step takes effect, and after it; an outcome replaces the network's own.
    Script before, after;
    std::function<void()> onPrepare;
    std::function<std::optional<social::LookUp>(const social::StepCall&)> onLook;
    std::function<social::Refreshed(const social::NetworkAccount&)> onRefresh;
    std::function<std::optional<social::StepOutcome>(const social::StepResult&)> onRemove;
    std::function<std::optional<social::PostNumbers>(const social::StepResult&)> onNumbers;
    /// Published posts: id and text.
    std::vector<std::pair<std::string, std::string>> posts;
    std::vector<std::string> tokens;
    int performed = 0, looks = 0, refreshes = 0;

    int published(const std::string& text) const
    {
        int count = 0;
        for (const auto& post : posts) count += post.second == text ? 1 : 0;
        return count;
    }

private:
    social::StepResult publish(const social::FixedStep& step)
    {
        if (_repetition != social::Repetition::Never)
            if (const auto known = _byKey.find(step.idempotencyKey); known != _byKey.end()) return known->second;
        const auto id = "p" + std::to_string(posts.size() + 1);
        posts.emplace_back(id, step.request);
        const social::StepResult result{id, "https://network.example/" + id, {}};
        _byKey.emplace(step.idempotencyKey, result);
        return result;
    }

    const social::Platform _platform;
    const social::Repetition _repetition;
    std::map<std::string, social::StepResult> _byKey;
};

/// A brand with accounts at scripted networks, and workers that the test runs in its own thread.
class PublishingFixture : public SocialFixture
{
public:
    void setUp() override
    {
        keys = std::make_unique<testing::TemporaryDirectory>();
        const auto file = keys->path() / "keys";
        std::ofstream(file) << Sealer::makeKey("one") << '\n';
        std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        settings.config["social.sealingKeys"] = file.string();
        SocialFixture::setUp();
        // One network for each kind of repetition.
        auto always = std::make_unique<ScriptedNetwork>(social::Platform::Webhook, social::Repetition::Always);
        auto limited = std::make_unique<ScriptedNetwork>(social::Platform::Mastodon, social::Repetition::ForAWhile);
        auto never = std::make_unique<ScriptedNetwork>(social::Platform::X, social::Repetition::Never);
        idempotent = always.get();
        forAWhile = limited.get();
        neverTwice = never.get();
        std::vector<std::unique_ptr<social::Network>> all;
        all.push_back(std::move(always));
        all.push_back(std::move(limited));
        all.push_back(std::move(never));
        networks = std::make_unique<social::Networks>(std::move(all));
        vault = std::make_unique<social::Vault>(host->context().config());
        accounts = std::make_unique<social::Accounts>(host->context(), *networks, *vault);
        links = std::make_unique<social::MediaLinks>(host->context());
        copies = std::make_unique<social::MediaCopies>(host->context());
        brand = made(post(admin, "/api/brands", R"({"name":"Acme"})")).at("/brandId");
        restart();
    }
    void tearDown() override
    {
        worker.reset();
        copies.reset();
        links.reset();
        accounts.reset();
        vault.reset();
        networks.reset();
        SocialFixture::tearDown();
    }

protected:
    /// A new worker, as after a restart of the daemon.
    void restart()
    {
        worker.reset();
        worker = std::make_unique<social::Worker>(host->context(), *networks, *accounts, *links, *copies);
    }
    Tenant tenant() const { return Tenant::fromStored(admin.organizationId); }
    std::string addAccount(social::Platform platform, const std::function<void(social::Credentials&)>& edit = {})
    {
        social::Integration row;
        row.integrationId = social::IntegrationId::make(now());
        row.brandId = *social::BrandId::parse(brand);
        row.platform = platform;
        row.accountType = "account";
        row.externalId = row.handle = row.displayName = row.integrationId.text();
        row.instanceUrl = "https://network.example";
        social::Credentials credentials;
        credentials.accessToken = "token-1";
        credentials.refreshToken = "refresh-1";
        if (edit) edit(credentials);
        row.secrets = vault->seal(row.integrationId, credentials);
        row.version = 1;
        row.createdAt = row.updatedAt = now();
        host->context().database().transact([&](Transaction& transaction) { social::integrationTable.insert(transaction, tenant(), row); });
        return row.integrationId.text();
    }
    social::Integration account(const std::string& id) const
    {
        auto session = host->context().database().session();
        return social::integrationTable.require(session, tenant(), *social::BrandId::parse(brand), *social::IntegrationId::parse(id));
    }
    social::Credentials credentialsOf(const std::string& id) const
    {
        const auto row = account(id);
        return vault->open(row.integrationId, row.secrets).value();
    }
    void setState(const std::string& id, social::ConnectionState state) const
    {
        host->context().database().transact(
            [&](Transaction& transaction)
            {
                transaction.execute("UPDATE integration SET connection_state = $3 WHERE organization_id = $1 AND id = $2", tenant(), id,
                                    toString(state));
            });
    }
    Instant now() const { return host->context().clock().now(); }
    /// A post that is due at once. @return its content id
    std::string publish(const std::string& account, const std::string& text, std::chrono::seconds in = std::chrono::seconds(0),
                        const std::vector<std::string>& thread = {})
    {
        std::string body = jsonWith(R"({"text":"$","targets":[{"integrationId":"$"}],"thread":[)", text, account);
        for (std::size_t i = 0; i < thread.size(); ++i) body += (i > 0 ? "," : "") + (jsonWith(R"({"text":"$"})", thread[i]));
        const auto at = host->context().clock().now() + std::max(in, std::chrono::seconds(1));
        body += R"(],"scheduledFor":")" + toString(at) + R"("})";
        const auto answer = made(inBrand(brand, Method::Post, "/api/posts", admin, body));
        if (in == std::chrono::seconds(0)) advance(std::chrono::seconds(1));
        return answer.at("/contentIds/0");
    }
    testing::TestAnswer item(const std::string& content) const
    {
        return made(inBrand(brand, Method::Get, "/api/content-ops/items/" + content + "?include=attempts", admin));
    }
    std::string status(const std::string& content) const { return item(content).at("/publishStatus"); }
    /// Publishes due items like a slot.
    std::size_t work() { return worker->publishDue({}); }
    /// The same, until the network ends the worker.
    bool workUntilKilled()
    {
        try
        {
            work();
            return false;
        }
        catch (const Killed&)
        {
            return true;
        }
    }
    std::chrono::milliseconds untilNextAttempt(const std::string& content) const
    {
        return *parseInstant(item(content).at("/attempts/nextAttemptAt")) - host->context().clock().now();
    }

    std::unique_ptr<testing::TemporaryDirectory> keys;
    std::unique_ptr<social::Networks> networks;
    std::unique_ptr<social::Vault> vault;
    std::unique_ptr<social::Accounts> accounts;
    std::unique_ptr<social::MediaLinks> links;
    std::unique_ptr<social::MediaCopies> copies;
    ScriptedNetwork* idempotent = nullptr;
    ScriptedNetwork* forAWhile = nullptr;
    ScriptedNetwork* neverTwice = nullptr;
    std::unique_ptr<social::Worker> worker;
    std::string brand;
};

} // namespace portico::tests
