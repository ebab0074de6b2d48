#include "content/Workflow.h"
#include "content/Deck.h"
#include "content/Post.h"
#include "content/SafeActions.h"
#include "content/Slots.h"
#include "support/Suite.h"

#include <string>
#include <vector>

namespace portico::tests
{

using namespace social;

/// The pure parts of content: states, post status, deck, slots.
class WorkflowTest : public Suite<WorkflowTest>
{
    const Instant _now = *parseInstant("2026-11-23T08:00:00Z");

    static Instant at(std::string_view text) { return *parseInstant(text); }
    static ContentItem itemIn(PublishStatus status, ApprovalState approval = ApprovalState::NotRequired)
    {
        ContentItem item;
        item.postId = PostId::make(Instant{});
        item.publishStatus = status;
        item.approvalState = approval;
        return item;
    }
    std::int64_t rank(int hoursOld, std::optional<int> dueIn) const
    {
        const auto hour = std::chrono::hours(1);
        return deckRank(_now - hoursOld * hour, dueIn ? std::optional<Instant>(_now + *dueIn * hour) : std::nullopt, 24, _now).rank;
    }

public:
    TEST(ranksTheDeck)
    {
        equal(700, rank(0, std::nullopt));
        equal(350, rank(24, std::nullopt));
        equal(500, rank(24, 24));
        equal(1000, rank(0, 0));
        equal(475, rank(48, -1));
        // Clamped: nothing is fresher than new or less urgent than far away.
        equal(700, rank(-5, 1000));
        ContentItem item;
        item.createdAt = _now;
        item.sourceObservedAt = _now + std::chrono::hours(1);
        CHECK(freshAt(item) == _now);
        item.kind = ContentKind::Suggestion;
        CHECK(freshAt(item) == _now + std::chrono::hours(1));
    }

    TEST(derivesThePostStatus)
    {
        using enum PublishStatus;
        const auto status = [](std::vector<PublishStatus> states)
        {
            std::vector<ContentItem> items;
            for (const auto state : states) items.push_back(itemIn(state));
            return std::string(toString(postStatusOf(items)));
        };
        equal("draft", status({None, None}));
        equal("scheduled", status({Queued, Queued}));
        equal("scheduled", status({Queued, None}));
        equal("publishing", status({Published, Queued}));
        for (const auto state : {Publishing, Retrying, Verifying}) equal("publishing", status({Failed, state, Published}));
        equal("published", status({Published, Cancelled}));
        equal("partially_published", status({Published, Failed}));
        equal("partially_published", status({Published, None}));
        equal("failed", status({Failed, Queued}));
        equal("cancelled", status({Cancelled, Cancelled}));
        equal("pending_approval", std::string(toString(postStatusOf({itemIn(None, ApprovalState::Pending), itemIn(None)}))));
    }

    TEST(editKeepsTheProgress)
    {
        auto item = itemIn(PublishStatus::Failed);
        item.progress = "{}";
        auto edited = item;
        edited.text = "New";
        CHECK(workflow::edit(item, edited, {}, "usr_x", _now).item.progress);
        edited.integrationId = IntegrationId::make(_now);
        CHECK(workflow::edit(item, edited, {}, "usr_x", _now).item.progress);
    }

    TEST(findsTheNextSlot)
    {
        const TimeZones zones;
        const auto berlin = *zones.find("Europe/Berlin");
        const std::vector<PlannedSlot> plan{{1, "10:00"}, {1, "09:00"}, {3, "18:30"}};
        std::vector<Instant> taken;
        const auto next = [&](std::string_view from)
        {
            const auto found = nextSlot(plan, berlin, at(from), at(from) + slotHorizon,
                                        [&](Instant time) { return std::ranges::find(taken, time) != taken.end(); });
            return found ? toString(*found) : std::string("none");
        };
        // 09:00 in Berlin is 08:00 UTC, and the time itself still counts.
        equal("2026-11-23T08:00:00.000Z", next("2026-11-23T08:00:00Z"));
        equal("2026-11-23T09:00:00.000Z", next("2026-11-23T08:00:01Z"));
        taken = {at("2026-11-23T09:00:00Z")};
        equal("2026-11-25T17:30:00.000Z", next("2026-11-23T08:00:01Z"));
        CHECK(!nextSlot({}, berlin, _now, _now + slotHorizon, [](Instant) { return false; }));
        CHECK(!nextSlot(plan, berlin, _now, _now + slotHorizon, [](Instant) { return true; }));
    }

    TEST(knowsSlotsOnDaysOfAClockChange)
    {
        const TimeZones zones;
        const auto berlin = *zones.find("Europe/Berlin");
        const auto next = [&](const char* time, std::string_view from) {
            return toString(*nextSlot({{7, time}}, berlin, at(from), at(from) + slotHorizon, [](Instant) { return false; }));
        };
        // 02:30 does not exist on 2027-03-28: the instant of the jump. On 2026-10-25 it comes twice: the first.
        equal("2027-03-28T01:00:00.000Z", next("02:30", "2027-03-27T12:00:00Z"));
        equal("2026-10-25T00:30:00.000Z", next("02:30", "2026-10-24T12:00:00Z"));
    }

    TEST(retriesFiveTimes)
    {
        auto item = itemIn(PublishStatus::Queued);
        item.scheduledFor = _now;
        item = workflow::settled(item);
        auto now = _now;
        for (int attempt = 1;; ++attempt)
        {
            auto move = workflow::begin(item, std::chrono::minutes(120), now);
            CHECK(!move.refusal);
            equal(std::int64_t{attempt}, move.item.totalAttempts);
            move = workflow::setBack(move.item, {{}, now + std::chrono::hours(1), true}, now);
            item = move.item;
            if (item.publishStatus == PublishStatus::Failed)
            {
                equal(6, attempt);
                CHECK(!item.dueAt);
                break;
            }
            CHECK(item.publishStatus == PublishStatus::Retrying);
            CHECK(item.dueAt == now + std::chrono::hours(1));
            now += std::chrono::hours(1);
        }
        // A wait that the network asks for uses none.
        auto waiting = itemIn(PublishStatus::Publishing);
        waiting.automaticAttempts = 5;
        const auto move = workflow::setBack(waiting, {{}, now, false}, now);
        CHECK(move.item.publishStatus == PublishStatus::Retrying);
        equal(5, move.item.automaticAttempts);
    }

    TEST(looksThreeTimes)
    {
        auto item = workflow::loseTrack(itemIn(PublishStatus::Publishing), _now).item;
        std::vector<int> looks;
        auto now = _now;
        while (item.publishStatus == PublishStatus::Verifying)
        {
            now = *item.dueAt;
            looks.push_back(static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(now - _now).count()));
            item = workflow::lookInVain(item, now).item;
        }
        CHECK((std::vector<int>{0, 60, 300}) == looks);
        CHECK(item.publishStatus == PublishStatus::Retrying);
        CHECK(item.dueAt == now);
    }

    TEST(givesUpAnUnknownOutcome)
    {
        auto item = workflow::loseTrack(itemIn(PublishStatus::Publishing), _now).item;
        const auto minute = std::chrono::minutes(1);
        auto move = workflow::stayUnsure(item, _now + 15 * minute, _now + 14 * minute);
        CHECK(move.item.publishStatus == PublishStatus::Verifying);
        move = workflow::stayUnsure(move.item, _now + 16 * minute, _now + 15 * minute);
        CHECK(move.item.failure->code == FailureCode::OutcomeUnknown);
        CHECK(workflow::retry(move.item, false, _now).refusal == Refusal::NotAllowed);
        CHECK(workflow::retry(move.item, true, _now).item.publishStatus == PublishStatus::Queued);
        CHECK(workflow::markPublished(move.item, "", _now).item.publishStatus == PublishStatus::Published);
    }

    TEST(keepsOneStateWhenItRefuses)
    {
        for (const auto& [word, status] : choicesOf<PublishStatus>())
        {
            const auto item = itemIn(status);
            const auto check = [&](const Move& move)
            {
                if (!move.refusal) return;
                CPPUNIT_ASSERT_MESSAGE(std::string(word), move.item == item && move.events.empty());
            };
            check(workflow::submit(item, {}, _now));
            check(workflow::approve(item, {}, _now));
            check(workflow::reject(item, {}, _now));
            check(workflow::reschedule(item, _now, _now));
            check(workflow::retry(item, true, _now));
            check(workflow::publishNow(item, _now));
            check(workflow::revertToDraft(item, _now));
            check(workflow::cancel(item, _now));
            check(workflow::remove(item, _now));
            check(workflow::begin(item, std::chrono::minutes(1), _now));
            check(workflow::setBack(item, {}, _now));
            check(workflow::loseTrack(item, _now));
            check(workflow::wait(item, BlockedReason::RateLimited, _now));
        }
    }
};

} // namespace portico::tests
