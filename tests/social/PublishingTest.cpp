#include "social/PublishingFixture.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// How the worker carries items through the states of 2.A.3.
class PublishingTest : public PublishingFixture
{
    CPPUNIT_TEST_SUITE(PublishingTest);
    CPPUNIT_TEST(publishesADueItemOnce);
    CPPUNIT_TEST(leavesItemsAloneUntilTheyAreDue);
    CPPUNIT_TEST(retriesOnTheScheduleAndThenFails);
    CPPUNIT_TEST(waitsAsLongAsTheNetworkAsksWithoutUsingAnAttempt);
    CPPUNIT_TEST(failsAtOnceWhatNoRepetitionHelps);
    CPPUNIT_TEST(sendsAgainAfterALostAnswerWithTheSameKey);
    CPPUNIT_TEST(looksBeforeItSendsAgainWhenTheKeyHasExpired);
    CPPUNIT_TEST(verifiesWhereARepetitionWouldPublishTwice);
    CPPUNIT_TEST(sendsAgainAfterThreeLooksInVain);
    CPPUNIT_TEST(givesTheOutcomeToAPersonAfterAQuarterOfAnHour);
    CPPUNIT_TEST(resumesAThreadAtThePartThatFailed);
    CPPUNIT_TEST(goesOnBehindThePublishedPartsOfAnEditedThread);
    CPPUNIT_TEST(renewsTokensOnceAndStoresThemFirst);
    CPPUNIT_TEST(disconnectsOnlyWhenTheGrantIsDead);
    CPPUNIT_TEST(renewsTokensAtFourFifthsOfTheirLife);
    CPPUNIT_TEST(failsWhatIsLaterThanTheGraceTime);
    CPPUNIT_TEST(saysWhyAnItemWaits);
    CPPUNIT_TEST(takesOneItemOfAnAccountAtATimeInOrder);
    CPPUNIT_TEST(givesBetweenTwoStepsBackWhatItIsAskedFor);
    CPPUNIT_TEST(cutsWhatMayBeSentAgain);
    CPPUNIT_TEST(keepsAnItemDuringALongStep);
    CPPUNIT_TEST(givesBackWhatAFaultLeaves);
    CPPUNIT_TEST(givesBackWhatItHasWhenItStops);
    CPPUNIT_TEST(sharesSlotsBetweenNetworksAndBrands);
    CPPUNIT_TEST(publishesForOneAccountInOneSlotOfAHost);
    CPPUNIT_TEST(itemsOfOneTimeShareSlotJobs);
    CPPUNIT_TEST(startsSlotsAtTheTimesOfTheItems);
    CPPUNIT_TEST(isReadyWhileTheWorkerGivesSignsOfLife);
    CPPUNIT_TEST_SUITE_END();

public:
    static StepOutcome outcome(StepOutcome::Kind kind, int httpStatus = 0)
    {
        StepOutcome made;
        made.kind = kind;
        made.code = FailureCode::PlatformError;
        made.message = "The network said no.";
        made.httpStatus = httpStatus;
        return made;
    }

    void publishesADueItemOnce()
    {
        const auto id = addAccount(Platform::Webhook);
        const auto content = publish(id, "Hello");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), work());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), work());
        const auto shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("p1"), shown.at("/result/platformPostId"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://network.example/p1"), shown.at("/result/platformUrl"));
        CPPUNIT_ASSERT_EQUAL(1, idempotent->performed);
    }

    void leavesItemsAloneUntilTheyAreDue()
    {
        const auto content = publish(addAccount(Platform::Webhook), "Later", 10min);
        advance(10min - 1ms);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), work());
        advance(1ms);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), work());
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
    }

    void retriesOnTheScheduleAndThenFails()
    {
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::Retry, 503); };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        for (const auto wait : {30s, 120s, 600s, 1800s, 7200s})
        {
            work();
            CPPUNIT_ASSERT_EQUAL(std::string("retrying"), status(content));
            const auto next = untilNextAttempt(content);
            CPPUNIT_ASSERT(next >= wait * 8 / 10 && next <= wait * 12 / 10);
            advance(next - 1ms);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), work());
            advance(1ms);
        }
        work();
        const auto shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("platform_error"), shown.at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("503"), shown.at("/failure/platformStatus"));
        CPPUNIT_ASSERT_EQUAL(6, idempotent->performed);
        CPPUNIT_ASSERT(idempotent->posts.empty());
    }

    void waitsAsLongAsTheNetworkAsksWithoutUsingAnAttempt()
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
            CPPUNIT_ASSERT_EQUAL(std::string("0"), item(content).at("/attempts/automatic"));
            CPPUNIT_ASSERT(untilNextAttempt(content) == 90s);
            advance(90s);
        }
        // Another post of the account waits as well, and says why.
        const auto other = publish(id, "Second");
        idempotent->before = nullptr;
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(other));
    }

    void failsAtOnceWhatNoRepetitionHelps()
    {
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::Failed, 422); };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, idempotent->performed);
    }

    void sendsAgainAfterALostAnswerWithTheSameKey()
    {
        bool lost = true;
        idempotent->after = [&](const StepCall&) -> std::optional<StepOutcome>
        { return std::exchange(lost, false) ? std::optional(outcome(StepOutcome::Kind::PerhapsSent)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("retrying"), status(content));
        advance(untilNextAttempt(content));
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, idempotent->published("Hello"));
        CPPUNIT_ASSERT_EQUAL(0, idempotent->looks);
    }

    void looksBeforeItSendsAgainWhenTheKeyHasExpired()
    {
        forAWhile->after = [&](const StepCall&) { return outcome(StepOutcome::Kind::PerhapsSent, 500); };
        const auto content = publish(addAccount(Platform::Mastodon), "Hello");
        // The retries of the first 55 minutes rely on the key.
        for (int i = 0; i < 4; ++i)
        {
            work();
            advance(untilNextAttempt(content));
        }
        CPPUNIT_ASSERT_EQUAL(0, forAWhile->looks);
        work();
        advance(untilNextAttempt(content));
        work();
        CPPUNIT_ASSERT_EQUAL(1, forAWhile->looks);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, forAWhile->published("Hello"));
    }

    void verifiesWhereARepetitionWouldPublishTwice()
    {
        neverTwice->after = [&](const StepCall&) { return outcome(StepOutcome::Kind::PerhapsSent); };
        const auto content = publish(addAccount(Platform::X), "Hello");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), work()); // the attempt, and the first look
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, neverTwice->published("Hello"));
        CPPUNIT_ASSERT_EQUAL(1, neverTwice->looks);
    }

    void sendsAgainAfterThreeLooksInVain()
    {
        bool drop = true;
        neverTwice->before = [&](const StepCall&) -> std::optional<StepOutcome>
        { return std::exchange(drop, false) ? std::optional(outcome(StepOutcome::Kind::PerhapsSent)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::X), "Hello");
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("verifying"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, neverTwice->looks);
        advance(60s);
        work();
        CPPUNIT_ASSERT_EQUAL(2, neverTwice->looks);
        advance(240s);
        work();
        CPPUNIT_ASSERT_EQUAL(3, neverTwice->looks);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, neverTwice->published("Hello"));
    }

    void givesTheOutcomeToAPersonAfterAQuarterOfAnHour()
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
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("outcome_unknown"), shown.at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(1, neverTwice->performed);
    }

    void resumesAThreadAtThePartThatFailed()
    {
        bool broken = true;
        idempotent->before = [&](const StepCall& call) -> std::optional<StepOutcome>
        { return call.step.part == 5 && broken ? std::optional(outcome(StepOutcome::Kind::Failed, 400)) : std::nullopt; };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2", "3", "4", "5", "6", "7", "8", "9", "10", "11"});
        work();
        auto shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("5"), shown.at("/failure/part"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(5), shown.count("/result/parts"));
        broken = false;
        made(inBrand(brand, Method::Post, "/api/content-ops/items/" + content + "/reschedule", admin,
                     R"({"scheduledFor":")" + toString(host->context().clock().now() + 1s) + R"("})"));
        advance(1s);
        work();
        shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(11), shown.count("/result/parts"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(11), idempotent->posts.size());
        CPPUNIT_ASSERT_EQUAL(12, idempotent->performed);
    }

    void goesOnBehindThePublishedPartsOfAnEditedThread()
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
        CPPUNIT_ASSERT_EQUAL(std::int64_t(2), after.revision);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), after.results.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), after.steps.size());
        CPPUNIT_ASSERT_EQUAL(std::string("THREE"), after.next().request);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), publishedOf(after)->parts.size());
        CPPUNIT_ASSERT_EQUAL(std::string("ONE"), continued({}, fresh).next().request);
        CPPUNIT_ASSERT(!publishedOf(fresh));
    }

    void renewsTokensOnceAndStoresThemFirst()
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
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, idempotent->refreshes);
        CPPUNIT_ASSERT_EQUAL(std::string("token-2"), credentialsOf(id).accessToken);
        CPPUNIT_ASSERT_EQUAL(std::string("refresh-1"), credentialsOf(id).refreshToken);
        CPPUNIT_ASSERT(idempotent->tokens == std::vector<std::string>({"token-1", "token-2"}));
    }

    void disconnectsOnlyWhenTheGrantIsDead()
    {
        const auto id = addAccount(Platform::Webhook);
        idempotent->before = [](const StepCall&) { return outcome(StepOutcome::Kind::AuthRefused, 401); };
        idempotent->onRefresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Unreachable, {}, "Down."}; };
        const auto content = publish(id, "Hello");
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("retrying"), status(content));
        CPPUNIT_ASSERT(account(id).connectionState == ConnectionState::Connected);
        idempotent->onRefresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Dead, {}, "Revoked."}; };
        advance(untilNextAttempt(content));
        work();
        const auto shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("reconnect_required"), shown.at("/failure/code"));
        CPPUNIT_ASSERT(account(id).connectionState == ConnectionState::ReconnectRequired);
    }

    void renewsTokensAtFourFifthsOfTheirLife()
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
        CPPUNIT_ASSERT(idempotent->tokens == std::vector<std::string>({"token-1", "token-2"}));
    }

    void failsWhatIsLaterThanTheGraceTime()
    {
        const auto content = publish(addAccount(Platform::Webhook), "Hello", 1min);
        advance(60h); // a weekend
        restart();
        work();
        const auto shown = item(content);
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), shown.at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("missed_schedule"), shown.at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(0, idempotent->performed);
    }

    void saysWhyAnItemWaits()
    {
        const auto id = addAccount(Platform::Webhook);
        setState(id, ConnectionState::ReconnectRequired);
        const auto content = publish(id, "Hello");
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("queued"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::string("reconnect_required"), item(content).at("/blockedReason"));
        setState(id, ConnectionState::Connected);
        advance(15min);
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), item(content).at("/blockedReason"));
    }

    void takesOneItemOfAnAccountAtATimeInOrder()
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
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), work());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), inner);
        CPPUNIT_ASSERT_EQUAL(std::string("Post 1"), idempotent->posts.at(0).second);
        CPPUNIT_ASSERT_EQUAL(std::string("Post 2"), idempotent->posts.at(1).second);
        CPPUNIT_ASSERT_EQUAL(std::string("Post 3"), idempotent->posts.at(2).second);
    }

    void givesBetweenTwoStepsBackWhatItIsAskedFor()
    {
        std::stop_source stop;
        idempotent->after = [&](const StepCall& call) -> std::optional<StepOutcome>
        {
            if (call.step.part == 1) stop.request_stop();
            return std::nullopt;
        };
        const auto content = publish(addAccount(Platform::Webhook), "1", 0s, {"2", "3", "4"});
        worker->publishDue(jobWith(stop.get_token()));
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), idempotent->posts.size());
        idempotent->after = nullptr;
        restart();
        work();
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::size_t(4), idempotent->posts.size());
        CPPUNIT_ASSERT_EQUAL(4, idempotent->performed);
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

    void cutsWhatMayBeSentAgain()
    {
        std::stop_source stop;
        idempotent->before = [&](const StepCall& call) -> std::optional<StepOutcome>
        {
            stop.request_stop();
            CPPUNIT_ASSERT(call.stop.stop_requested());
            return outcome(StepOutcome::Kind::PerhapsSent);
        };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        worker->publishDue(jobWith(stop.get_token()));
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), item(content).at("/attempts/automatic"));
        idempotent->before = nullptr;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), takenByAnother());
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), item(content).at("/attempts/total"));
    }

    void keepsAnItemDuringALongStep()
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
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), worker->publishDue(job));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), taken);
        CPPUNIT_ASSERT_EQUAL(1, idempotent->performed);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        // A later beat concerns nothing any more.
        CPPUNIT_ASSERT_EQUAL(std::string(), job.pulse->beat());
    }

    void givesBackWhatAFaultLeaves()
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
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), status(content));
        idempotent->onRefresh = nullptr;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), takenByAnother());
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
    }

    void givesBackWhatItHasWhenItStops()
    {
        idempotent->before = [](const StepCall&) -> std::optional<StepOutcome> { throw Killed{}; };
        const auto content = publish(addAccount(Platform::Webhook), "Hello");
        CPPUNIT_ASSERT(workUntilKilled());
        idempotent->before = nullptr;
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), takenByAnother());
        // Another worker's end changes nothing.
        Worker(host->context(), *networks, *accounts, *links, *copies).stop();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), takenByAnother());
        worker->stop();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), takenByAnother());
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        CPPUNIT_ASSERT_EQUAL(1, idempotent->published("Hello"));
    }

    void sharesSlotsBetweenNetworksAndBrands()
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
        CPPUNIT_ASSERT(ids(8) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
        // A quarter of eight slots for one brand.
        const RunningItems::Place a(running, due(Platform::Mastodon, one, 0s)), b(running, due(Platform::Mastodon, one, 0s));
        CPPUNIT_ASSERT(ids(8) == std::vector({second.contentId, fourth.contentId, first.contentId, third.contentId}));
        {
            // Half of the slots for one network.
            const RunningItems::Place c(running, due(Platform::Webhook, two, 0s)), d(running, due(Platform::Webhook, two, 0s)),
                e(running, due(Platform::Webhook, four, 0s)), f(running, due(Platform::Webhook, four, 0s));
            CPPUNIT_ASSERT(ids(8) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
            CPPUNIT_ASSERT(ids(16) == std::vector({first.contentId, second.contentId, third.contentId, fourth.contentId}));
        }
        CPPUNIT_ASSERT(ids(8) == std::vector({second.contentId, fourth.contentId, first.contentId, third.contentId}));
    }

    void publishesForOneAccountInOneSlotOfAHost()
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
            CPPUNIT_ASSERT(one && !two && three);
            CPPUNIT_ASSERT(running.inOrder({first, second, other}, 8).empty());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), running.inOrder({first, second, other}, 8).size());
    }

    void itemsOfOneTimeShareSlotJobs()
    {
        const auto id = addAccount(Platform::Webhook);
        auto& jobs = host->context().jobs();
        for (int i = 0; i < 40; ++i) publish(id, "Post " + std::to_string(i), 12s);
        const auto waiting = jobs.waiting(Publications::slotJob).size();
        CPPUNIT_ASSERT(waiting > 1 && waiting <= Publications::mostJobsAtOneTime);
    }

    void startsSlotsAtTheTimesOfTheItems()
    {
        const auto id = addAccount(Platform::Webhook);
        auto& jobs = host->context().jobs();
        // A change that makes an item due soon starts a slot itself; the sweep finds what is due later.
        publish(id, "Soon", 12s);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), jobs.waiting(Publications::slotJob).size());
        CPPUNIT_ASSERT(jobs.waiting(Publications::slotJob).front().dueAt == now() + 12s);
        publish(id, "Later", 10min);
        worker->sweep();
        const auto before = jobs.waiting(Publications::slotJob).size();
        advance(10min - 14s);
        worker->sweep();
        worker->sweep();
        const auto waiting = jobs.waiting(Publications::slotJob);
        const auto atTheTime = std::ranges::count_if(waiting, [&](const auto& job) { return job.dueAt == now() + 14s; });
        CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t(1), atTheTime);
        CPPUNIT_ASSERT(waiting.size() > before);
    }

    void isReadyWhileTheWorkerGivesSignsOfLife()
    {
        CPPUNIT_ASSERT(worker->health().healthy);
        advance(61s);
        CPPUNIT_ASSERT(!worker->health().healthy);
        worker->sweep();
        CPPUNIT_ASSERT(worker->health().healthy);
        advance(59s);
        CPPUNIT_ASSERT(worker->health().healthy);
        advance(2s);
        CPPUNIT_ASSERT(!worker->health().healthy);
        CPPUNIT_ASSERT(worker->health().neededToServe);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PublishingTest);

} // namespace portico::tests
