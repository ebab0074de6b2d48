#include "social/ContentFixture.h"

#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

/// /api/content-ops/items: approval, times, failures, suggestions.
class ItemTest : public Suite<ItemTest, ContentFixture>
{
    TEST(asksForApproval)
    {
        setPolicy(1);
        const auto made = newPost(member);
        const auto id = made.at("/contentIds/0");
        equal("not_submitted none", stateOf(id));
        equal("edit schedule submit duplicate delete", actionsOf(item(id)));
        refused(post(member, "/api/posts/" + made.at("/postId") + "/publish"), 409, "action_not_allowed");
        refused(step(approver, id, "approve"), 409, "action_not_allowed");
        const auto submitted = this->made(step(member, id, "submit"));
        equal("pending none", stateOf(submitted));
        equal("edit approve reject revert_to_draft", actionsOf(item(id, approver)));
        // A member may not approve.
        equal("edit revert_to_draft", actionsOf(item(id, member)));
        refused(step(member, id, "approve"), 403, "permission_denied");
        const auto again = step(member, id, "submit");
        refused(again, 409, "action_not_allowed");
        equal("pending", again.at("/details/currentState"));
        equal("edit", again.at("/details/safeActions/0/action"));
        equal("pending_approval", get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        const auto approved = this->made(step(approver, id, "approve", R"({"comment":"Fine"})"));
        equal("approved none Fine", stateOf(approved) + ' ' + approved.at("/approvals/0/comment"));
        equal("edit schedule publish_now duplicate delete", actionsOf(item(id)));
        // One event for the submission, none for the rejected request, one for a text that must be approved again.
        equal(1, host->context().events().published("social.item.pending_approval").size());
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        const auto waiting = host->context().events().published("social.item.pending_approval");
        equal(2, waiting.size());
        equal(std::string(jsonWith(R"({"brandId":"$","postId":"$","contentId":"$"})", brand, made.at("/postId"), id)), waiting.back().data);
        this->made(step(approver, id, "approve"));
        publishNow(member, made.at("/postId"));
        equal("approved queued", stateOf(id));
    }

    TEST(refusesSelfApproval)
    {
        setPolicy(1);
        const auto id = pending(approver);
        refused(step(approver, id, "approve"), 403, "self_approval");
        equal("edit reject revert_to_draft", actionsOf(item(id, approver)));
        // An editor since the last approval also counts as author.
        this->made(patch(admin, itemPath(id), R"({"text":"New"})"));
        refused(step(admin, id, "approve"), 403, "self_approval");
        const auto third = newAdmin(admin.organizationId);
        this->made(step(third, id, "approve"));
        this->made(patch(third, itemPath(id), R"({"text":"Newer"})"));
        this->made(step(admin, id, "approve"));
        setPolicy(1, true);
        const auto own = pending(approver);
        equal("approved none", stateOf(this->made(step(approver, own, "approve"))));
    }

    TEST(needsEveryStep)
    {
        setPolicy(2);
        const auto id = pending(member);
        const auto first = this->made(step(approver, id, "approve"));
        equal("pending none null", stateOf(first) + ' ' + first.at("/timestamps/approvedAt"));
        refused(step(approver, id, "approve"), 403, "self_approval");
        // An edit restarts the approvals.
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        equal("[]", item(id).at("/approvals"));
        this->made(step(approver, id, "approve"));
        const auto second = this->made(step(admin, id, "approve"));
        equal("approved none", stateOf(second));
        equal("2", second.at("/approvals/1/step"));
    }

    TEST(queuesWithTheLastApproval)
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto waiting = item(id);
        equal("pending none approval_pending 2026-11-24T10:00:00.000Z",
              stateOf(waiting) + ' ' + waiting.at("/blockedReason") + ' ' + waiting.at("/scheduledFor"));
        CHECK(!take(id));
        const auto approved = this->made(step(approver, id, "approve"));
        equal("approved queued null", stateOf(approved) + ' ' + approved.at("/blockedReason"));
        equal("scheduled", get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        // With a time of the approver.
        const auto other = pending(member);
        const auto timedByApprover = this->made(step(approver, other, "approve", R"({"scheduledFor":"2026-11-26T10:00:00Z"})"));
        equal("approved queued 2026-11-26T10:00:00.000Z", stateOf(timedByApprover) + ' ' + timedByApprover.at("/scheduledFor"));
        refused(step(approver, pending(member), "approve", R"({"scheduledFor":"2026-11-20T10:00:00Z"})"), 400, "in_past");
    }

    TEST(approvesTooLate)
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-23T09:00:00Z"));
        const auto id = made.at("/contentIds/0");
        advance(std::chrono::hours(2));
        const auto late = this->made(step(approver, id, "approve"));
        equal("approved none schedule_passed", stateOf(late) + ' ' + late.at("/blockedReason"));
        const auto scheduled = this->made(patch(member, itemPath(id), R"({"scheduledFor":"2026-11-24T09:00:00Z"})"));
        equal("approved queued null", stateOf(scheduled) + ' ' + scheduled.at("/blockedReason"));
    }

    TEST(leavesTheQueueWhenEdited)
    {
        setPolicy(1);
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        this->made(step(approver, id, "approve"));
        const auto edited = this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        equal("pending none approval_pending 2", stateOf(edited) + ' ' + edited.at("/blockedReason") + ' ' + edited.at("/revision"));
        equal("2026-11-24T10:00:00.000Z", edited.at("/scheduledFor"));
        // A text of the post does the same, a title does not.
        this->made(step(approver, id, "approve"));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"T"})"));
        equal("approved queued", stateOf(id));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"linkUrl":"https://example.org/"})"));
        equal("pending none", stateOf(id));
        // Reverting makes it a draft without a pending approval.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"status":"draft"})"));
        equal("not_submitted none", stateOf(id));
    }

    TEST(takesANewPolicyWithTheNextEdit)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        setPolicy(1);
        equal("not_required queued", stateOf(id));
        this->made(patch(member, itemPath(id), R"({"text":"New"})"));
        equal("pending none", stateOf(id));
        this->made(patch(admin, "/api/brands/" + brand, R"({"approvalPolicy":{"required":false}})"));
        equal("pending none", stateOf(id));
        this->made(patch(member, itemPath(id), R"({"text":"Newer"})"));
        equal("not_required queued", stateOf(id));
    }

    TEST(rejects)
    {
        setPolicy(1);
        const auto id = pending(member);
        const auto rejected = this->made(step(approver, id, "reject", R"({"reason":"No"})"));
        equal("rejected none No", stateOf(rejected) + ' ' + rejected.at("/approvals/0/comment"));
        equal("edit revert_to_draft duplicate delete", actionsOf(item(id)));
        refused(step(approver, id, "approve"), 409, "action_not_allowed");
        equal("pending none", stateOf(this->made(patch(member, itemPath(id), R"({"text":"Better"})"))));
        refused(step(approver, id, "reject", jsonWith(R"({"reason":"$"})", std::string(1001, 'x'))), 400, "validation_failed");
    }

    TEST(approvesNoUnseenText)
    {
        setPolicy(1);
        const auto id = pending(member);
        this->made(patch(member, itemPath(id), R"({"text":"Other"})"));
        const auto stale = step(approver, id, "approve", R"({"revision":1})");
        refused(stale, 409, "revision_changed");
        equal("2", stale.at("/details/revision"));
        refused(step(approver, id, "reject", R"({"revision":1})"), 409, "revision_changed");
        this->made(step(approver, id, "approve", R"({"revision":2})"));
    }

    TEST(countsOneOfTwoApprovals)
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
            equal(1, counted.load());
            equal(1, refused.load());
            equal(1, item(id).count("/approvals"));
        }
    }

    TEST(letsAnApprovalOrAnEditWin)
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
            equal(200, edit.status, edit.body);
            if (approval.status != 200) refused(approval, 409, "revision_changed");
            // In either order the new text waits for its approval.
            equal("pending none Other", stateOf(id) + ' ' + item(id).at("/text"));
            equal("[]", item(id).at("/approvals"));
        }
    }

    TEST(retriesAndReschedules)
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
        equal("not_required failed 5 6", stateOf(given) + ' ' + given.at("/attempts/automatic") + ' ' + given.at("/attempts/total"));
        equal("retry edit reschedule revert_to_draft duplicate", actionsOf(given));
        equal("6", given.at("/failure/attempt"));
        const auto again = this->made(step(member, id, "retry"));
        equal("not_required queued 0 null", stateOf(again) + ' ' + again.at("/attempts/automatic") + ' ' + again.at("/failure"));
        equal(toString(host->context().clock().now()), again.at("/scheduledFor"));
        const auto moved = this->made(step(member, id, "reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        equal("queued", moved.at("/publishStatus"));
        refused(step(member, id, "retry"), 409, "action_not_allowed");
        refused(step(member, id, "reschedule"), 400, "validation_failed");
    }

    TEST(handlesEachFailure)
    {
        const auto permanent = failed(social::FailureCode::DuplicateContent, false);
        equal("edit reschedule revert_to_draft duplicate", actionsOf(item(permanent)));
        refused(step(member, permanent, "retry"), 409, "action_not_allowed");
        this->made(patch(member, itemPath(permanent), R"({"text":"Other"})"));
        equal("failed", item(permanent).at("/publishStatus"));
        const auto dead = failed(social::FailureCode::ReconnectRequired, false);
        equal("reconnect retry reschedule revert_to_draft", actionsOf(item(dead)));
        refused(patch(member, itemPath(dead), R"({"text":"Other"})"), 409, "action_not_allowed");
        this->made(put(member, "/api/posts/" + item(dead).at("/postId"), R"({"status":"draft"})"));
        equal("null", item(dead).at("/failure"));
        const auto failures = host->context().events().published("social.post.failed");
        equal(2, failures.size());
        CHECK(failures.front().data.find(permanent) != std::string::npos);
    }

    TEST(cancels)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        equal("not_required cancelled", stateOf(this->made(step(member, id, "cancel"))));
        equal("duplicate delete", actionsOf(item(id)));
        equal("cancelled", get(member, "/api/posts/" + made.at("/postId")).at("/status"));
        advance(std::chrono::hours(48));
        CHECK(!take(id));
        refused(step(member, id, "cancel"), 409, "action_not_allowed");
        refused(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-26T10:00:00Z"})"), 409, "action_not_allowed");
    }

    TEST(missesTheSchedule)
    {
        const auto id = newPost(member, "Hello", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        host->context().clock().jumpTo(*parseInstant("2026-11-24T12:00:00.001Z"));
        CHECK(!take(id));
        const auto missed = item(id);
        equal("failed missed_schedule", missed.at("/publishStatus") + ' ' + missed.at("/failure/code"));
        equal("0", missed.at("/attempts/total"));
        this->made(step(member, id, "retry"));
        CHECK(take(id));
    }

    TEST(resumesALostLease)
    {
        const auto id = newPost(member, "Hello", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        CHECK(take(id)->work == social::Lease::Work::Publish);
        CHECK(work([&](Transaction& transaction) { return publications().saveProgress(transaction, held(id), R"({"steps":[1]})"); }));
        advance(std::chrono::seconds(59));
        CHECK(work([&](Transaction& transaction) { return publications().renew(transaction, held(id), std::chrono::seconds(60)); }));
        advance(std::chrono::seconds(59));
        CHECK(!take(id, "w2"));
        advance(std::chrono::seconds(1));
        const auto resumed = take(id, "w2");
        CHECK(resumed && resumed->work == social::Lease::Work::Resume);
        equal(R"({"steps":[1]})", *resumed->item.progress);
        equal(1, resumed->attempt.number);
        // The first worker comes too late.
        CHECK(!work([&](Transaction& transaction) { return publications().renew(transaction, held(id), std::chrono::seconds(60)); }));
        CHECK(!work([&](Transaction& transaction) { return publications().succeed(transaction, held(id), {}, {}); }));
        CHECK(work([&](Transaction& transaction) { return publications().succeed(transaction, held(id, "w2"), {}, {}); }));
        equal("published", item(id).at("/publishStatus"));
    }

    TEST(verifiesAnOutcome)
    {
        const auto lose = [&](const std::string& id)
        {
            CHECK(take(id));
            CHECK(work([&](Transaction& transaction) { return publications().loseTrack(transaction, held(id), {}); }));
            equal("verifying", item(id).at("/publishStatus"));
            CHECK(take(id)->work == social::Lease::Work::Verify);
        };
        const auto there = newPost(member, "a", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        lose(there);
        CHECK(work([&](Transaction& transaction) { return publications().found(transaction, held(there), {"7", "https://x/7", {}}); }));
        equal("published 7", item(there).at("/publishStatus") + ' ' + item(there).at("/result/platformPostId"));
        const auto unsure = newPost(member, "b", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        lose(unsure);
        advance(std::chrono::minutes(15));
        CHECK(work([&](Transaction& transaction)
                   { return publications().unsure(transaction, held(unsure), host->context().clock().now()); }));
        const auto unknown = item(unsure);
        equal("failed outcome_unknown", unknown.at("/publishStatus") + ' ' + unknown.at("/failure/code"));
        equal("mark_published retry", actionsOf(unknown));
        equal(R"(["confirm"])", unknown.at("/safeActions/1/requires"));
        refused(step(member, unsure, "retry"), 409, "action_not_allowed");
        refused(step(member, unsure, "reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})"), 409, "action_not_allowed");
        const auto marked = this->made(step(member, unsure, "mark-published", R"({"platformUrl":"https://x/9"})"));
        equal("published https://x/9", marked.at("/publishStatus") + ' ' + marked.at("/result/platformUrl"));
        const auto absent = newPost(member, "c", timed(toString(host->context().clock().now()))).at("/contentIds/0");
        lose(absent);
        for (const int wait : {60, 240, 0})
        {
            CHECK(work([&](Transaction& transaction) { return publications().absent(transaction, held(absent)); }));
            advance(std::chrono::seconds(wait));
            CHECK(take(absent));
        }
        equal("publishing 2", item(absent).at("/publishStatus") + ' ' + item(absent).at("/attempts/total"));
    }

    TEST(waitsForAReason)
    {
        const auto id = newPost(member, "Hello", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto until = host->context().clock().now() + std::chrono::minutes(5);
        CHECK(work(
            [&](Transaction& transaction)
            { return publications().wait(transaction, tenant(), brandId(), contentId(id), social::BlockedReason::RateLimited, until); }));
        equal("queued rate_limited", item(id).at("/publishStatus") + ' ' + item(id).at("/blockedReason"));
        CHECK(!take(id));
        advance(std::chrono::minutes(5));
        CHECK(take(id));
        equal("null", item(id).at("/blockedReason"));
        auto session = host->context().database().session();
        equal(0, publications().due(session, host->context().clock().now(), 10).size());
        equal(1, publications().due(session, host->context().clock().now() + std::chrono::seconds(60), 10).size());
    }

    TEST(losesAnAccount)
    {
        const auto queued = newPost(member, "a", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        const auto draft = newPost(member, "b").at("/contentIds/0");
        // Two items of one account are not published at once.
        const auto first = newPost(member, "c", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto second = newPost(member, "d", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        CHECK(take(first));
        CHECK(!take(second, "w2"));
        work(
            [&](Transaction& transaction)
            {
                publications().loseAccount(transaction, tenant(), brandId(), *social::IntegrationId::parse(account),
                                           social::Doer::system());
                return 0;
            });
        equal("failed reconnect_required", item(queued).at("/publishStatus") + ' ' + item(queued).at("/failure/code"));
        equal("none", item(draft).at("/publishStatus"));
        equal("publishing", item(first).at("/publishStatus"));
        auto session = host->context().database().session();
        CHECK(social::Publications::isPublishing(session, tenant(), brandId()));
    }

    TEST(keepsABrandThatIsPublishing)
    {
        const auto other = "org_" + makeUlid(Instant{});
        directory.add(other, admin.principalId, {"social.brands:transfer"});
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto move = [&]
        { return post(admin, "/api/brands/" + brand + "/transfer-organization", jsonWith(R"({"organizationId":"$"})", other)); };
        CHECK(take(id));
        equal(400, move().status);
        CHECK(work([&](Transaction& transaction) { return publications().succeed(transaction, held(id), {}, {}); }));
        const auto later = newPost(member, "Later", timed("2026-11-24T08:00:00Z"));
        const auto moved = move();
        equal(200, moved.status, moved.body);
        // Queued items go along, and the worker finds them at their new organization.
        equal(404, get(member, "/api/posts/" + later.at("/postId")).status);
        const auto owner = newAdmin(other);
        equal("queued", item(later.at("/contentIds/0"), owner).at("/publishStatus"));
        auto session = host->context().database().session();
        const auto due = publications().due(session, *parseInstant("2026-11-24T08:00:00Z"), 10);
        equal(1, due.size());
        equal(other, due.front().organization);
    }

    TEST(turnsASuggestionIntoAPost)
    {
        setPolicy(1);
        const auto id = newSuggestion(member);
        const auto shown = item(id);
        equal("suggestion pending none null", shown.at("/kind") + ' ' + stateOf(shown) + ' ' + shown.at("/postId"));
        equal("2026-11-30T08:00:00.000Z", shown.at("/expiresAt"));
        equal("edit approve reject", actionsOf(shown));
        this->made(patch(member, itemPath(id), R"({"text":"Better"})"));
        const auto approved = this->made(step(approver, id, "approve", R"({"scheduledFor":"2026-11-24T10:00:00Z","revision":2})"));
        equal(id, approved.at("/contentId"));
        equal("post approved queued", approved.at("/kind") + ' ' + stateOf(approved));
        const auto post = this->made(get(member, "/api/posts/" + approved.at("/postId")));
        equal("scheduled Better suggestion", post.at("/status") + ' ' + post.at("/text") + ' ' + post.at("/source/kind"));
        equal(id, post.at("/contentIds/0"));
        equal(account, post.at("/targets/0/integrationId"));
        this->made(put(member, "/api/posts/" + approved.at("/postId"), R"({"text":"More"})"));
        equal("pending none", stateOf(id));
        // Without a time it is a draft that is approved.
        const auto draft = newSuggestion(member);
        equal("approved none", stateOf(this->made(step(approver, draft, "approve"))));
        equal("edit schedule publish_now duplicate delete", actionsOf(item(draft)));
    }

    TEST(choosesTheAccountOfASuggestion)
    {
        const auto lone = newSuggestion(member, "Idea", social::Platform::Bluesky);
        const auto waiting = this->made(step(approver, lone, "approve"));
        equal("suggestion approved none no_account", waiting.at("/kind") + ' ' + stateOf(waiting) + ' ' + waiting.at("/blockedReason"));
        const auto bluesky = newAccount("bluesky", "did:plc:a");
        const auto adopted = this->made(patch(member, itemPath(lone), jsonWith(R"({"integrationId":"$"})", bluesky)));
        equal("post approved none null", adopted.at("/kind") + ' ' + stateOf(adopted) + ' ' + adopted.at("/blockedReason"));
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto id = newSuggestion(member);
        refused(step(approver, id, "approve"), 400, "ambiguous_target");
        equal("pending none", stateOf(id));
        refused(step(approver, id, "approve", jsonWith(R"({"integrationId":"$"})", bluesky)), 400, "validation_failed");
        const auto chosen = this->made(step(approver, id, "approve", jsonWith(R"({"integrationId":"$"})", second)));
        equal(second, chosen.at("/integrationId"));
        // Chosen before.
        const auto early = newSuggestion(member);
        this->made(patch(member, itemPath(early), jsonWith(R"({"integrationId":"$"})", second)));
        equal(second, this->made(step(approver, early, "approve")).at("/integrationId"));
    }

    TEST(expiresSuggestions)
    {
        const auto id = newSuggestion(member), other = newSuggestion(member);
        const auto copy = step(member, id, "duplicate");
        refused(copy, 409, "action_not_allowed");
        advance(std::chrono::hours(7 * 24));
        // It cannot be approved even before the job has recorded the expiry.
        equal("expired none", stateOf(id));
        refused(step(approver, id, "approve"), 409, "action_not_allowed");
        equal(0, get(admin, "/api/content-ops/deck").count("/items"));
        host->context().jobs().runDue();
        equal("0", get(admin, "/api/content-ops/queue").at("/counts/pending"));
        equal("edit duplicate delete", actionsOf(item(id)));
        const auto again = step(member, id, "duplicate");
        equal(201, again.status, again.body);
        equal("pending none 2026-12-07T08:00:00.000Z", stateOf(again) + ' ' + again.at("/expiresAt"));
        equal(204, del(member, itemPath(id)).status);
        equal(404, get(member, itemPath(id)).status);
        equal("pending none", stateOf(this->made(patch(member, itemPath(other), R"({"text":"New"})"))));
        equal("2026-12-07T08:00:00.000Z", item(other).at("/expiresAt"));
        refused(del(member, itemPath(newPost(member).at("/contentIds/0"))), 409, "action_not_allowed");
    }

    TEST(showsWhatAKeyMayDo)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto id = made.at("/contentIds/0");
        const auto keyed = [&](std::vector<std::string> scopes, Method method, const std::string& path, const std::string& body = {})
        { return inBrand(brand, method, path, newKey(admin.organizationId, std::move(scopes)), body); };
        equal("edit cancel", actionsOf(keyed({"posts.read", "posts.write"}, Method::Get, itemPath(id))));
        equal("reschedule", actionsOf(keyed({"calendar.write", "posts.read"}, Method::Get, itemPath(id))));
        refused(keyed({"analytics.read"}, Method::Get, itemPath(id)), 403, "insufficient_scope");
        refused(keyed({"posts.write"}, Method::Post, itemPath(id) + "/reschedule", R"({"slot":"next"})"), 403, "insufficient_scope");
        equal(200,
              keyed({"calendar.write"}, Method::Post, itemPath(id) + "/reschedule", R"({"scheduledFor":"2026-11-25T10:00:00Z"})").status);
        refused(get(newKey(admin.organizationId), itemPath(id)), 400, "brand_required");
        auto narrowed = newKey(admin.organizationId);
        narrowed.boundResources["brand"] = {newBrand(admin, "Other")};
        refused(inBrand(brand, Method::Get, itemPath(id), narrowed), 403, "resource_not_bound");
        refused(get(newKey(admin.organizationId), "/api/changes"), 403, "bearer_required");
        // A calendar's key reads the queue of a range of time.
        const std::string range = "/api/content-ops/queue?dueFrom=2026-11-25T00:00:00Z&dueTo=2026-11-26T00:00:00Z";
        equal(1, keyed({"calendar.read"}, Method::Get, range).count("/items"));
        refused(keyed({"calendar.read"}, Method::Get, range.substr(0, range.find('&'))), 403, "insufficient_scope");
        refused(keyed({"calendar.read"}, Method::Get, "/api/content-ops/deck"), 403, "insufficient_scope");
    }

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

} // namespace portico::tests
