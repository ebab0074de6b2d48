#include "social/ContentFixture.h"
#include "social/SourceFolders.h"

#include "support/Together.h"

#include <atomic>
#include <fstream>
#include <set>

namespace portico::tests
{

/// /api/posts.
class PostTest : public ContentFixture
{
    CPPUNIT_TEST_SUITE(PostTest);
    CPPUNIT_TEST(writesADraft);
    CPPUNIT_TEST(schedules);
    CPPUNIT_TEST(refusesBadInput);
    CPPUNIT_TEST(refusesBadTimes);
    CPPUNIT_TEST(checksOnly);
    CPPUNIT_TEST(warns);
    CPPUNIT_TEST(takesTheNextSlot);
    CPPUNIT_TEST(givesRivalsDifferentSlots);
    CPPUNIT_TEST(freesASlot);
    CPPUNIT_TEST(changesWhatTheTargetsSay);
    CPPUNIT_TEST(keepsTargetsAndMetadata);
    CPPUNIT_TEST(takesBackWhatWasRead);
    CPPUNIT_TEST(keepsWhatAnAccountLeaves);
    CPPUNIT_TEST(reverts);
    CPPUNIT_TEST(doesNotRevertWhatIsDone);
    CPPUNIT_TEST(refusesWhilePublishing);
    CPPUNIT_TEST(deletes);
    CPPUNIT_TEST(publishesNow);
    CPPUNIT_TEST(duplicates);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(foldsMarksOfStoredTexts);
    CPPUNIT_TEST(keepsBrandsApart);
    CPPUNIT_TEST(listsAttempts);
    CPPUNIT_TEST_SUITE_END();

public:
    void writesADraft()
    {
        const auto made = newPost(member, "Hello", R"(,"title":"T","labels":["a"," b "])");
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), made.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), made.at("/scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["a","b"])"), made.at("/labels"));
        CPPUNIT_ASSERT_EQUAL(std::string("UTC"), made.at("/timeZone"));
        CPPUNIT_ASSERT_EQUAL(std::string("webhook"), made.at("/targets/0/platform"));
        CPPUNIT_ASSERT_EQUAL(std::string("Acme"), made.at("/targets/0/displayName"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), made.at("/warnings"));
        const auto shown = this->made(get(member, "/api/posts/" + made.at("/postId") + "?include=items,attempts"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, shown.count("/items"));
        CPPUNIT_ASSERT_EQUAL(made.at("/contentIds/0"), shown.at("/items/0/contentId"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required none"), stateOf(made.at("/contentIds/0")));
        CPPUNIT_ASSERT_EQUAL(std::string("edit schedule publish_now duplicate delete"), actionsOf(item(made.at("/contentIds/0"))));
    }

    void schedules()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00+01:00"));
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled"), made.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T09:00:00.000Z"), made.at("/scheduledFor"));
        const auto queued = item(made.at("/contentIds/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued"), stateOf(queued));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), queued.at("/timestamps/scheduledAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit reschedule publish_now revert_to_draft cancel"), actionsOf(queued));
        // Another time of the whole post.
        const auto moved = this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T10:00:00.000Z"), moved.at("/scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), item(made.at("/contentIds/0")).at("/timestamps/lastRescheduledAt"));
        const auto draft = newPost(member, "Later");
        this->made(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued"), stateOf(draft.at("/contentIds/0")));
    }

    void refusesBadInput()
    {
        const auto refused = [&](const std::string& body, const std::string& field, const std::string& code)
        {
            const auto answer = post(member, "/api/posts", body);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 400, answer.status);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, field + ' ' + code, answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code"));
        };
        const auto target = R"("targets":[{"integrationId":")" + account + R"("}])";
        refused("{" + target + "}", "text", "required");
        refused(R"({"text":" \n\t",)" + target + "}", "text", "required");
        refused(R"({"text":"x","thread":[{"text":" "}],)" + target + "}", "thread[0].text", "required");
        for (const auto* link : {"javascript:alert(1)", "http://a b/", "example.org"})
        {
            refused(R"({"text":"x","linkUrl":")" + std::string(link) + R"(",)" + target + "}", "linkUrl", "invalid_url");
            refused(R"({"text":"x","targets":[{"integrationId":")" + account + R"(","overrides":{"linkUrl":")" + link + R"("}}]})",
                    "targets[0].overrides.linkUrl", "invalid_url");
        }
        refused(R"({"text":"x","targets":[]})", "targets", "too_few_values");
        refused(R"({"text":"x","targets":[{}]})", "targets[0].integrationId", "required");
        refused(R"({"text":"x","targets":[{"integrationId":"itg_)" + makeUlid(Instant{}) + R"("}]})", "targets[0].integrationId",
                "unknown_integration");
        refused(R"({"text":"x","targets":[{"integrationId":")" + account + R"("},{"integrationId":")" + account + R"("}]})", "targets[1]",
                "duplicate_target");
        refused(R"({"text":"x","targets":[{"integrationId":")" + account + R"(","externalId":"page"}]})", "targets[0].externalId",
                "unknown_page");
        refused(R"({"text":"x","settings":[1],)" + target + "}", "settings", "wrong_type");
        refused(R"({"text":"x","timeZone":"Mars/Base",)" + target + "}", "timeZone", "unknown_time_zone");
        refused(R"({"text":"x","mediaIds":["med_)" + makeUlid(Instant{}) + R"("],)" + target + "}", "mediaIds[0]", "unknown_media");
        refused(R"({"text":"x","thread":[{"text":""}],)" + target + "}", "thread[0].text", "required");
        refused(R"({"text":"x","targets":[{"integrationId":")" + newAccount("bluesky", "did:plc:gone", "disconnected") + R"("}]})",
                "targets[0].integrationId", "not_connected");
        const auto bluesky =
            R"({"text":")" + std::string(301, 'x') + R"(","targets":[{"integrationId":")" + newAccount("bluesky", "did:plc:a") + R"("}])";
        refused(bluesky + timed("2026-11-24T10:00:00Z") + "}", "text", "text_too_long");
        // A draft may be too long; it can only be edited.
        const auto draft = post(member, "/api/posts", bluesky + "}");
        CPPUNIT_ASSERT_EQUAL(201, draft.status);
        CPPUNIT_ASSERT_EQUAL(std::string("edit duplicate delete"), actionsOf(item(draft.at("/contentIds/0"))));
        assertProblem(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-24T10:00:00Z"})"), 400,
                      "validation_failed");
        assertProblem(post(member, "/api/posts/" + draft.at("/postId") + "/publish"), 409, "action_not_allowed");
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), get(member, "/api/posts/" + draft.at("/postId")).at("/status"));
        assertProblem(post(member, "/api/posts", bodyOf("x", R"(,"nonsense":1)")), 400, "unknown_field");
    }

    void refusesBadTimes()
    {
        assertProblem(post(member, "/api/posts", bodyOf("x", timed("2026-11-23T07:59:59.999Z"))), 400, "in_past");
        CPPUNIT_ASSERT_EQUAL(201, post(member, "/api/posts", bodyOf("x", timed("2026-11-23T08:00:00Z"))).status);
        CPPUNIT_ASSERT_EQUAL(201, post(member, "/api/posts", bodyOf("y", timed("2028-11-23T08:00:00Z"))).status);
        assertProblem(post(member, "/api/posts", bodyOf("x", timed("2028-11-23T08:00:00.001Z"))), 400, "too_far");
        assertProblem(post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")), 400, "no_slot_plan");
        assertProblem(post(member, "/api/posts", bodyOf("x", R"(,"slot":"first")")), 400, "validation_failed");
        const auto made = newPost(member, "z", timed("2026-11-23T09:00:00Z"));
        advance(std::chrono::hours(2));
        // The stored time may be over; the one of a request may not.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"New","scheduledFor":"2026-11-23T09:00:00Z"})"));
        assertProblem(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-23T09:00:01Z"})"), 400, "in_past");
        assertProblem(step(member, made.at("/contentIds/0"), "reschedule", R"({"scheduledFor":"2026-11-23T09:00:00Z"})"), 400, "in_past");
    }

    void checksOnly()
    {
        const auto bluesky = newAccount("bluesky", "did:plc:a");
        const auto body = R"({"text":")" + std::string(301, 'x') + R"( #tag","targets":[{"integrationId":")" + bluesky +
                          R"("},{"integrationId":")" + account + R"("},{"integrationId":"itg_)" + makeUlid(Instant{}) + R"("}]})";
        const auto run = post(member, "/api/posts?dryRun=true", body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(run.body, 200, run.status);
        CPPUNIT_ASSERT_EQUAL(std::string("false"), run.at("/valid"));
        CPPUNIT_ASSERT_EQUAL(std::string("text_too_long"), run.at("/targets/0/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("306"), run.at("/targets/0/length"));
        CPPUNIT_ASSERT_EQUAL(std::string("300"), run.at("/targets/0/limit"));
        CPPUNIT_ASSERT_EQUAL(std::string("tag"), run.at("/targets/0/preview/parts/0/marks/0/value"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), run.at("/targets/1/errors"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_integration"), run.at("/targets/2/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/posts").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), post(member, "/api/posts?dryRun=true", bodyOf("x")).at("/valid"));
        assertProblem(post(member, "/api/posts?dryRun=true", bodyOf("x", timed("2026-11-22T00:00:00Z"))), 400, "in_past");
        // A link that is not complete yet leaves the preview.
        const auto half = this->made(post(member, "/api/posts?dryRun=true", bodyOf("x", R"(,"linkUrl":"https:")")));
        CPPUNIT_ASSERT_EQUAL(std::string("linkUrl invalid_url"),
                             half.at("/targets/0/errors/0/field") + ' ' + half.at("/targets/0/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), half.at("/targets/0/length"));
    }

    void warns()
    {
        newPost(member, "Same", timed("2026-11-24T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("similar_scheduled"),
                             newPost(member, "Same", timed("2026-11-25T10:00:00Z")).at("/warnings/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), newPost(member, "Same", timed("2026-11-27T10:00:00Z")).at("/warnings"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), newPost(member, "Other", timed("2026-11-24T10:00:00Z")).at("/warnings"));
        // Also when it gets its time later.
        const auto draft = newPost(member, "Same");
        const auto scheduled = this->made(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-24T12:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("similar_scheduled"), scheduled.at("/warnings/0/code"));
    }

    void takesTheNextSlot()
    {
        plan();
        // Monday, 08:00: the 08:04 is too near.
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:05:00.000Z"), newPost(member, "a", R"(,"slot":"next")").at("/scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T12:00:00.000Z"), newPost(member, "b", R"(,"slot":"next")").at("/scheduledFor"));
        // A time that was chosen by hand is taken, too; another account has its own.
        newPost(member, "c", timed("2026-11-30T08:04:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-30T08:05:00.000Z"), newPost(member, "d", R"(,"slot":"next")").at("/scheduledFor"));
        account = newAccount("webhook", "https://hooks.example.org/b");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:05:00.000Z"), newPost(member, "e", R"(,"slot":"next")").at("/scheduledFor"));
        assertProblem(post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")" + timed("2026-11-25T10:00:00Z"))), 400,
                      "validation_failed");
    }

    void givesRivalsDifferentSlots()
    {
        std::string slots;
        for (int day = 1; day <= 7; ++day)
            for (int hour = 0; hour < 20; ++hour)
                slots += (slots.empty() ? "" : ",") + std::string(R"({"weekday":)") + std::to_string(day) + R"(,"time":")" +
                         (hour < 10 ? "0" : "") + std::to_string(hour) + ":30\"}";
        made(patch(admin, "/api/brands/" + brand, R"({"slotPlan":[)" + slots + "]}"));
        std::set<std::string> times;
        std::mutex mutex;
        runTogether(8,
                    [&](int)
                    {
                        for (int i = 0; i < 25; ++i)
                        {
                            const auto answer = post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")"));
                            const std::lock_guard lock(mutex);
                            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
                            CPPUNIT_ASSERT_MESSAGE(answer.body, times.insert(answer.at("/scheduledFor")).second);
                        }
                    });
        CPPUNIT_ASSERT_EQUAL(std::size_t{200}, times.size());
    }

    void freesASlot()
    {
        plan();
        const auto first = newPost(member, "a", R"(,"slot":"next")");
        newPost(member, "b", R"(,"slot":"next")");
        this->made(put(member, "/api/posts/" + first.at("/postId"), R"({"status":"draft"})"));
        CPPUNIT_ASSERT_EQUAL(first.at("/scheduledFor"), newPost(member, "c", R"(,"slot":"next")").at("/scheduledFor"));
        const auto last = newPost(member, "d", R"(,"slot":"next")");
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/posts/" + last.at("/postId")).status);
        CPPUNIT_ASSERT_EQUAL(last.at("/scheduledFor"), newPost(member, "e", R"(,"slot":"next")").at("/scheduledFor"));
        // Full for 90 days.
        for (int i = 0; i < 60; ++i)
            if (post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")).status != 201) break;
        assertProblem(post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")), 409, "no_free_slot");
    }

    void changesWhatTheTargetsSay()
    {
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto made = post(member, "/api/posts",
                               R"({"text":"Both","targets":[{"integrationId":")" + account + R"("},{"integrationId":")" + second +
                                   R"(","overrides":{"text":"Own"}}]})");
        const auto one = made.at("/contentIds/0"), two = made.at("/contentIds/1");
        CPPUNIT_ASSERT_EQUAL(std::string("Own"), item(two).at("/text"));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"text":"New"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("New 2"), item(one).at("/text") + ' ' + item(one).at("/revision"));
        CPPUNIT_ASSERT_EQUAL(std::string("Own 1"), item(two).at("/text") + ' ' + item(two).at("/revision"));
        // A PATCH of an item writes that target's override.
        this->made(patch(member, itemPath(one), R"({"text":"Mine"})"));
        const auto post = get(member, "/api/posts/" + made.at("/postId"));
        CPPUNIT_ASSERT_EQUAL(std::string("New"), post.at("/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("Mine"), post.at("/targets/0/overrides/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), item(two).at("/revision"));
        // What changes no content raises no revision.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"T","labels":["l"]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), item(one).at("/revision"));
        const auto same = item(one).at("/version");
        this->made(patch(member, itemPath(one), R"({"text":"Mine"})"));
        CPPUNIT_ASSERT_EQUAL(same, item(one).at("/version"));
    }

    void keepsTargetsAndMetadata()
    {
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto made = post(member, "/api/posts",
                               R"({"text":"Both","targets":[{"integrationId":")" + account +
                                   R"(","metadata":{"a":1,"keep":{"x":[1]}}},{"integrationId":")" + second + R"("}]})");
        const auto path = "/api/posts/" + made.at("/postId");
        this->made(put(member, path, R"({"text":"New"})"));
        CPPUNIT_ASSERT_EQUAL(made.at("/targets/0/metadata"), get(member, path).at("/targets/0/metadata"));
        const auto changed =
            this->made(put(member, path, R"({"targets":[{"targetId":")" + made.at("/targets/0/targetId") + R"(","metadata":{"a":2}}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":2,"keep":{"x":[1]}})"), changed.at("/targets/0/metadata"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, changed.count("/contentIds"));
        CPPUNIT_ASSERT_EQUAL(made.at("/contentIds/0"), changed.at("/contentIds/0"));
        CPPUNIT_ASSERT_EQUAL(404, get(member, itemPath(made.at("/contentIds/1"))).status);
        assertProblem(put(member, path, R"({"targets":[]})"), 400, "validation_failed");
        // A new target of a scheduled post gets its time.
        this->made(put(member, path, R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        const auto wider = this->made(
            put(member, path,
                R"({"targets":[{"targetId":")" + made.at("/targets/0/targetId") + R"("},{"integrationId":")" + second + R"("}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_required queued"), stateOf(wider.at("/contentIds/1")));
        const auto big = std::string(8200, 'x');
        assertProblem(put(member, path, R"({"targets":[{"integrationId":")" + account + R"(","metadata":{"a":")" + big + R"("}}]})"), 400,
                      "validation_failed");
    }

    void takesBackWhatWasRead()
    {
        for (const auto& more : {std::string(), timed("2026-11-24T10:00:00Z")})
        {
            const auto made = newPost(member, "Hello", more);
            const auto path = "/api/posts/" + made.at("/postId");
            const auto read = get(member, path);
            const auto again = this->made(put(member, path, read.body));
            CPPUNIT_ASSERT_EQUAL(read.body, again.body);
            const auto one = item(made.at("/contentIds/0"), member);
            CPPUNIT_ASSERT_EQUAL(one.body, this->made(patch(member, itemPath(made.at("/contentIds/0")), one.body)).body);
        }
    }

    void keepsWhatAnAccountLeaves()
    {
        const auto made = newPost(member);
        const auto url = "/api/posts/" + made.at("/postId");
        const auto queued = newPost(member, "x", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/integrations/" + account).status);
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), item(queued).at("/publishStatus"));
        // The post is still there to be read, edited and sent back; it cannot be published.
        CPPUNIT_ASSERT_EQUAL(get(member, url).body, this->made(put(member, url, get(member, url).body)).body);
        this->made(put(member, url, R"({"text":"New"})"));
        const auto refused = put(member, url, R"({"scheduledFor":"2026-11-25T10:00:00Z"})");
        assertProblem(refused, 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::string("integrationId not_connected"),
                             refused.at("/errors/0/field") + ' ' + refused.at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("edit duplicate delete"), actionsOf(item(made.at("/contentIds/0"))));
        // Another account takes its place at the same target.
        const auto other = newAccount("webhook", "https://hooks.example.org/c");
        const auto moved = this->made(put(member, url,
                                          R"({"targets":[{"targetId":")" + made.at("/targets/0/targetId") + R"(","integrationId":")" +
                                              other + R"("}],"scheduledFor":"2026-11-25T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(made.at("/contentIds/0") + " scheduled", moved.at("/contentIds/0") + ' ' + moved.at("/status"));
    }

    void reverts()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto path = "/api/posts/" + made.at("/postId");
        testing::TestRequest stale{Method::Put, path, R"({"status":"draft"})", {{"If-Match", "\"7\""}}, member};
        assertProblem(host->call(stale), 412, "version_conflict");
        const auto reverted = this->made(put(member, path, R"({"status":"draft"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("draft null"), reverted.at("/status") + ' ' + reverted.at("/scheduledFor"));
        const auto draft = item(made.at("/contentIds/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), draft.at("/scheduledFor"));
        // The first scheduling stays in the figures.
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), draft.at("/timestamps/scheduledAt"));
        this->made(put(member, path, R"({"scheduledFor":"2026-11-24T10:00:00Z"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), this->made(put(member, path, R"({"scheduledFor":null})")).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("draft"), this->made(put(member, path, R"({"status":"draft"})")).at("/status"));
        assertProblem(put(member, path, R"({"linkUrl":"https:"})"), 400, "validation_failed");
        assertProblem(patch(member, itemPath(made.at("/contentIds/0")), R"({"linkUrl":"https:"})"), 400, "validation_failed");
        assertProblem(patch(member, itemPath(made.at("/contentIds/0")), R"({"text":" "})"), 400, "validation_failed");
    }

    void doesNotRevertWhatIsDone()
    {
        const auto refused = [&](const std::string& path, const std::string& body)
        {
            const auto before = get(member, path);
            assertProblem(put(member, path, body), 409, "action_not_allowed");
            CPPUNIT_ASSERT_EQUAL(before.body, get(member, path).body);
        };
        const auto published = newPost(member, "Out", timed("2026-11-23T08:00:00Z"));
        publish(published.at("/contentIds/0"));
        refused("/api/posts/" + published.at("/postId"), R"({"status":"draft"})");
        refused("/api/posts/" + published.at("/postId"), R"({"scheduledFor":null})");
        const auto cancelled = newPost(member, "Not today", timed("2026-11-24T08:00:00Z"));
        this->made(step(member, cancelled.at("/contentIds/0"), "cancel"));
        refused("/api/posts/" + cancelled.at("/postId"), R"({"status":"draft"})");
    }

    void refusesWhilePublishing()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0"), path = "/api/posts/" + made.at("/postId");
        CPPUNIT_ASSERT(take(id));
        CPPUNIT_ASSERT_EQUAL(std::string("publishing"), get(member, path).at("/status"));
        assertProblem(put(member, path, R"({"title":"x"})"), 409, "conflict");
        assertProblem(put(member, path, R"({"status":"draft"})"), 409, "conflict");
        assertProblem(del(member, path), 409, "conflict");
        assertProblem(post(member, path + "/publish"), 409, "conflict");
        assertProblem(patch(member, itemPath(id), R"({"text":"x"})"), 409, "conflict");
        for (const auto* name : {"retry", "cancel", "submit"}) assertProblem(step(member, id, name), 409, "conflict");
        CPPUNIT_ASSERT_EQUAL(std::string(""), actionsOf(item(id)));
        // A lease keeps others away.
        CPPUNIT_ASSERT(!take(id, "w2"));
        CPPUNIT_ASSERT(!work([&](Transaction& transaction) { return publications().succeed(transaction, held(id, "w2"), {}, {}); }));
        CPPUNIT_ASSERT(work(
            [&](Transaction& transaction) {
                return publications().succeed(transaction, held(id), {"1", "https://x/1", {}}, {});
            }));
        const auto published = item(id);
        CPPUNIT_ASSERT_EQUAL(std::string("view_on_platform duplicate"), actionsOf(published));
        CPPUNIT_ASSERT_EQUAL(std::string("published"), get(member, path).at("/status"));
        assertProblem(put(member, path, R"({"text":"x"})"), 409, "action_not_allowed");
        this->made(put(member, path, R"({"title":"x"})"));
        assertProblem(patch(member, itemPath(id), R"({"text":"x"})"), 409, "action_not_allowed");
    }

    void deletes()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto path = "/api/posts/" + made.at("/postId");
        CPPUNIT_ASSERT_EQUAL(204, del(member, path).status);
        CPPUNIT_ASSERT_EQUAL(404, get(member, path).status);
        CPPUNIT_ASSERT_EQUAL(404, get(admin, itemPath(made.at("/contentIds/0"))).status);
        CPPUNIT_ASSERT_EQUAL(404, del(member, path).status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/posts").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), get(admin, "/api/content-ops/queue").at("/counts/queued"));
        advance(std::chrono::hours(48));
        CPPUNIT_ASSERT(!take(made.at("/contentIds/0")));
    }

    void publishesNow()
    {
        const auto made = newPost(member);
        const auto answer = post(member, "/api/posts/" + made.at("/postId") + "/publish");
        CPPUNIT_ASSERT_EQUAL(202, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("scheduled"), answer.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), answer.at("/scheduledFor"));
        publish(made.at("/contentIds/0"));
        assertProblem(post(member, "/api/posts/" + made.at("/postId") + "/publish"), 409, "action_not_allowed");
        const auto attempts = get(member, "/api/posts/" + made.at("/postId") + "/attempts");
        CPPUNIT_ASSERT_EQUAL(std::string("publish_now"), attempts.at("/items/0/trigger"));
    }

    void duplicates()
    {
        const auto made = newPost(member, "Hello", R"(,"labels":["l"])" + timed("2026-11-24T10:00:00Z"));
        const auto copy = post(member, "/api/posts/" + made.at("/postId") + "/duplicate", "");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(copy.body, 201, copy.status);
        CPPUNIT_ASSERT_EQUAL(std::string(R"(draft null Hello ["l"])"),
                             copy.at("/status") + ' ' + copy.at("/scheduledFor") + ' ' + copy.at("/text") + ' ' + copy.at("/labels"));
        CPPUNIT_ASSERT(copy.at("/contentIds/0") != made.at("/contentIds/0"));
        const auto other = newAccount("webhook", "https://hooks.example.org/b");
        const auto elsewhere =
            post(member, "/api/posts/" + made.at("/postId") + "/duplicate", R"({"targets":[{"integrationId":")" + other + R"("}]})");
        CPPUNIT_ASSERT_EQUAL(other, elsewhere.at("/targets/0/integrationId"));
        CPPUNIT_ASSERT_EQUAL(404, post(member, "/api/posts/pst_" + makeUlid(Instant{}) + "/duplicate").status);
    }

    void lists()
    {
        newPost(member, "Apfel & Birne", R"(,"labels":["x","a\"b"])");
        advance(std::chrono::seconds(1));
        newPost(member, "Kirsche", R"(,"title":"ÄPFEL")" + timed("2026-11-25T10:00:00Z"));
        advance(std::chrono::seconds(1));
        account = newAccount("bluesky", "did:plc:a");
        newPost(member, "Pflaume", timed("2026-11-24T10:00:00Z"));
        const auto texts = [&](const std::string& query)
        {
            const auto answer = get(member, "/api/posts?" + query);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
            std::string found;
            for (std::size_t i = 0; i < answer.count("/items"); ++i)
                found += answer.at("/items/" + std::to_string(i) + "/text").substr(0, 1);
            return found;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("PKA"), texts(""));
        CPPUNIT_ASSERT_EQUAL(std::string("PKA"), texts("sort=scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::string("AKP"), texts("sort=-scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::string("AKP"), texts("sort=updatedAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("PK"), texts("status=scheduled"));
        CPPUNIT_ASSERT_EQUAL(std::string("A"), texts("status=draft,published"));
        CPPUNIT_ASSERT_EQUAL(std::string("P"), texts("platform=bluesky"));
        CPPUNIT_ASSERT_EQUAL(std::string("PKA"), texts("platform=bluesky,webhook"));
        CPPUNIT_ASSERT_EQUAL(std::string(""), texts("platform=x"));
        CPPUNIT_ASSERT_EQUAL(std::string("A"), texts("label=x"));
        CPPUNIT_ASSERT_EQUAL(std::string("A"), texts("label=a%22b"));
        CPPUNIT_ASSERT_EQUAL(std::string(""), texts("label=X"));
        CPPUNIT_ASSERT_EQUAL(std::string("K"), texts("q=apfel+kirsche"));
        CPPUNIT_ASSERT_EQUAL(std::string("KA"), texts("q=apfel"));
        CPPUNIT_ASSERT_EQUAL(std::string(""), texts("q=%25"));
        CPPUNIT_ASSERT_EQUAL(std::string("K"), texts("scheduledFrom=2026-11-25T10:00:00Z&scheduledTo=2026-11-25T10:00:01Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("K"), texts("createdFrom=2026-11-23T08:00:01Z&createdTo=2026-11-23T08:00:02Z"));
        assertProblem(get(member, "/api/posts?stat=x"), 400, "unknown_parameter");
        std::string paged, cursor;
        do {
            const auto page = get(member, "/api/posts?limit=1" + cursor);
            paged += page.at("/items/0/text").substr(0, 1);
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
        } while (!cursor.empty());
        CPPUNIT_ASSERT_EQUAL(std::string("PKA"), paged);
    }

    /// Runs the migration over a text that an earlier version folded.
    void foldsMarksOfStoredTexts()
    {
        const auto made = newPost(member, "Rock\u2019n\u2019roll \u2010 live");
        const auto found = [&](const std::string& words) { return this->made(get(member, "/api/posts?q=" + words)).count("/items"); };
        for (const auto* words : {"rock'n'roll", "rock%E2%80%99n", "-"}) CPPUNIT_ASSERT_EQUAL_MESSAGE(words, std::size_t{1}, found(words));
        change("UPDATE post SET search_text = 'rock\u2019n\u2019roll \u2010 live'");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, found("rock'n'roll"));
        std::ifstream migration(socialPluginFolder() + "/migrations/0008_folded_marks.sql");
        int statements = 0;
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE "))
            {
                change(statement);
                ++statements;
            }
        CPPUNIT_ASSERT(statements > 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found("rock'n'roll"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found("-"));
    }

    void keepsBrandsApart()
    {
        const auto made = newPost(member);
        const auto path = "/api/posts/" + made.at("/postId");
        const auto other = newBrand(admin, "Other");
        assertProblem(get(member, "/api/posts"), 400, "brand_required");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, inBrand(other, Method::Get, "/api/posts", member).count("/items"));
        CPPUNIT_ASSERT_EQUAL(404, inBrand(other, Method::Get, path, member).status);
        CPPUNIT_ASSERT_EQUAL(200, get(member, path).status);
        assertProblem(inBrand(other, Method::Get, path + "?brandId=" + brand, member), 400, "brand_mismatch");
        for (const auto method : {Method::Get, Method::Delete}) CPPUNIT_ASSERT_EQUAL(404, call(method, path, stranger).status);
        CPPUNIT_ASSERT_EQUAL(404, put(stranger, path, R"({"title":"x"})").status);
        assertProblem(get(newKey(admin.organizationId), "/api/posts"), 403, "bearer_required");
        // An account of another brand is unknown here.
        const auto answer = inBrand(other, Method::Post, "/api/posts", member, bodyOf("x"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, std::string("unknown_integration"), answer.at("/errors/0/code"));
    }

    void listsAttempts()
    {
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0");
        fail(id, social::FailureCode::NetworkUnreachable, true);
        CPPUNIT_ASSERT_EQUAL(std::string("reschedule cancel"), actionsOf(item(id, newKey(admin.organizationId), brand)));
        advance(std::chrono::seconds(30));
        publish(id);
        const auto attempts = get(member, "/api/posts/" + made.at("/postId") + "/attempts");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, attempts.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("schedule will_retry"), attempts.at("/items/0/trigger") + ' ' + attempts.at("/items/0/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("retry published"), attempts.at("/items/1/trigger") + ' ' + attempts.at("/items/1/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(admin, "/api/content-ops/events/verify").at("/ok"));
    }

private:
    using ContentFixture::item;
    testing::TestAnswer item(const std::string& id, const Caller& key, const std::string& where) const
    {
        return made(inBrand(where, Method::Get, itemPath(id), key));
    }
    void plan() const
    {
        made(patch(admin, "/api/brands/" + brand,
                   R"({"slotPlan":[{"weekday":1,"time":"08:05"},{"weekday":1,"time":"08:04"},{"weekday":3,"time":"12:00"}]})"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PostTest);

} // namespace portico::tests
