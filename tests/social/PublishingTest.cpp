#include "social/PublishingFixture.h"

#include "portico/Json.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

namespace
{
/// Database that calls `beforeWrite` once, before a transaction begins.
class InterruptedDatabase final : public Database
{
public:
    InterruptedDatabase(Database& database, std::function<void()> beforeWrite) : _database(database), _beforeWrite(std::move(beforeWrite))
    {
    }
    Dialect dialect() const noexcept override { return _database.dialect(); }
    Session session() override { return _database.session(); }
    Transaction begin() override
    {
        if (const auto once = std::exchange(_beforeWrite, nullptr)) once();
        return _database.begin();
    }
    Transaction snapshot() override { return _database.snapshot(); }

private:
    Database& _database;
    std::function<void()> _beforeWrite;
};

/// The test's context with another database.
class ContextWithDatabase final : public PluginContext
{
public:
    ContextWithDatabase(testing::TestContext& rest, Database& database) : _rest(rest), _database(database) {}
    const HostInfo& host() const override { return _rest.host(); }
    const Config& config() const override { return _rest.config(); }
    Logger& logger() override { return _rest.logger(); }
    const Clock& clock() const override { return _rest.clock(); }
    Database& database() override { return _database; }
    StateStore& state() override { return _rest.state(); }
    Jobs& jobs() override { return _rest.jobs(); }
    Events& events() override { return _rest.events(); }
    Channels& channels() override { return _rest.channels(); }
    Deliveries& deliveries() override { return _rest.deliveries(); }
    Blobs& blobs() override { return _rest.blobs(); }
    Mailer& mailer() override { return _rest.mailer(); }
    HttpClient& http() override { return _rest.http(); }
    Services& services() override { return _rest.services(); }
    Metrics& metrics() override { return _rest.metrics(); }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override { return _rest.hostCounter(name); }
    Calls& calls() override { return _rest.calls(); }
    Helpers& helpers() override { return _rest.helpers(); }

private:
    testing::TestContext& _rest;
    Database& _database;
};
} // namespace

/// How the worker carries items through the states of 2.A.3.
class PublishingTest : public Suite<PublishingTest, PublishingFixture>
{
    static StepOutcome outcome(StepOutcome::Kind kind, int httpStatus = 0)
    {
        StepOutcome made;
        made.kind = kind;
        made.code = FailureCode::PlatformError;
        made.message = "The network said no.";
        made.httpStatus = httpStatus;
        return made;
    }

    TEST(publishesADueItemOnce)
    {
        const auto id = addAccount(Platform::Webhook);
        const auto content = publish(id, "Hello");
        equal(1, work());
        equal(0, work());
        const auto shown = item(content);
        equal("published", shown.at("/publishStatus"));
        equal("p1", shown.at("/result/platformPostId"));
        equal("https://network.example/p1", shown.at("/result/platformUrl"));
        equal(1, idempotent->performed);
    }

    TEST(leavesItemsAloneUntilTheyAreDue)
    {
        const auto content = publish(addAccount(Platform::Webhook), "Later", 10min);
        advance(10min - 1ms);
        equal(0, work());
        advance(1ms);
        equal(1, work());
        equal("published", status(content));
    }

    TEST(retriesOnTheScheduleAndThenFails)
    {
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::Retry, 503); };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        for (const auto wait : {30s, 120s, 600s, 1800s, 7200s})
        {
            work();
            equal("retrying", status(content));
            const auto next = untilNextAttempt(content);
            CHECK(next >= wait * 8 / 10 && next <= wait * 12 / 10);
            advance(next - 1ms);
            equal(0, work());
            advance(1ms);
        }
        work();
        const auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("platform_error", shown.at("/failure/code"));
        equal("503", shown.at("/failure/platformStatus"));
        equal(6, idempotent->performed);
        CHECK(idempotent->posts.empty());
    }

    TEST(waitsAsLongAsTheNetworkAsksWithoutUsingAnAttempt)
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->before = [&](const StepCall& call)
        {
            auto limited = outcome(StepOutcome::Kind::Retry, 429);
            limited.code = FailureCode::RateLimited;
            limited.notBefore = call.now + 90s;
            return limited;
        };
        const auto content = publish(id, "Hello");
        for (int i = 0; i < 8; ++i)
        {
            work();
            equal("0", item(content).at("/attempts/automatic"));
            CHECK(untilNextAttempt(content) == 90s);
            advance(90s);
        }
        // Another post of the account waits too, with the reason.
        const auto other = publish(id, "Second");
        idempotent->before = nullptr;
        work();
        equal("published", status(content));
        equal("published", status(other));
    }

    TEST(failsAtOnceWhatNoRepetitionHelps)
    {
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::Failed, 422); };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        equal("failed", status(content));
        equal(1, idempotent->performed);
    }

    TEST(sendsAgainAfterALostAnswerWithTheSameKey)
    {
        bool lost = true;
        idempotent->after = [&](const StepCall&) -> std::optional<StepOutcome>
        { return std::exchange(lost, false) ? std::optional(outcome(StepOutcome::Kind::PerhapsSent)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        equal("retrying", status(content));
        advance(untilNextAttempt(content));
        work();
        equal("published", status(content));
        equal(1, idempotent->published("Hello"));
        equal(0, idempotent->looks);
    }

    TEST(looksBeforeItSendsAgainWhenTheKeyHasExpired)
    {
        forAWhile->after = [&](const StepCall&) { return outcome(StepOutcome::Kind::PerhapsSent, 500); };
        const auto content = publish(addAccount(Platform::Mastodon), "Hello");
        // The retries of the first 55 minutes rely on the key.
        for (int i = 0; i < 4; ++i)
        {
            work();
            advance(untilNextAttempt(content));
        }
        equal(0, forAWhile->looks);
        work();
        advance(untilNextAttempt(content));
        work();
        equal(1, forAWhile->looks);
        equal("published", status(content));
        equal(1, forAWhile->published("Hello"));
    }

    TEST(confirmedRetryIsSentAlthoughThePostCannotBeLookedUp)
    {
        const auto id = addAccount(Platform::Mastodon);
        forAWhile->onLook = [](const StepCall&) { return std::optional(LookUp{LookUp::Kind::Unknown, {}, "Only public statuses.", {}}); };
        // The key expires between two attempts, or the last attempt has no answer.
        for (const auto kind : {StepOutcome::Kind::PerhapsSent, StepOutcome::Kind::Retry})
        {
            const std::string text = kind == StepOutcome::Kind::Retry ? "Last" : "First";
            forAWhile->before = [kind, sent = 0](const StepCall&) mutable
            { return std::optional(outcome(++sent < 6 ? kind : StepOutcome::Kind::PerhapsSent)); };
            const auto content = publish(id, text);
            for (int i = 0; i < 20 && status(content) != "failed"; ++i)
            {
                work();
                advance(30min);
            }
            equal("outcome_unknown", item(content).at("/failure/code"));
            forAWhile->before = nullptr;
            made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/retry", admin, R"({"confirm":true})"));
            work();
            equal("published", status(content));
            equal(1, forAWhile->published(text));
        }
    }

    TEST(sendAfterThreeLooksBeginsTheLifeOfItsKey)
    {
        forAWhile->before = loseOnce();
        const auto content = publish(addAccount(Platform::Mastodon), "Hello");
        work();
        advance(1h);
        work();
        equal("verifying", status(content));
        forAWhile->after = loseOnce();
        advance(60s);
        work();
        advance(240s);
        work();
        equal("retrying", status(content));
        equal(3, forAWhile->looks);
        advance(untilNextAttempt(content));
        work();
        equal("published", status(content));
        equal(3, forAWhile->looks);
        equal(1, forAWhile->published("Hello"));
    }

    TEST(confirmedRetryBeginsTheLifeOfItsKey)
    {
        forAWhile->before = loseOnce();
        forAWhile->onLook = [](const StepCall&) { return std::optional(LookUp{LookUp::Kind::Unknown, {}, "Only public statuses.", {}}); };
        const auto content = publish(addAccount(Platform::Mastodon), "Hello");
        work();
        advance(1h);
        for (int i = 0; i < 16; ++i)
        {
            work();
            advance(1min);
        }
        equal("outcome_unknown", item(content).at("/failure/code"));
        forAWhile->after = loseOnce();
        made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/retry", admin, R"({"confirm":true})"));
        work();
        equal("retrying", status(content));
        advance(untilNextAttempt(content));
        work();
        equal("published", status(content));
        equal(1, forAWhile->published("Hello"));
    }

    TEST(looksUpTheAttemptThatIsUnknown)
    {
        std::vector<Instant> since;
        neverTwice->before = loseOnce();
        neverTwice->after = loseOnce();
        neverTwice->onLook = [&](const StepCall& call) -> std::optional<LookUp>
        {
            since.push_back(call.firstAttemptAt);
            return std::nullopt;
        };
        const auto content = publish(addAccount(Platform::X), "Hello");
        const auto first = now();
        for (const auto wait : {60s, 240s, 0s})
        {
            work();
            advance(wait);
        }
        equal("published", status(content));
        CHECK(since == std::vector({first, first, first, now()}));
        equal(1, neverTwice->published("Hello"));
    }

    TEST(waitsForAFileSinceTheFirstAttempt)
    {
        std::set<Instant> since;
        idempotent->before = [&](const StepCall& call)
        {
            since.insert(call.firstAttemptAt);
            auto waiting = outcome(StepOutcome::Kind::Retry, 206);
            waiting.notBefore = call.now + 30s;
            return waiting;
        };
        publish(addAccount(Platform::Webhook), "Hello");
        for (int i = 0; i < 3; ++i)
        {
            work();
            advance(30s);
        }
        equal(3, idempotent->performed);
        equal(1, since.size());
    }

    TEST(verifiesWhereARepetitionWouldPublishTwice)
    {
        neverTwice->after = [&](const StepCall&) { return outcome(StepOutcome::Kind::PerhapsSent); };
        const auto content = publish(addAccount(Platform::X), "Hello");
        equal(2, work()); // the attempt, and the first look
        equal("published", status(content));
        equal(1, neverTwice->published("Hello"));
        equal(1, neverTwice->looks);
    }

    TEST(sendsAgainAfterThreeLooksInVain)
    {
        bool drop = true;
        neverTwice->before = [&](const StepCall&) -> std::optional<StepOutcome>
        { return std::exchange(drop, false) ? std::optional(outcome(StepOutcome::Kind::PerhapsSent)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::X), "Hello");
        work();
        equal("verifying", status(content));
        equal(1, neverTwice->looks);
        advance(60s);
        work();
        equal(2, neverTwice->looks);
        advance(240s);
        work();
        equal(3, neverTwice->looks);
        equal("published", status(content));
        equal(1, neverTwice->published("Hello"));
    }

    /// Publishes a post at X whose worker is killed after the send, and restarts it when the token has expired. @return its content id
    std::string killAfterSend(Refreshed::Kind refresh)
    {
        const auto id = addAccount(Platform::X,
                                   [this](Credentials& credentials)
                                   {
                                       credentials.issuedAt = now();
                                       credentials.expiresAt = now() + 1min;
                                   });
        neverTwice->after = [](const StepCall&) -> std::optional<StepOutcome> { throw Killed{}; };
        neverTwice->onRefresh = [refresh](const NetworkAccount&) { return Refreshed{refresh, {}, "No."}; };
        const auto content = publish(id, "Hello");
        CHECK(workUntilKilled());
        neverTwice->after = nullptr;
        advance(2min);
        restart();
        work();
        return content;
    }

    TEST(killedSendIsVerifiedAlthoughTheTokenCannotBeRefreshed)
    {
        const auto content = killAfterSend(Refreshed::Kind::Unreachable);
        equal("verifying", status(content));
        neverTwice->onRefresh = [](const NetworkAccount& given)
        {
            auto credentials = given.credentials;
            credentials.expiresAt.reset();
            return Refreshed{Refreshed::Kind::New, credentials, {}};
        };
        advance(1min);
        work();
        equal("published", status(content));
        equal(1, neverTwice->looks);
        equal(1, neverTwice->performed);
    }

    TEST(killedSendWithARevokedGrantNeedsADecision)
    {
        const auto content = killAfterSend(Refreshed::Kind::Dead);
        for (int i = 0; i < 15; ++i)
        {
            equal("verifying", status(content));
            advance(1min);
            work();
        }
        const auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("outcome_unknown", shown.at("/failure/code"));
        refused(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/retry", admin, "{}"), 409, "action_not_allowed");
        equal(1, neverTwice->performed);
    }

    TEST(givesTheOutcomeToAPersonAfterAQuarterOfAnHour)
    {
        neverTwice->after = [&](const StepCall&) { return outcome(StepOutcome::Kind::PerhapsSent); };
        neverTwice->onLook = [](const StepCall&) { return std::optional(LookUp{LookUp::Kind::Unknown, {}, "No answer.", {}}); };
        const auto content = publish(addAccount(Platform::X), "Hello");
        for (int i = 0; i < 16; ++i)
        {
            work();
            advance(1min);
        }
        const auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("outcome_unknown", shown.at("/failure/code"));
        equal(1, neverTwice->performed);
    }

    TEST(resumesAThreadAtThePartThatFailed)
    {
        bool broken = true;
        idempotent->before = [&](const StepCall& call) -> std::optional<StepOutcome>
        { return call.step.part == 5 && broken ? std::optional(outcome(StepOutcome::Kind::Failed, 400)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2", "3", "4", "5", "6", "7", "8", "9", "10", "11"});
        work();
        auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("5", shown.at("/failure/part"));
        equal(5, shown.count("/result/parts"));
        broken = false;
        made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/reschedule", admin,
                     jsonWith(R"({"scheduledFor":"$"})", toString(host->context().clock().now() + 1s))));
        advance(1s);
        work();
        shown = item(content);
        equal("published", shown.at("/publishStatus"));
        equal(11, shown.count("/result/parts"));
        equal(11, idempotent->posts.size());
        equal(12, idempotent->performed);
    }

    TEST(goesOnBehindThePublishedPartsOfAnEditedThread)
    {
        const auto step = [](int part, std::string text)
        {
            FixedStep made;
            made.kind = "post";
            made.part = part;
            made.request = std::move(text);
            return made;
        };
        Progress before;
        before.revision = 1;
        before.steps = {step(0, "one"), step(1, "two"), step(2, "three")};
        before.results = {{"p1", "", ""}, {"p2", "", ""}};
        Progress fresh;
        fresh.revision = 2;
        fresh.steps = {step(0, "ONE"), step(1, "TWO"), step(2, "THREE"), step(3, "FOUR")};
        const auto after = continued(before, fresh);
        equal(2, after.revision);
        equal(2, after.results.size());
        equal(4, after.steps.size());
        equal("THREE", after.next().request);
        equal(2, publishedOf(after)->parts.size());
        equal("ONE", continued({}, fresh).next().request);
        CHECK(!publishedOf(fresh));
    }

    TEST(editedThreadIsPublishedFromThePartThatFailed)
    {
        bool broken = true;
        idempotent->before = [&](const StepCall& call) -> std::optional<StepOutcome>
        { return call.step.part == 2 && broken ? std::optional(outcome(StepOutcome::Kind::Failed, 400)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2", "wrong"});
        work();
        equal("failed", status(content));
        broken = false;
        made(inBrand(brand, Method::Put, "/api/posts/" + item(content).at("/postId"), admin, R"({"thread":[{"text":"2"},{"text":"3"}]})"));
        made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/reschedule", admin,
                     jsonWith(R"({"scheduledFor":"$"})", toString(now() + 1s))));
        advance(1s);
        work();
        const auto shown = item(content);
        equal("published", shown.at("/publishStatus"));
        equal(3, shown.count("/result/parts"));
        for (const auto* text : {"1", "2", "3"}) equal(1, idempotent->published(text), text);
        equal(3, idempotent->posts.size());
    }

    /// Returns a script that loses one request or response.
    static ScriptedNetwork::Script loseOnce()
    {
        return [lost = true](const StepCall&) mutable
        { return std::exchange(lost, false) ? std::optional(outcome(StepOutcome::Kind::PerhapsSent)) : std::nullopt; };
    }

    /// Reverts a post to a draft, changes members of it, and schedules it again. It is due at once.
    void editAndSchedule(const std::string& content, const std::string& members)
    {
        const auto path = "/api/posts/" + item(content).at("/postId");
        made(inBrand(brand, Method::Put, path, admin, R"({"status":"draft"})"));
        made(inBrand(brand, Method::Put, path, admin, "{" + members + R"(,"scheduledFor":")" + toString(now() + 1s) + R"("})"));
        advance(1s);
    }

    TEST(editedPostIsNotPublishedTwiceAfterALostResponse)
    {
        for (auto* network : {idempotent, forAWhile})
        {
            network->after = loseOnce();
            const auto content = publish(addAccount(network->platform()), "Hello");
            work();
            equal("retrying", status(content));
            editAndSchedule(content, R"("text":"New")");
            work();
            const auto shown = item(content);
            equal("published", shown.at("/publishStatus"));
            equal("p1", shown.at("/result/platformPostId"));
            equal(1, network->looks);
            equal(1, network->posts.size());
        }
    }

    /// Moves a post to an account and schedules it again. It is due at once.
    void moveAndSchedule(const std::string& content, const std::string& account)
    {
        editAndSchedule(content, jsonWith(R"("targets":[{"targetId":"$","integrationId":"$"}])", item(content).at("/targetId"), account));
    }

    /// Deletes an account and connects it again. @return its new id
    std::string connectAgain(const std::string& id)
    {
        const auto fresh = addAccount(account(id).platform);
        change("DELETE FROM integration WHERE id = '" + id + "'");
        change("UPDATE integration SET external_id = '" + id + "' WHERE id = '" + fresh + "'");
        return fresh;
    }

    TEST(postIsNotPublishedTwiceWhenItReturnsToItsAccount)
    {
        for (auto* network : {idempotent, forAWhile})
        {
            const auto id = addAccount(network->platform());
            network->after = loseOnce();
            const auto content = publish(id, "Hello");
            work();
            equal("retrying", status(content));
            moveAndSchedule(content, addAccount(network->platform()));
            moveAndSchedule(content, connectAgain(id));
            work();
            equal("published", status(content));
            equal(1, network->looks);
            equal(1, network->posts.size());
        }
    }

    TEST(threadContinuesAfterItsAccountIsConnectedAgain)
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->before = [](const StepCall& call) -> std::optional<StepOutcome>
        { return call.step.part == 1 ? std::optional(outcome(StepOutcome::Kind::Failed, 400)) : std::nullopt; };
        const auto content = publish(id, "1", 0s, {"2"});
        work();
        equal("failed", status(content));
        idempotent->before = nullptr;
        moveAndSchedule(content, connectAgain(id));
        work();
        equal("published", status(content));
        equal(1, idempotent->published("1"));
        equal(2, idempotent->posts.size());
        equal(2, item(content).count("/result/parts"));
    }

    TEST(postAtAnotherAccountIsSentWithoutALookUp)
    {
        idempotent->after = loseOnce();
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        moveAndSchedule(content, addAccount(Platform::Webhook));
        work();
        equal("published", status(content));
        equal(0, idempotent->looks);
        equal(2, idempotent->published("Hello"));
    }

    TEST(stepsOfAnEarlierVersionAreKept)
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->after = loseOnce();
        const auto content = publish(id, "Hello");
        work();
        host->context().database().transact(
            [&](Transaction& transaction)
            {
                auto progress =
                    fromStoredJson<Progress>(*transaction.value<std::string>("SELECT progress FROM content_item WHERE id = $1", content));
                CHECK(!progress.account.empty());
                progress.account.clear();
                transaction.execute("UPDATE content_item SET progress = $2 WHERE id = $1", content, toJson(progress));
            });
        moveAndSchedule(content, connectAgain(id));
        work();
        equal("published", status(content));
        equal(1, idempotent->posts.size());
    }

    TEST(editedPostIsPublishedAfterThreeLooksForItsOldText)
    {
        idempotent->before = loseOnce();
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        editAndSchedule(content, R"("text":"New")");
        work();
        advance(60s);
        work();
        equal("verifying", status(content));
        advance(240s);
        work();
        equal("published", status(content));
        equal(3, idempotent->looks);
        equal(1, idempotent->published("New"));
        equal(1, idempotent->posts.size());
    }

    TEST(editedPostIsPublishedWithItsNewTextAfterAKillBeforeTheFirstStep)
    {
        for (auto* network : {idempotent, forAWhile, neverTwice})
        {
            network->before = [](const StepCall&) { return outcome(StepOutcome::Kind::Retry, 503); };
            const auto content = publish(addAccount(network->platform()), "Hello");
            work();
            equal("retrying", status(content));
            network->before = nullptr;
            editAndSchedule(content, R"("text":"New")");
            network->onPrepare = [] { throw Killed{}; };
            CHECK(workUntilKilled());
            equal("publishing", status(content));
            network->onPrepare = nullptr;
            restart();
            advance(61s);
            work();
            equal("published", status(content));
            equal(1, network->published("New"));
            equal(1, network->posts.size());
        }
    }

    TEST(userDecidesIfTheOldTextOfAnEditedPostCannotBeLookedUp)
    {
        idempotent->after = loseOnce();
        idempotent->onLook = [](const StepCall&) { return std::optional(LookUp{LookUp::Kind::Unknown, {}, "No answer.", {}}); };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        editAndSchedule(content, R"("text":"New")");
        for (int i = 0; i < 16; ++i)
        {
            work();
            advance(1min);
        }
        equal("outcome_unknown", item(content).at("/failure/code"));
        equal(0, idempotent->published("New"));
        made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/retry", admin, R"({"confirm":true})"));
        work();
        equal("published", status(content));
        equal(1, idempotent->published("New"));
    }

    TEST(rejectedRepetitionLeavesALostResponseUnknown)
    {
        const auto id = addAccount(Platform::Mastodon);
        std::size_t count = 0;
        for (const auto kind : {StepOutcome::Kind::Retry, StepOutcome::Kind::Failed})
        {
            forAWhile->after = loseOnce();
            const auto content = publish(id, "Hello " + std::to_string(++count));
            work();
            forAWhile->before = [kind](const StepCall&) { return outcome(kind, 422); };
            advance(untilNextAttempt(content));
            work();
            forAWhile->before = nullptr;
            editAndSchedule(content, R"("text":"New")");
            work();
            equal("published", status(content));
            equal(count, forAWhile->posts.size());
        }
    }

    TEST(editedThreadContinuesAfterThePartWithALostResponse)
    {
        idempotent->after = [lose = loseOnce()](const StepCall& call) { return call.step.part == 1 ? lose(call) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2"});
        work();
        editAndSchedule(content, R"("thread":[{"text":"two"},{"text":"3"}])");
        work();
        const auto shown = item(content);
        equal("published", shown.at("/publishStatus"));
        equal(3, shown.count("/result/parts"));
        for (const auto* text : {"1", "2", "3"}) equal(1, idempotent->published(text), text);
        equal(3, idempotent->posts.size());
    }

    TEST(renewsTokensOnceAndStoresThemFirst)
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->before = [](const StepCall& call) -> std::optional<StepOutcome> {
            return call.account.credentials.accessToken == "token-1" ? std::optional(outcome(StepOutcome::Kind::AuthRefused, 401))
                                                                     : std::nullopt;
        };
        idempotent->onRefresh = [](const NetworkAccount& given)
        {
            auto credentials = given.credentials;
            credentials.accessToken = "token-2";
            credentials.refreshToken.clear(); // the answer brought none
            return Refreshed{Refreshed::Kind::New, credentials, {}};
        };
        const auto content = publish(id, "Hello");
        work();
        equal("published", status(content));
        equal(1, idempotent->refreshes);
        equal("token-2", credentialsOf(id).accessToken);
        equal("refresh-1", credentialsOf(id).refreshToken);
        CHECK(idempotent->tokens == std::vector<std::string>({"token-1", "token-2"}));
    }

    TEST(disconnectsOnlyWhenTheGrantIsDead)
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::AuthRefused, 401); };
        idempotent->onRefresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Unreachable, {}, "Down."}; };
        const auto content = publish(id, "Hello");
        work();
        equal("retrying", status(content));
        CHECK(account(id).connectionState == ConnectionState::Connected);
        idempotent->onRefresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Dead, {}, "Revoked."}; };
        advance(untilNextAttempt(content));
        work();
        const auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("reconnect_required", shown.at("/failure/code"));
        CHECK(account(id).connectionState == ConnectionState::ReconnectRequired);
    }

    TEST(renewsTokensAtFourFifthsOfTheirLife)
    {
        const auto id = addAccount(Platform::Webhook,
                                   [this](Credentials& credentials)
                                   {
                                       credentials.issuedAt = now() - 79min;
                                       credentials.expiresAt = now() + 21min;
                                   });
        idempotent->onRefresh = [](const NetworkAccount& given)
        {
            auto fresh = given.credentials;
            fresh.accessToken = "token-2";
            return Refreshed{Refreshed::Kind::New, fresh, {}};
        };
        publish(id, "Hello");
        work();
        advance(1min);
        publish(id, "Again");
        work();
        CHECK(idempotent->tokens == std::vector<std::string>({"token-1", "token-2"}));
    }

    TEST(failsWhatIsLaterThanTheGraceTime)
    {
        const auto content = publish(addAccount(Platform::Webhook), "Hello", 1min);
        advance(60h); // a weekend
        restart();
        work();
        const auto shown = item(content);
        equal("failed", shown.at("/publishStatus"));
        equal("missed_schedule", shown.at("/failure/code"));
        equal(0, idempotent->performed);
    }

    TEST(saysWhyAnItemWaits)
    {
        const auto id = addAccount(Platform::Webhook);
        setState(id, ConnectionState::ReconnectRequired);
        const auto content = publish(id, "Hello");
        work();
        equal("queued", status(content));
        equal("reconnect_required", item(content).at("/blockedReason"));
        setState(id, ConnectionState::Connected);
        advance(15min);
        work();
        equal("published", status(content));
        equal("null", item(content).at("/blockedReason"));
    }

    TEST(itemThatMovesToAnotherAccountDoesNotWaitForTheFormerOne)
    {
        const auto former = addAccount(Platform::Webhook), other = addAccount(Platform::Webhook);
        setState(former, ConnectionState::ReconnectRequired);
        const auto content = publish(former, "Hello");
        work();
        const auto waiting = item(content);
        equal("reconnect_required", waiting.at("/blockedReason"));
        made(inBrand(brand, Method::Put, "/api/posts/" + waiting.at("/postId"), admin,
                     jsonWith(R"({"targets":[{"targetId":"$","integrationId":"$"}]})", waiting.at("/targetId"), other)));
        equal("null", item(content).at("/blockedReason"));
        work();
        equal("published", status(content));
    }

    TEST(itemIsPublishedIfItsAccountIsConnectedJustBeforeTheWaitIsWritten)
    {
        const auto id = addAccount(Platform::Webhook);
        setState(id, ConnectionState::ReconnectRequired);
        const auto content = publish(id, "Hello");
        InterruptedDatabase database(host->context().database(), [&] { setState(id, ConnectionState::Connected); });
        ContextWithDatabase context(host->context(), database);
        Worker other(context, *networks, *accounts, *links, *copies);
        equal(1, other.publishDue({}));
        equal("published", status(content));
        equal("null", item(content).at("/blockedReason"));
    }

    TEST(takesOneItemOfAnAccountAtATimeInOrder)
    {
        const auto id = addAccount(Platform::Webhook);
        std::vector<std::string> contents;
        for (int i = 3; i > 0; --i) contents.push_back(publish(id, "Post " + std::to_string(i), std::chrono::seconds(i)));
        advance(10s);
        std::size_t inner = 0;
        idempotent->before = [&](const StepCall&) -> std::optional<StepOutcome>
        {
            // Another slot finds nothing that it may take.
            Worker other(host->context(), *networks, *accounts, *links, *copies);
            inner += other.publishDue({});
            return std::nullopt;
        };
        equal(3, work());
        equal(0, inner);
        equal("Post 1", idempotent->posts.at(0).second);
        equal("Post 2", idempotent->posts.at(1).second);
        equal("Post 3", idempotent->posts.at(2).second);
    }

    TEST(givesBetweenTwoStepsBackWhatItIsAskedFor)
    {
        std::stop_source stop;
        idempotent->after = [&](const StepCall& call) -> std::optional<StepOutcome>
        {
            if (call.step.part == 1) stop.request_stop();
            return std::nullopt;
        };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2", "3", "4"});
        worker->publishDue(jobWith(stop.get_token()));
        equal("publishing", status(content));
        equal(2, idempotent->posts.size());
        idempotent->after = nullptr;
        restart();
        work();
        equal("published", status(content));
        equal(4, idempotent->posts.size());
        equal(4, idempotent->performed);
    }

    static Job jobWith(std::stop_token stop)
    {
        Job job;
        job.stop = std::move(stop);
        job.pulse = std::make_shared<JobPulse>();
        return job;
    }

    /// Returns how many items another host takes now.
    std::size_t takenByAnother()
    {
        Worker other(host->context(), *networks, *accounts, *links, *copies);
        return other.publishDue({});
    }

    TEST(cutsWhatMayBeSentAgain)
    {
        std::stop_source stop;
        idempotent->before = [&](const StepCall& call) -> std::optional<StepOutcome>
        {
            stop.request_stop();
            CHECK(call.stop.stop_requested());
            return outcome(StepOutcome::Kind::PerhapsSent);
        };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        worker->publishDue(jobWith(stop.get_token()));
        equal("publishing", status(content));
        equal("0", item(content).at("/attempts/automatic"));
        idempotent->before = nullptr;
        equal(1, takenByAnother());
        equal("published", status(content));
        equal("1", item(content).at("/attempts/total"));
    }

    TEST(keepsAnItemDuringALongStep)
    {
        const auto job = jobWith({});
        std::size_t taken = 0;
        idempotent->before = [&](const StepCall&) -> std::optional<StepOutcome>
        {
            for (int i = 0; i < 6; ++i)
            {
                advance(15s);
                job.pulse->beat();
                taken += takenByAnother();
            }
            return std::nullopt;
        };
        const auto content = publish(addAccount(Platform::Webhook), "Long");
        equal(1, worker->publishDue(job));
        equal(0, taken);
        equal(1, idempotent->performed);
        equal("published", status(content));
        // A later beat concerns nothing any more.
        equal("", job.pulse->beat());
    }

    TEST(givesBackWhatAFaultLeaves)
    {
        const auto id = addAccount(Platform::Webhook,
                                   [this](Credentials& credentials)
                                   {
                                       credentials.issuedAt = now() - 2h;
                                       credentials.expiresAt = now() - 1h;
                                   });
        idempotent->onRefresh = [](const NetworkAccount&) -> Refreshed { throw std::runtime_error("a fault of this server"); };
        const auto content = publish(id, "Hello");
        CPPUNIT_ASSERT_THROW(work(), std::runtime_error);
        equal("publishing", status(content));
        idempotent->onRefresh = nullptr;
        equal(1, takenByAnother());
        equal("published", status(content));
    }

    TEST(givesBackWhatItHasWhenItStops)
    {
        idempotent->before = [](const StepCall&) -> std::optional<StepOutcome> { throw Killed{}; };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        CHECK(workUntilKilled());
        idempotent->before = nullptr;
        equal(0, takenByAnother());
        // Another worker's end changes nothing.
        Worker(host->context(), *networks, *accounts, *links, *copies).stop();
        equal(0, takenByAnother());
        worker->stop();
        equal(1, takenByAnother());
        equal("published", status(content));
        equal(1, idempotent->published("Hello"));
    }

    TEST(sharesSlotsBetweenNetworksAndBrands)
    {
        const auto at = now();
        const auto due = [&](Platform platform, const BrandId& ofBrand, std::chrono::seconds after)
        {
            DueItem made;
            made.platform = platform;
            made.brandId = ofBrand;
            made.contentId = ContentId::make(at);
            made.dueAt = at + after;
            return made;
        };
        const auto one = BrandId::make(at), two = BrandId::make(at), three = BrandId::make(at), four = BrandId::make(at);
        RunningItems running;
        const auto first = due(Platform::Bluesky, one, 0s), second = due(Platform::Bluesky, two, 1s),
                   third = due(Platform::Webhook, one, 2s), fourth = due(Platform::Webhook, three, 3s);
        const auto ids = [&](std::size_t slots)
        {
            std::vector<ContentId> order;
            for (const auto& item : running.inOrder({fourth, third, second, first}, slots)) order.push_back(item.contentId);
            return order;
        };
        CHECK(ids(8) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
        // A quarter of eight slots for one brand.
        const RunningItems::Place a(running, due(Platform::Mastodon, one, 0s)), b(running, due(Platform::Mastodon, one, 0s));
        CHECK(ids(8) == std::vector({second.contentId, fourth.contentId, first.contentId, third.contentId}));
        {
            // Half of the slots for one network.
            const RunningItems::Place c(running, due(Platform::Webhook, two, 0s)), d(running, due(Platform::Webhook, two, 0s)),
                e(running, due(Platform::Webhook, four, 0s)), f(running, due(Platform::Webhook, four, 0s));
            CHECK(ids(8) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
            CHECK(ids(16) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
        }
        CHECK(ids(8) == std::vector({second.contentId, fourth.contentId, first.contentId, third.contentId}));
    }

    TEST(publishesForOneAccountInOneSlotOfAHost)
    {
        const auto at = now();
        RunningItems running;
        DueItem first, second, other;
        for (auto* item : {&first, &second, &other})
        {
            item->brandId = BrandId::make(at);
            item->contentId = ContentId::make(at);
            item->integrationId = IntegrationId::make(at);
        }
        second.integrationId = first.integrationId;
        {
            const RunningItems::Place one(running, first), two(running, second), three(running, other);
            CHECK(one && !two && three);
            CHECK(running.inOrder({first, second, other}, 8).empty());
        }
        equal(3, running.inOrder({first, second, other}, 8).size());
    }

    TEST(itemsOfOneTimeShareSlotJobs)
    {
        const auto id = addAccount(Platform::Webhook);
        auto& jobs = host->context().jobs();
        for (int i = 0; i < 40; ++i) publish(id, "Post " + std::to_string(i), 12s);
        const auto waiting = jobs.waiting(Publications::slotJob).size();
        CHECK(waiting > 1 && waiting <= Publications::maxJobsAtOneTime);
    }

    TEST(startsSlotsAtTheTimesOfTheItems)
    {
        const auto id = addAccount(Platform::Webhook);
        auto& jobs = host->context().jobs();
        // A change that makes an item due soon starts a slot; the sweep finds items that are due later.
        publish(id, "Soon", 12s);
        equal(1, jobs.waiting(Publications::slotJob).size());
        CHECK(jobs.waiting(Publications::slotJob).front().dueAt == now() + 12s);
        publish(id, "Later", 10min);
        worker->sweep();
        const auto before = jobs.waiting(Publications::slotJob).size();
        advance(10min - 14s);
        worker->sweep();
        worker->sweep();
        const auto waiting = jobs.waiting(Publications::slotJob);
        const auto atTheTime = std::ranges::count_if(waiting, [&](const auto& job) { return job.dueAt == now() + 14s; });
        equal(1, atTheTime);
        CHECK(waiting.size() > before);
    }

    TEST(isReadyWhileTheWorkerGivesSignsOfLife)
    {
        CHECK(worker->health().healthy);
        advance(61s);
        CHECK(!worker->health().healthy);
        worker->sweep();
        CHECK(worker->health().healthy);
        advance(59s);
        CHECK(worker->health().healthy);
        advance(2s);
        CHECK(!worker->health().healthy);
        CHECK(worker->health().neededToServe);
    }
};

} // namespace portico::tests
