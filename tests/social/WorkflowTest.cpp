#include "content/Workflow.h"
#include "content/Deck.h"
#include "content/Post.h"
#include "content/SafeActions.h"
#include "content/Slots.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

namespace portico::tests
{

using namespace social;

/// The pure parts of content: states, post status, deck, slots.
class WorkflowTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(WorkflowTest);
    CPPUNIT_TEST(ranksTheDeck);
    CPPUNIT_TEST(derivesThePostStatus);
    CPPUNIT_TEST(findsTheNextSlot);
    CPPUNIT_TEST(knowsSlotsOnDaysOfAClockChange);
    CPPUNIT_TEST(retriesFiveTimes);
    CPPUNIT_TEST(looksThreeTimes);
    CPPUNIT_TEST(givesUpAnUnknownOutcome);
    CPPUNIT_TEST(keepsOneStateWhenItRefuses);
    CPPUNIT_TEST_SUITE_END();

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
    void ranksTheDeck()
    {
        CPPUNIT_ASSERT_EQUAL(std::int64_t{700}, rank(0, std::nullopt));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{350}, rank(24, std::nullopt));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{500}, rank(24, 24));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1000}, rank(0, 0));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{475}, rank(48, -1));
        // Clamped: nothing is fresher than new or less urgent than far away.
        CPPUNIT_ASSERT_EQUAL(std::int64_t{700}, rank(-5, 1000));
        ContentItem item;
        item.createdAt = _now;
        item.sourceObservedAt = _now + std::chrono::hours(1);
        CPPUNIT_ASSERT(freshAt(item) == _now);
        item.kind = ContentKind::Suggestion;
        CPPUNIT_ASSERT(freshAt(item) == _now + std::chrono::hours(1));
    }

    void derivesThePostStatus()
    {
        using enum PublishStatus;
        const auto status = [](std::vector<PublishStatus> states)
        {
            std::vector<ContentItem> items;
            for (const auto state : states) items.push_back(itemIn(state));
            return std::string(toString(postStatusOf(items)));
        };
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), status({None, None}));
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled"), status({Queued, Queued}));
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled"), status({Queued, None}));
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), status({Published, Queued}));
        for (const auto state : {Publishing, Retrying, Verifying})
            CPPUNIT_ASSERT_EQUAL(std::string("publishing"), status({Failed, state, Published}));
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status({Published, Cancelled}));
        CPPUNIT_ASSERT_EQUAL(std::string("partially_published"), status({Published, Failed}));
        CPPUNIT_ASSERT_EQUAL(std::string("partially_published"), status({Published, None}));
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), status({Failed, Queued}));
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), status({Cancelled, Cancelled}));
        CPPUNIT_ASSERT_EQUAL(std::string("pending_approval"),
                             std::string(toString(postStatusOf({itemIn(None, ApprovalState::Pending), itemIn(None)}))));
    }

    void findsTheNextSlot()
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
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), next("2026-11-23T08:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T09:00:00.000Z"), next("2026-11-23T08:00:01Z"));
        taken = {at("2026-11-23T09:00:00Z")};
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T17:30:00.000Z"), next("2026-11-23T08:00:01Z"));
        CPPUNIT_ASSERT(!nextSlot({}, berlin, _now, _now + slotHorizon, [](Instant) { return false; }));
        CPPUNIT_ASSERT(!nextSlot(plan, berlin, _now, _now + slotHorizon, [](Instant) { return true; }));
    }

    void knowsSlotsOnDaysOfAClockChange()
    {
        const TimeZones zones;
        const auto berlin = *zones.find("Europe/Berlin");
        const auto next = [&](const char* time, std::string_view from) {
            return toString(*nextSlot({{7, time}}, berlin, at(from), at(from) + slotHorizon, [](Instant) { return false; }));
        };
        // 02:30 does not exist on 2027-03-28: the instant of the jump. On 2026-10-25 it comes twice: the first.
        CPPUNIT_ASSERT_EQUAL(std::string("2027-03-28T01:00:00.000Z"), next("02:30", "2027-03-27T12:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-10-25T00:30:00.000Z"), next("02:30", "2026-10-24T12:00:00Z"));
    }

    void retriesFiveTimes()
    {
        auto item = itemIn(PublishStatus::Queued);
        item.scheduledFor = _now;
        item = workflow::settled(item);
        auto now = _now;
        for (int attempt = 1;; ++attempt)
        {
            auto move = workflow::begin(item, std::chrono::minutes(120), now);
            CPPUNIT_ASSERT(!move.refusal);
            CPPUNIT_ASSERT_EQUAL(std::int64_t{attempt}, move.item.totalAttempts);
            move = workflow::setBack(move.item, {{}, now + std::chrono::hours(1), true}, now);
            item = move.item;
            if (item.publishStatus == PublishStatus::Failed)
            {
                CPPUNIT_ASSERT_EQUAL(6, attempt);
                CPPUNIT_ASSERT(!item.dueAt);
                break;
            }
            CPPUNIT_ASSERT(item.publishStatus == PublishStatus::Retrying);
            CPPUNIT_ASSERT(item.dueAt == now + std::chrono::hours(1));
            now += std::chrono::hours(1);
        }
        // A wait that the network asks for uses none.
        auto waiting = itemIn(PublishStatus::Publishing);
        waiting.automaticAttempts = 5;
        const auto move = workflow::setBack(waiting, {{}, now, false}, now);
        CPPUNIT_ASSERT(move.item.publishStatus == PublishStatus::Retrying);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, move.item.automaticAttempts);
    }

    void looksThreeTimes()
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
        CPPUNIT_ASSERT((std::vector<int>{0, 60, 300}) == looks);
        CPPUNIT_ASSERT(item.publishStatus == PublishStatus::Retrying);
        CPPUNIT_ASSERT(item.dueAt == now);
    }

    void givesUpAnUnknownOutcome()
    {
        auto item = workflow::loseTrack(itemIn(PublishStatus::Publishing), _now).item;
        const auto minute = std::chrono::minutes(1);
        auto move = workflow::stayUnsure(item, _now + 15 * minute, _now + 14 * minute);
        CPPUNIT_ASSERT(move.item.publishStatus == PublishStatus::Verifying);
        move = workflow::stayUnsure(move.item, _now + 16 * minute, _now + 15 * minute);
        CPPUNIT_ASSERT(move.item.failure->code == FailureCode::OutcomeUnknown);
        CPPUNIT_ASSERT(workflow::retry(move.item, false, _now).refusal == Refusal::NotAllowed);
        CPPUNIT_ASSERT(workflow::retry(move.item, true, _now).item.publishStatus == PublishStatus::Queued);
        CPPUNIT_ASSERT(workflow::markPublished(move.item, "", _now).item.publishStatus == PublishStatus::Published);
    }

    void keepsOneStateWhenItRefuses()
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

CPPUNIT_TEST_SUITE_REGISTRATION(WorkflowTest);

} // namespace portico::tests
