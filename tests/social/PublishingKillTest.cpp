#include "social/PublishingFixture.h"

#include <random>

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Workers that are killed at any point, and networks that lose requests and answers.
class PublishingKillTest : public Suite<PublishingKillTest, PublishingFixture>
{
    void setUp() override
    {
        PublishingFixture::setUp();
        random.seed(20261123);
    }

    bool chance(int percent) { return static_cast<int>(random() % 100) < percent; }

    /// Loses requests before they take effect and answers after it, and kills the worker at both places.
    void disturb(ScriptedNetwork& network)
    {
        const auto fault = [this](const StepCall&) -> std::optional<StepOutcome>
        {
            if (chance(20)) throw Killed{};
            StepOutcome lost;
            lost.kind = StepOutcome::Kind::PerhapsSent;
            return chance(15) ? std::optional(lost) : std::nullopt;
        };
        network.before = network.after = fault;
        network.onLook = [this](const StepCall&) -> std::optional<LookUp> {
            return chance(20) ? std::optional(LookUp{LookUp::Kind::Unknown, {}, "No answer.", {}}) : std::nullopt;
        };
    }

    /// Lets time pass and starts workers again until nothing waits. @return how many workers were killed
    int runToTheEnd(const std::vector<std::string>& contents)
    {
        int killed = 0;
        for (int round = 0; round < 4'000; ++round)
        {
            if (workUntilKilled())
            {
                ++killed;
                restart();
            }
            const bool ended = std::ranges::all_of(contents,
                                                   [&](const std::string& content)
                                                   {
                                                       const auto now = status(content);
                                                       return now == "published" || now == "failed";
                                                   });
            if (ended) return killed;
            advance(61s);
        }
        CPPUNIT_FAIL("items wait for ever");
        return killed;
    }

    std::vector<std::string> publishMany(Platform platform, int count)
    {
        std::vector<std::string> contents;
        const auto account = addAccount(platform), other = addAccount(platform);
        for (int i = 0; i < count; ++i)
            contents.push_back(
                publish(i % 2 == 0 ? account : other, "Post " + std::to_string(i), std::chrono::seconds(i + 1),
                        i % 5 == 0 ? std::vector<std::string>{"Second of " + std::to_string(i)} : std::vector<std::string>{}));
        return contents;
    }

    TEST(publishesExactlyOnceWhereARepetitionIsHarmless)
    {
        disturb(*idempotent);
        const auto contents = publishMany(Platform::Webhook, 20);
        const auto killed = runToTheEnd(contents);
        CHECK(killed >= 5);
        for (int i = 0; i < 20; ++i)
        {
            const bool out = status(contents[static_cast<std::size_t>(i)]) == "published";
            CHECK(idempotent->published("Post " + std::to_string(i)) <= 1);
            if (out) equal(1, idempotent->published("Post " + std::to_string(i)));
            if (out && i % 5 == 0) equal(1, idempotent->published("Second of " + std::to_string(i)));
        }
    }

    TEST(neverPublishesTwiceWhereARepetitionIsNot)
    {
        disturb(*neverTwice);
        const auto contents = publishMany(Platform::X, 20);
        const auto killed = runToTheEnd(contents);
        CHECK(killed >= 5);
        for (int i = 0; i < 20; ++i)
        {
            const auto shown = item(contents[static_cast<std::size_t>(i)]);
            const auto times = neverTwice->published("Post " + std::to_string(i));
            CHECK(times <= 1);
            CHECK(neverTwice->published("Second of " + std::to_string(i)) <= 1);
            if (shown.at("/publishStatus") == "published")
                equal(1, times);
            else
                equal("outcome_unknown", shown.at("/failure/code"));
        }
    }

    std::mt19937 random;
};

} // namespace portico::tests
