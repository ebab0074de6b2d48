#include "social/ContentFixture.h"

#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

/// /api/content-ops/items: approval, times, failures, suggestions.
class ItemTest : public ContentFixture
{
    CPPUNIT_TEST_SUITE(ItemTest);
    CPPUNIT_TEST(asksForApproval);
    CPPUNIT_TEST(refusesSelfApproval);
    CPPUNIT_TEST(needsEveryStep);
    CPPUNIT_TEST(queuesWithTheLastApproval);
    CPPUNIT_TEST(approvesTooLate);
    CPPUNIT_TEST(leavesTheQueueWhenEdited);
    CPPUNIT_TEST(takesANewPolicyWithTheNextEdit);
    CPPUNIT_TEST(rejects);
    CPPUNIT_TEST(approvesNoUnseenText);
    CPPUNIT_TEST(countsOneOfTwoApprovals);
    CPPUNIT_TEST(letsAnApprovalOrAnEditWin);
    CPPUNIT_TEST(retriesAndReschedules);
    CPPUNIT_TEST(handlesEachFailure);
    CPPUNIT_TEST(cancels);
    CPPUNIT_TEST(missesTheSchedule);
    CPPUNIT_TEST(resumesALostLease);
    CPPUNIT_TEST(verifiesAnOutcome);
    CPPUNIT_TEST(waitsForAReason);
    CPPUNIT_TEST(losesAnAccount);
    CPPUNIT_TEST(keepsABrandThatIsPublishing);
    CPPUNIT_TEST(turnsASuggestionIntoAPost);
    CPPUNIT_TEST(choosesTheAccountOfASuggestion);
    CPPUNIT_TEST(expiresSuggestions);
    CPPUNIT_TEST(showsWhatAKeyMayDo);
    CPPUNIT_TEST_SUITE_END();

public:
    void asksForApproval()
    {
        setPolicy(1);
        const auto made = newPost(member);
        const auto id = made.at("/contentIds/0");
        CPPUNIT_ASSERT_EQUAL(std::string("not_submitted none"), stateOf(id));
        CPPUNIT_ASSERT_EQUAL(std::string("edit schedule submit duplicate delete"), actionsOf(item(id)));
        assertProblem(post(member, "/api/posts/" + made.at("/postId") + "/publish"), 409, "action_not_allowed");
        assertProblem(step(approver, id, "approve"), 409, "action_not_allowed");
        const auto submitted = this->made(step(member, id, "submit"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(submitted));
        CPPUNIT_ASSERT_EQUAL(std::string("edit approve reject revert_to_draft"), actionsOf(item(id, approver)));
        // A member may not approve.
        CPPUNIT_ASSERT_EQUAL(std::string("edit revert_to_draft"), actionsOf(item(id, member)));
        assertProblem(step(member, id, "approve"), 403, "permission_denied");
        const auto again = step(member, id, "submit");
        assertProblem(again, 409, "action_not_allowed");
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), again.at("/details/currentState"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit"), again.at("/details/safeActions/0/action"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending_approval"), get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        const auto approved = this->made(step(approver, id, "approve", R"({"comment":"Fine"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved none Fine"), stateOf(approved) + ' ' + approved.at("/approvals/0/comment"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit schedule publish_now duplicate delete"), actionsOf(item(id)));
        // One event for the submission, none for what was refused, one for a text that has to be approved again.
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host->context().events().published("social.item.pending_approval").size());
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        const auto waiting = host->context().events().published("social.item.pending_approval");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, waiting.size());
        CPPUNIT_ASSERT_EQUAL(
            std::string(R"({"brandId":")" + brand + R"(","postId":")" + made.at("/postId") + R"(","contentId":")" + id + R"("})"),
            waiting.back().data);
        this->made(step(approver, id, "approve"));
        publishNow(member, made.at("/postId"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved queued"), stateOf(id));
    }

    void refusesSelfApproval()
    {
        setPolicy(1);
        const auto id = pending(approver);
        assertProblem(step(approver, id, "approve"), 403, "self_approval");
        CPPUNIT_ASSERT_EQUAL(std::string("edit reject revert_to_draft"), actionsOf(item(id, approver)));
        // Who edited since the last approval is an author, too.
        this->made(patch(admin, itemPath(id), R"({"text":"New"})"));
        assertProblem(step(admin, id, "approve"), 403, "self_approval");
        const auto third = newAdmin(admin.organizationId);
        this->made(step(third, id, "approve"));
        this->made(patch(third, itemPath(id), R"({"text":"Newer"})"));
        this->made(step(admin, id, "approve"));
        setPolicy(1, true);
        const auto own = pending(approver);
        CPPUNIT_ASSERT_EQUAL(std::string("approved none"), stateOf(this->made(step(approver, own, "approve"))));
    }

    void needsEveryStep()
    {
        setPolicy(2);
        const auto id = pending(member);
        const auto first = this->made(step(approver, id, "approve"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none null"), stateOf(first) + ' ' + first.at("/timestamps/approvedAt"));
        assertProblem(step(approver, id, "approve"), 403, "self_approval");
        // An edit begins anew.
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), item(id).at("/approvals"));
        this->made(step(approver, id, "approve"));
        const auto second = this->made(step(admin, id, "approve"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved none"), stateOf(second));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), second.at("/approvals/1/step"));
    }

    void queuesWithTheLastApproval()
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto waiting = item(id);
        CPPUNIT_ASSERT_EQUAL(std::string("pending none approval_pending 2026-11-24T10:00:00.000Z"),
                             stateOf(waiting) + ' ' + waiting.at("/blockedReason") + ' ' + waiting.at("/scheduledFor"));
        CPPUNIT_ASSERT(!take(id));
        const auto approved = this->made(step(approver, id, "approve"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved queued null"), stateOf(approved) + ' ' + approved.at("/blockedReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled"), get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        // With a time of the approver.
        const auto other = pending(member);
        const auto timedByApprover = this->made(step(approver, other, "approve", R"({"scheduledFor":"2026-11-26T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved queued 2026-11-26T10:00:00.000Z"),
                             stateOf(timedByApprover) + ' ' + timedByApprover.at("/scheduledFor"));
        assertProblem(step(approver, pending(member), "approve", R"({"scheduledFor":"2026-11-20T10:00:00Z"})"), 400, "in_past");
    }

    void approvesTooLate()
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-23T09:00:00Z"));
        const auto id = made.at("/contentIds/0");
        advance(std::chrono::hours(2));
        const auto late = this->made(step(approver, id, "approve"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved none schedule_passed"), stateOf(late) + ' ' + late.at("/blockedReason"));
        const auto scheduled = this->made(patch(member, itemPath(id), R"({"scheduledFor":"2026-11-24T09:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved queued null"), stateOf(scheduled) + ' ' + scheduled.at("/blockedReason"));
    }

    void leavesTheQueueWhenEdited()
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        this->made(step(approver, id, "approve"));
        const auto edited = this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none approval_pending 2"),
                             stateOf(edited) + ' ' + edited.at("/blockedReason") + ' ' + edited.at("/revision"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T10:00:00.000Z"), edited.at("/scheduledFor"));
        // A text of the post does the same, a title does not.
        this->made(step(approver, id, "approve"));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"T"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("approved queued"), stateOf(id));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"linkUrl":"https://example.org/"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(id));
        // Reverted, it is a draft that nobody has been asked about.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"status":"draft"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_submitted none"), stateOf(id));
    }

    void takesANewPolicyWithTheNextEdit()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        setPolicy(1);
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued"), stateOf(id));
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(id));
        this->made(patch(admin, "/api/brands/" + brand, R"({"approvalPolicy":{"required":false}})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(id));
        this->made(patch(member, itemPath(id), R"({"text":"Newer"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued"), stateOf(id));
    }

    void rejects()
    {
        setPolicy(1);
        const auto id = pending(member);
        const auto rejected = this->made(step(approver, id, "reject", R"({"reason":"No"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("rejected none No"), stateOf(rejected) + ' ' + rejected.at("/approvals/0/comment"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit revert_to_draft duplicate delete"), actionsOf(item(id)));
        assertProblem(step(approver, id, "approve"), 409, "action_not_allowed");
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(this->made(patch(member, itemPath(id), R"({"text":"Better"})"))));
        assertProblem(step(approver, id, "reject", R"({"reason":")" + std::string(1001, 'x') + "\"}"), 400, "validation_failed");
    }

    void approvesNoUnseenText()
    {
        setPolicy(1);
        const auto id = pending(member);
        this->made(patch(member, itemPath(id), R"({"text":"Other"})"));
        const auto stale = step(approver, id, "approve", R"({"revision":1})");
        assertProblem(stale, 409, "revision_changed");
        CPPUNIT_ASSERT_EQUAL(std::string("2"), stale.at("/details/revision"));
        assertProblem(step(approver, id, "reject", R"({"revision":1})"), 409, "revision_changed");
        this->made(step(approver, id, "approve", R"({"revision":2})"));
    }

    void countsOneOfTwoApprovals()
    {
        setPolicy(1);
        for (int i = 0; i < 10; ++i)
        {
            const auto id = pending(member);
            std::atomic<int> counted = 0, refused = 0;
            runTogether(2,
                        [&](int n)
                        {
                            const auto answer = step(n == 0 ? admin : approver, id, "approve", R"({"revision":1})");
                            counted += answer.status == 200;
                            refused += answer.code() == "action_not_allowed";
                        });
            CPPUNIT_ASSERT_EQUAL(1, counted.load());
            CPPUNIT_ASSERT_EQUAL(1, refused.load());
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, item(id).count("/approvals"));
        }
    }

    void letsAnApprovalOrAnEditWin()
    {
        setPolicy(1);
        for (int i = 0; i < 10; ++i)
        {
            const auto id = pending(member);
            testing::TestAnswer approval{Response()}, edit{Response()};
            runTogether(2,
                        [&](int n)
                        {
                            if (n == 0)
                                approval = step(approver, id, "approve", R"({"revision":1})");
                            else
                                edit = patch(member, itemPath(id), R"({"text":"Other"})");
                        });
            CPPUNIT_ASSERT_EQUAL_MESSAGE(edit.body, 200, edit.status);
            if (approval.status != 200) assertProblem(approval, 409, "revision_changed");
            // In either order the new text waits for its approval.
            CPPUNIT_ASSERT_EQUAL(std::string("pending none Other"), stateOf(id) + ' ' + item(id).at("/text"));
            CPPUNIT_ASSERT_EQUAL(std::string("[]"), item(id).at("/approvals"));
        }
    }

    void retriesAndReschedules()
    {
        const auto id = failed(social::FailureCode::PlatformError, true);
        advance(std::chrono::seconds(30));
        for (int i = 0; i < 4; ++i)
        {
            fail(id, social::FailureCode::PlatformError, true);
            advance(std::chrono::seconds(30));
        }
        fail(id, social::FailureCode::PlatformError, true);
        const auto given = item(id);
        CPPUNIT_ASSERT_EQUAL(std::string("not_required failed 5 6"),
                             stateOf(given) + ' ' + given.at("/attempts/automatic") + ' ' + given.at("/attempts/total"));
        CPPUNIT_ASSERT_EQUAL(std::string("retry edit reschedule revert_to_draft duplicate"), actionsOf(given));
        CPPUNIT_ASSERT_EQUAL(std::string("6"), given.at("/failure/attempt"));
        const auto again = this->made(step(member, id, "retry"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued 0 null"),
                             stateOf(again) + ' ' + again.at("/attempts/automatic") + ' ' + again.at("/failure"));
        CPPUNIT_ASSERT_EQUAL(toString(host->context().clock().now()), again.at("/scheduledFor"));
        const auto moved = this->made(step(member, id, "reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("queued"), moved.at("/publishStatus"));
        assertProblem(step(member, id, "retry"), 409, "action_not_allowed");
        assertProblem(step(member, id, "reschedule"), 400, "validation_failed");
    }

    void handlesEachFailure()
    {
        const auto permanent = failed(social::FailureCode::DuplicateContent, false);
        CPPUNIT_ASSERT_EQUAL(std::string("edit reschedule revert_to_draft duplicate"), actionsOf(item(permanent)));
        assertProblem(step(member, permanent, "retry"), 409, "action_not_allowed");
        this->made(patch(member, itemPath(permanent), R"({"text":"Other"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), item(permanent).at("/publishStatus"));
        const auto dead = failed(social::FailureCode::ReconnectRequired, false);
        CPPUNIT_ASSERT_EQUAL(std::string("reconnect retry reschedule revert_to_draft"), actionsOf(item(dead)));
        assertProblem(patch(member, itemPath(dead), R"({"text":"Other"})"), 409, "action_not_allowed");
        this->made(put(member, "/api/posts/" + item(dead).at("/postId"), R"({"status":"draft"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), item(dead).at("/failure"));
        const auto failures = host->context().events().published("social.post.failed");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, failures.size());
        CPPUNIT_ASSERT(failures.front().data.find(permanent) != std::string::npos);
    }

    void cancels()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        CPPUNIT_ASSERT_EQUAL(std::string("not_required cancelled"), stateOf(this->made(step(member, id, "cancel"))));
        CPPUNIT_ASSERT_EQUAL(std::string("duplicate delete"), actionsOf(item(id)));
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        advance(std::chrono::hours(48));
        CPPUNIT_ASSERT(!take(id));
        assertProblem(step(member, id, "cancel"), 409, "action_not_allowed");
        assertProblem(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-26T10:00:00Z"})"), 409,
                      "action_not_allowed");
    }

    void missesTheSchedule()
    {
        const auto id = newPost(member, "Hello", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        host->context().clock().jumpTo(*parseInstant("2026-11-24T12:00:00.001Z"));
        CPPUNIT_ASSERT(!take(id));
        const auto missed = item(id);
        CPPUNIT_ASSERT_EQUAL(std::string("failed missed_schedule"), missed.at("/publishStatus") + ' ' + missed.at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), missed.at("/attempts/total"));
        this->made(step(member, id, "retry"));
        CPPUNIT_ASSERT(take(id));
    }

    void resumesALostLease()
    {
        const auto id = newPost(member, "Hello", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        CPPUNIT_ASSERT(take(id)->work == social::Lease::Work::Publish);
        CPPUNIT_ASSERT(
            work([&](Transaction& transaction) { return publications().saveProgress(transaction, held(id), R"({"steps":[1]})"); }));
        advance(std::chrono::seconds(59));
        CPPUNIT_ASSERT(
            work([&](Transaction& transaction) { return publications().renew(transaction, held(id), std::chrono::seconds(60)); }));
        advance(std::chrono::seconds(59));
        CPPUNIT_ASSERT(!take(id, "w2"));
        advance(std::chrono::seconds(1));
        const auto resumed = take(id, "w2");
        CPPUNIT_ASSERT(resumed && resumed->work == social::Lease::Work::Resume);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"steps":[1]})"), *resumed->item.progress);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, resumed->attempt.number);
        // The first worker comes too late.
        CPPUNIT_ASSERT(
            !work([&](Transaction& transaction) { return publications().renew(transaction, held(id), std::chrono::seconds(60)); }));
        CPPUNIT_ASSERT(!work([&](Transaction& transaction) { return publications().succeed(transaction, held(id), {}, {}); }));
        CPPUNIT_ASSERT(work([&](Transaction& transaction) { return publications().succeed(transaction, held(id, "w2"), {}, {}); }));
        CPPUNIT_ASSERT_EQUAL(std::string("published"), item(id).at("/publishStatus"));
    }

    void verifiesAnOutcome()
    {
        const auto lose = [&](const std::string& id)
        {
            CPPUNIT_ASSERT(take(id));
            CPPUNIT_ASSERT(work([&](Transaction& transaction) { return publications().loseTrack(transaction, held(id), {}); }));
            CPPUNIT_ASSERT_EQUAL(std::string("verifying"), item(id).at("/publishStatus"));
            CPPUNIT_ASSERT(take(id)->work == social::Lease::Work::Verify);
        };
        const auto there = newPost(member, "a", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        lose(there);
        CPPUNIT_ASSERT(work(
            [&](Transaction& transaction) {
                return publications().found(transaction, held(there), {"7", "https://x/7", {}});
            }));
        CPPUNIT_ASSERT_EQUAL(std::string("published 7"), item(there).at("/publishStatus") + ' ' + item(there).at("/result/platformPostId"));
        const auto unsure = newPost(member, "b", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        lose(unsure);
        advance(std::chrono::minutes(15));
        CPPUNIT_ASSERT(work([&](Transaction& transaction)
                            { return publications().unsure(transaction, held(unsure), host->context().clock().now()); }));
        const auto unknown = item(unsure);
        CPPUNIT_ASSERT_EQUAL(std::string("failed outcome_unknown"), unknown.at("/publishStatus") + ' ' + unknown.at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("mark_published retry"), actionsOf(unknown));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["confirm"])"), unknown.at("/safeActions/1/requires"));
        assertProblem(step(member, unsure, "retry"), 409, "action_not_allowed");
        assertProblem(step(member, unsure, "reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})"), 409, "action_not_allowed");
        const auto marked = this->made(step(member, unsure, "mark-published", R"({"platformUrl":"https://x/9"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("published https://x/9"), marked.at("/publishStatus") + ' ' + marked.at("/result/platformUrl"));
        const auto absent = newPost(member, "c", timed(toString(host->context().clock().now()))).at("/contentIds/0");
        lose(absent);
        for (const int wait : {60, 240, 0})
        {
            CPPUNIT_ASSERT(work([&](Transaction& transaction) { return publications().absent(transaction, held(absent)); }));
            advance(std::chrono::seconds(wait));
            CPPUNIT_ASSERT(take(absent));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("publishing 2"), item(absent).at("/publishStatus") + ' ' + item(absent).at("/attempts/total"));
    }

    void waitsForAReason()
    {
        const auto id = newPost(member, "Hello", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto until = host->context().clock().now() + std::chrono::minutes(5);
        CPPUNIT_ASSERT(work(
            [&](Transaction& transaction)
            { return publications().wait(transaction, tenant(), brandId(), contentId(id), social::BlockedReason::RateLimited, until); }));
        CPPUNIT_ASSERT_EQUAL(std::string("queued rate_limited"), item(id).at("/publishStatus") + ' ' + item(id).at("/blockedReason"));
        CPPUNIT_ASSERT(!take(id));
        advance(std::chrono::minutes(5));
        CPPUNIT_ASSERT(take(id));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), item(id).at("/blockedReason"));
        auto session = host->context().database().session();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, publications().due(session, host->context().clock().now(), 10).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1},
                             publications().due(session, host->context().clock().now() + std::chrono::seconds(60), 10).size());
    }

    void losesAnAccount()
    {
        const auto queued = newPost(member, "a", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        const auto draft = newPost(member, "b").at("/contentIds/0");
        // Two items of one account are not published at once.
        const auto first = newPost(member, "c", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto second = newPost(member, "d", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        CPPUNIT_ASSERT(take(first));
        CPPUNIT_ASSERT(!take(second, "w2"));
        work(
            [&](Transaction& transaction)
            {
                publications().loseAccount(transaction, tenant(), brandId(), *social::IntegrationId::parse(account),
                                           social::Doer::system());
                return 0;
            });
        CPPUNIT_ASSERT_EQUAL(std::string("failed reconnect_required"),
                             item(queued).at("/publishStatus") + ' ' + item(queued).at("/failure/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("none"), item(draft).at("/publishStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), item(first).at("/publishStatus"));
        auto session = host->context().database().session();
        CPPUNIT_ASSERT(social::Publications::isPublishing(session, tenant(), brandId()));
    }

    void keepsABrandThatIsPublishing()
    {
        const auto other = "org_" + makeUlid(Instant{});
        directory.add(other, admin.principalId, {"social.brands:transfer"});
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto move = [&]
        { return post(admin, "/api/brands/" + brand + "/transfer-organization", R"({"organizationId":")" + other + "\"}"); };
        CPPUNIT_ASSERT(take(id));
        CPPUNIT_ASSERT_EQUAL(400, move().status);
        CPPUNIT_ASSERT(work([&](Transaction& transaction) { return publications().succeed(transaction, held(id), {}, {}); }));
        const auto later = newPost(member, "Later", timed("2026-11-24T08:00:00Z"));
        const auto moved = move();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        // Queued items go along, and the worker finds them at their new organization.
        CPPUNIT_ASSERT_EQUAL(404, get(member, "/api/posts/" + later.at("/postId")).status);
        const auto owner = newAdmin(other);
        CPPUNIT_ASSERT_EQUAL(std::string("queued"), item(later.at("/contentIds/0"), owner).at("/publishStatus"));
        auto session = host->context().database().session();
        const auto due = publications().due(session, *parseInstant("2026-11-24T08:00:00Z"), 10);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, due.size());
        CPPUNIT_ASSERT_EQUAL(other, due.front().organization);
    }

    void turnsASuggestionIntoAPost()
    {
        setPolicy(1);
        const auto id = newSuggestion(member);
        const auto shown = item(id);
        CPPUNIT_ASSERT_EQUAL(std::string("suggestion pending none null"),
                             shown.at("/kind") + ' ' + stateOf(shown) + ' ' + shown.at("/postId"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-30T08:00:00.000Z"), shown.at("/expiresAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit approve reject"), actionsOf(shown));
        this->made(patch(member, itemPath(id), R"({"text":"Better"})"));
        const auto approved = this->made(step(approver, id, "approve", R"({"scheduledFor":"2026-11-24T10:00:00Z","revision":2})"));
        CPPUNIT_ASSERT_EQUAL(id, approved.at("/contentId"));
        CPPUNIT_ASSERT_EQUAL(std::string("post approved queued"), approved.at("/kind") + ' ' + stateOf(approved));
        const auto post = this->made(get(member, "/api/posts/" + approved.at("/postId")));
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled Better suggestion"),
                             post.at("/status") + ' ' + post.at("/text") + ' ' + post.at("/source/kind"));
        CPPUNIT_ASSERT_EQUAL(id, post.at("/contentIds/0"));
        CPPUNIT_ASSERT_EQUAL(account, post.at("/targets/0/integrationId"));
        this->made(put(member, "/api/posts/" + approved.at("/postId"), R"({"text":"More"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(id));
        // Without a time it is a draft that is approved.
        const auto draft = newSuggestion(member);
        CPPUNIT_ASSERT_EQUAL(std::string("approved none"), stateOf(this->made(step(approver, draft, "approve"))));
        CPPUNIT_ASSERT_EQUAL(std::string("edit schedule publish_now duplicate delete"), actionsOf(item(draft)));
    }

    void choosesTheAccountOfASuggestion()
    {
        const auto lone = newSuggestion(member, "Idea", social::Platform::Bluesky);
        const auto waiting = this->made(step(approver, lone, "approve"));
        CPPUNIT_ASSERT_EQUAL(std::string("suggestion approved none no_account"),
                             waiting.at("/kind") + ' ' + stateOf(waiting) + ' ' + waiting.at("/blockedReason"));
        const auto bluesky = newAccount("bluesky", "did:plc:a");
        const auto adopted = this->made(patch(member, itemPath(lone), R"({"integrationId":")" + bluesky + "\"}"));
        CPPUNIT_ASSERT_EQUAL(std::string("post approved none null"),
                             adopted.at("/kind") + ' ' + stateOf(adopted) + ' ' + adopted.at("/blockedReason"));
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto id = newSuggestion(member);
        assertProblem(step(approver, id, "approve"), 400, "ambiguous_target");
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(id));
        assertProblem(step(approver, id, "approve", R"({"integrationId":")" + bluesky + "\"}"), 400, "validation_failed");
        const auto chosen = this->made(step(approver, id, "approve", R"({"integrationId":")" + second + "\"}"));
        CPPUNIT_ASSERT_EQUAL(second, chosen.at("/integrationId"));
        // Chosen before.
        const auto early = newSuggestion(member);
        this->made(patch(member, itemPath(early), R"({"integrationId":")" + second + "\"}"));
        CPPUNIT_ASSERT_EQUAL(second, this->made(step(approver, early, "approve")).at("/integrationId"));
    }

    void expiresSuggestions()
    {
        const auto id = newSuggestion(member), other = newSuggestion(member);
        const auto copy = step(member, id, "duplicate");
        assertProblem(copy, 409, "action_not_allowed");
        advance(std::chrono::hours(7 * 24));
        // Nobody has written it down yet, and still it cannot be approved.
        CPPUNIT_ASSERT_EQUAL(std::string("expired none"), stateOf(id));
        assertProblem(step(approver, id, "approve"), 409, "action_not_allowed");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/content-ops/deck").count("/items"));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("0"), get(admin, "/api/content-ops/queue").at("/counts/pending"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit duplicate delete"), actionsOf(item(id)));
        const auto again = step(member, id, "duplicate");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 201, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("pending none 2026-12-07T08:00:00.000Z"), stateOf(again) + ' ' + again.at("/expiresAt"));
        CPPUNIT_ASSERT_EQUAL(204, del(member, itemPath(id)).status);
        CPPUNIT_ASSERT_EQUAL(404, get(member, itemPath(id)).status);
        CPPUNIT_ASSERT_EQUAL(std::string("pending none"), stateOf(this->made(patch(member, itemPath(other), R"({"text":"New"})"))));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-07T08:00:00.000Z"), item(other).at("/expiresAt"));
        assertProblem(del(member, itemPath(newPost(member).at("/contentIds/0"))), 409, "action_not_allowed");
    }

    void showsWhatAKeyMayDo()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto keyed = [&](std::vector<std::string> scopes, Method method, const std::string& path, const std::string& body = {})
        { return inBrand(brand, method, path, newKey(admin.organizationId, std::move(scopes)), body); };
        CPPUNIT_ASSERT_EQUAL(std::string("edit cancel"), actionsOf(keyed({"posts.read", "posts.write"}, Method::Get, itemPath(id))));
        CPPUNIT_ASSERT_EQUAL(std::string("reschedule"), actionsOf(keyed({"calendar.write", "posts.read"}, Method::Get, itemPath(id))));
        assertProblem(keyed({"analytics.read"}, Method::Get, itemPath(id)), 403, "insufficient_scope");
        assertProblem(keyed({"posts.write"}, Method::Post, itemPath(id) + "/reschedule", R"({"slot":"next"})"), 403, "insufficient_scope");
        CPPUNIT_ASSERT_EQUAL(
            200,
            keyed({"calendar.write"}, Method::Post, itemPath(id) + "/reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})").status);
        assertProblem(get(newKey(admin.organizationId), itemPath(id)), 400, "brand_required");
        auto narrowed = newKey(admin.organizationId);
        narrowed.boundResources["brand"] = {newBrand(admin, "Other")};
        assertProblem(inBrand(brand, Method::Get, itemPath(id), narrowed), 403, "resource_not_bound");
        assertProblem(get(newKey(admin.organizationId), "/api/changes"), 403, "bearer_required");
        // A calendar's key reads the queue of a range of time.
        const std::string range = "/api/content-ops/queue?dueFrom=2026-11-25T00:00:00Z&dueTo=2026-11-26T00:00:00Z";
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, keyed({"calendar.read"}, Method::Get, range).count("/items"));
        assertProblem(keyed({"calendar.read"}, Method::Get, range.substr(0, range.find('&'))), 403, "insufficient_scope");
        assertProblem(keyed({"calendar.read"}, Method::Get, "/api/content-ops/deck"), 403, "insufficient_scope");
    }

private:
    /// A post that was submitted.
    std::string pending(const Caller& author) const
    {
        const auto id = newPost(author).at("/contentIds/0");
        made(step(author, id, "submit"));
        return id;
    }
    std::string failed(social::FailureCode code, bool again) const
    {
        const auto id = newPost(member, "x", timed(toString(host->context().clock().now()))).at("/contentIds/0");
        fail(id, code, again);
        return id;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ItemTest);

} // namespace portico::tests
