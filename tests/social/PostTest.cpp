#include "social/ContentFixture.h"
#include "social/SourceFolders.h"

#include "support/Together.h"

#include <atomic>
#include <fstream>
#include <set>

namespace portico::tests
{

/// /api/posts.
class PostTest : public Suite<PostTest, ContentFixture>
{
    TEST(writesADraft)
    {
        const auto made = newPost(member, "Hello", R"(,"title":"T","labels":["a"," b "])");
        equal("draft", made.at("/status"));
        equal("null", made.at("/scheduledFor"));
        equal(R"(["a","b"])", made.at("/labels"));
        equal("UTC", made.at("/timeZone"));
        equal("webhook", made.at("/targets/0/platform"));
        equal("Acme", made.at("/targets/0/displayName"));
        equal("[]", made.at("/warnings"));
        const auto shown = this->made(get(member, "/api/posts/" + made.at("/postId") + "?include=items,attempts"));
        equal(1, shown.count("/items"));
        equal(made.at("/contentIds/0"), shown.at("/items/0/contentId"));
        equal("not_required none", stateOf(made.at("/contentIds/0")));
        equal("edit schedule publish_now duplicate delete", actionsOf(item(made.at("/contentIds/0"))));
    }

    TEST(schedules)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00+01:00"));
        equal("scheduled", made.at("/status"));
        equal("2026-11-24T09:00:00.000Z", made.at("/scheduledFor"));
        const auto queued = item(made.at("/contentIds/0"));
        equal("not_required queued", stateOf(queued));
        equal("2026-11-23T08:00:00.000Z", queued.at("/timestamps/scheduledAt"));
        equal("edit reschedule publish_now revert_to_draft cancel", actionsOf(queued));
        // Another time of the whole post.
        const auto moved = this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        equal("2026-11-25T10:00:00.000Z", moved.at("/scheduledFor"));
        equal("2026-11-23T08:00:00.000Z", item(made.at("/contentIds/0")).at("/timestamps/lastRescheduledAt"));
        const auto draft = newPost(member, "Later");
        this->made(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        equal("not_required queued", stateOf(draft.at("/contentIds/0")));
    }

    TEST(refusesBadInput)
    {
        const auto rejects = [&](const std::string& body, const std::string& field, const std::string& code)
        {
            const auto answer = post(member, "/api/posts", body);
            equal(400, answer.status, answer.body);
            equal(field + ' ' + code, answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code"), answer.body);
        };
        const auto target = jsonWith(R"("targets":[{"integrationId":"$"}])", account);
        rejects("{" + target + "}", "text", "required");
        rejects(jsonWith(R"({"text":" \n\t",$})", target), "text", "required");
        rejects(jsonWith(R"({"text":"x","thread":[{"text":" "}],$})", target), "thread[0].text", "required");
        for (const auto* link : {"javascript:alert(1)", "http://a b/", "example.org"})
        {
            rejects(jsonWith(R"({"text":"x","linkUrl":"$",$})", link, target), "linkUrl", "invalid_url");
            rejects(jsonWith(R"({"text":"x","targets":[{"integrationId":"$","overrides":{"linkUrl":"$"}}]})", account, link),
                    "targets[0].overrides.linkUrl", "invalid_url");
        }
        rejects(R"({"text":"x","targets":[]})", "targets", "too_few_values");
        rejects(R"({"text":"x","targets":[{}]})", "targets[0].integrationId", "required");
        rejects(jsonWith(R"({"text":"x","targets":[{"integrationId":"itg_$"}]})", makeUlid(Instant{})), "targets[0].integrationId",
                "unknown_integration");
        rejects(jsonWith(R"({"text":"x","targets":[{"integrationId":"$"},{"integrationId":"$"}]})", account, account), "targets[1]",
                "duplicate_target");
        rejects(jsonWith(R"({"text":"x","targets":[{"integrationId":"$","externalId":"page"}]})", account), "targets[0].externalId",
                "unknown_page");
        rejects(jsonWith(R"({"text":"x","settings":[1],$})", target), "settings", "wrong_type");
        rejects(jsonWith(R"({"text":"x","timeZone":"Mars/Base",$})", target), "timeZone", "unknown_time_zone");
        rejects(jsonWith(R"({"text":"x","mediaIds":["med_$"],$})", makeUlid(Instant{}), target), "mediaIds[0]", "unknown_media");
        rejects(jsonWith(R"({"text":"x","thread":[{"text":""}],$})", target), "thread[0].text", "required");
        rejects(jsonWith(R"({"text":"x","targets":[{"integrationId":"$"}]})", newAccount("bluesky", "did:plc:gone", "disconnected")),
                "targets[0].integrationId", "not_connected");
        const auto bluesky =
            jsonWith(R"({"text":"$","targets":[{"integrationId":"$"}])", std::string(301, 'x'), newAccount("bluesky", "did:plc:a"));
        rejects(bluesky + timed("2026-11-24T10:00:00Z") + "}", "text", "text_too_long");
        // A draft may be too long; it can only be edited.
        const auto draft = post(member, "/api/posts", bluesky + "}");
        equal(201, draft.status);
        equal("edit duplicate delete", actionsOf(item(draft.at("/contentIds/0"))));
        refused(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-24T10:00:00Z"})"), 400, "validation_failed");
        refused(post(member, "/api/posts/" + draft.at("/postId") + "/publish"), 409, "action_not_allowed");
        equal("draft", get(member, "/api/posts/" + draft.at("/postId")).at("/status"));
        refused(post(member, "/api/posts", bodyOf("x", R"(,"nonsense":1)")), 400, "unknown_field");
    }

    TEST(refusesBadTimes)
    {
        refused(post(member, "/api/posts", bodyOf("x", timed("2026-11-23T07:59:59.999Z"))), 400, "in_past");
        equal(201, post(member, "/api/posts", bodyOf("x", timed("2026-11-23T08:00:00Z"))).status);
        equal(201, post(member, "/api/posts", bodyOf("y", timed("2028-11-23T08:00:00Z"))).status);
        refused(post(member, "/api/posts", bodyOf("x", timed("2028-11-23T08:00:00.001Z"))), 400, "too_far");
        refused(post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")), 400, "no_slot_plan");
        refused(post(member, "/api/posts", bodyOf("x", R"(,"slot":"first")")), 400, "validation_failed");
        const auto made = newPost(member, "z", timed("2026-11-23T09:00:00Z"));
        advance(std::chrono::hours(2));
        // The stored time may be over; the one of a request may not.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"New","scheduledFor":"2026-11-23T09:00:00Z"})"));
        refused(put(member, "/api/posts/" + made.at("/postId"), R"({"scheduledFor":"2026-11-23T09:00:01Z"})"), 400, "in_past");
        refused(step(member, made.at("/contentIds/0"), "reschedule", R"({"scheduledFor":"2026-11-23T09:00:00Z"})"), 400, "in_past");
    }

    TEST(checksOnly)
    {
        const auto bluesky = newAccount("bluesky", "did:plc:a");
        const auto body = jsonWith(R"({"text":"$ #tag","targets":[{"integrationId":"$"},{"integrationId":"$"},{"integrationId":"itg_$"}]})",
                                   std::string(301, 'x'), bluesky, account, makeUlid(Instant{}));
        const auto run = post(member, "/api/posts?dryRun=true", body);
        equal(200, run.status, run.body);
        equal("false", run.at("/valid"));
        equal("text_too_long", run.at("/targets/0/errors/0/code"));
        equal("306", run.at("/targets/0/length"));
        equal("300", run.at("/targets/0/limit"));
        equal("tag", run.at("/targets/0/preview/parts/0/marks/0/value"));
        equal("[]", run.at("/targets/1/errors"));
        equal("unknown_integration", run.at("/targets/2/errors/0/code"));
        equal(0, get(member, "/api/posts").count("/items"));
        equal("true", post(member, "/api/posts?dryRun=true", bodyOf("x")).at("/valid"));
        refused(post(member, "/api/posts?dryRun=true", bodyOf("x", timed("2026-11-22T00:00:00Z"))), 400, "in_past");
        // A link that is not complete yet leaves the preview.
        const auto half = this->made(post(member, "/api/posts?dryRun=true", bodyOf("x", R"(,"linkUrl":"https:")")));
        equal("linkUrl invalid_url", half.at("/targets/0/errors/0/field") + ' ' + half.at("/targets/0/errors/0/code"));
        equal("1", half.at("/targets/0/length"));
    }

    TEST(warns)
    {
        newPost(member, "Same", timed("2026-11-24T10:00:00Z"));
        equal("similar_scheduled", newPost(member, "Same", timed("2026-11-25T10:00:00Z")).at("/warnings/0/code"));
        equal("[]", newPost(member, "Same", timed("2026-11-27T10:00:00Z")).at("/warnings"));
        equal("[]", newPost(member, "Other", timed("2026-11-24T10:00:00Z")).at("/warnings"));
        // Also applies if it is scheduled later.
        const auto draft = newPost(member, "Same");
        const auto scheduled = this->made(put(member, "/api/posts/" + draft.at("/postId"), R"({"scheduledFor":"2026-11-24T12:00:00Z"})"));
        equal("similar_scheduled", scheduled.at("/warnings/0/code"));
    }

    TEST(takesTheNextSlot)
    {
        plan();
        // Monday, 08:00: the 08:04 is too near.
        equal("2026-11-23T08:05:00.000Z", newPost(member, "a", R"(,"slot":"next")").at("/scheduledFor"));
        equal("2026-11-25T12:00:00.000Z", newPost(member, "b", R"(,"slot":"next")").at("/scheduledFor"));
        // Manually chosen times occupy slots too; another account has separate slots.
        newPost(member, "c", timed("2026-11-30T08:04:00Z"));
        equal("2026-11-30T08:05:00.000Z", newPost(member, "d", R"(,"slot":"next")").at("/scheduledFor"));
        account = newAccount("webhook", "https://hooks.example.org/b");
        equal("2026-11-23T08:05:00.000Z", newPost(member, "e", R"(,"slot":"next")").at("/scheduledFor"));
        refused(post(member, "/api/posts", bodyOf("x", jsonWith(R"(,"slot":"next"$)", timed("2026-11-25T10:00:00Z")))), 400,
                "validation_failed");
    }

    TEST(givesRivalsDifferentSlots)
    {
        std::string slots;
        for (int day = 1; day <= 7; ++day)
            for (int hour = 0; hour < 20; ++hour)
                slots += (slots.empty() ? "" : ",") + std::string(R"({"weekday":)") + std::to_string(day) + R"(,"time":")" +
                         (hour < 10 ? "0" : "") + std::to_string(hour) + ":30\"}";
        made(patch(admin, "/api/brands/" + brand, jsonWith(R"({"slotPlan":[$]})", slots)));
        std::set<std::string> times;
        std::mutex mutex;
        runTogether(8,
                    [&](int)
                    {
                        for (int i = 0; i < 25; ++i)
                        {
                            const auto answer = post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")"));
                            const std::lock_guard lock(mutex);
                            equal(201, answer.status, answer.body);
                            CPPUNIT_ASSERT_MESSAGE(answer.body, times.insert(answer.at("/scheduledFor")).second);
                        }
                    });
        equal(200, times.size());
    }

    TEST(freesASlot)
    {
        plan();
        const auto first = newPost(member, "a", R"(,"slot":"next")");
        newPost(member, "b", R"(,"slot":"next")");
        this->made(put(member, "/api/posts/" + first.at("/postId"), R"({"status":"draft"})"));
        equal(first.at("/scheduledFor"), newPost(member, "c", R"(,"slot":"next")").at("/scheduledFor"));
        const auto last = newPost(member, "d", R"(,"slot":"next")");
        equal(204, del(member, "/api/posts/" + last.at("/postId")).status);
        equal(last.at("/scheduledFor"), newPost(member, "e", R"(,"slot":"next")").at("/scheduledFor"));
        // Full for 90 days.
        for (int i = 0; i < 60; ++i)
            if (post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")).status != 201) break;
        refused(post(member, "/api/posts", bodyOf("x", R"(,"slot":"next")")), 409, "no_free_slot");
    }

    TEST(changesWhatTheTargetsSay)
    {
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto made =
            post(member, "/api/posts",
                 jsonWith(R"({"text":"Both","targets":[{"integrationId":"$"},{"integrationId":"$","overrides":{"text":"Own"}}]})", account,
                          second));
        const auto one = made.at("/contentIds/0"), two = made.at("/contentIds/1");
        equal("Own", item(two).at("/text"));
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"text":"New"})"));
        equal("New 2", item(one).at("/text") + ' ' + item(one).at("/revision"));
        equal("Own 1", item(two).at("/text") + ' ' + item(two).at("/revision"));
        // A PATCH of an item writes that target's override.
        this->made(patch(member, itemPath(one), R"({"text":"Mine"})"));
        const auto post = get(member, "/api/posts/" + made.at("/postId"));
        equal("New", post.at("/text"));
        equal("Mine", post.at("/targets/0/overrides/text"));
        equal("1", item(two).at("/revision"));
        // Changes outside of the content do not raise the revision.
        this->made(put(member, "/api/posts/" + made.at("/postId"), R"({"title":"T","labels":["l"]})"));
        equal("3", item(one).at("/revision"));
        const auto same = item(one).at("/version");
        this->made(patch(member, itemPath(one), R"({"text":"Mine"})"));
        equal(same, item(one).at("/version"));
    }

    TEST(keepsTargetsAndMetadata)
    {
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const auto made =
            post(member, "/api/posts",
                 jsonWith(R"({"text":"Both","targets":[{"integrationId":"$","metadata":{"a":1,"keep":{"x":[1]}}},{"integrationId":"$"}]})",
                          account, second));
        const auto path = "/api/posts/" + made.at("/postId");
        this->made(put(member, path, R"({"text":"New"})"));
        equal(made.at("/targets/0/metadata"), get(member, path).at("/targets/0/metadata"));
        const auto changed =
            this->made(put(member, path, jsonWith(R"({"targets":[{"targetId":"$","metadata":{"a":2}}]})", made.at("/targets/0/targetId"))));
        equal(R"({"a":2,"keep":{"x":[1]}})", changed.at("/targets/0/metadata"));
        equal(1, changed.count("/contentIds"));
        equal(made.at("/contentIds/0"), changed.at("/contentIds/0"));
        equal(404, get(member, itemPath(made.at("/contentIds/1"))).status);
        refused(put(member, path, R"({"targets":[]})"), 400, "validation_failed");
        // A new target of a scheduled post gets its time.
        this->made(put(member, path, R"({"scheduledFor":"2026-11-25T10:00:00Z"})"));
        const auto wider = this->made(
            put(member, path, jsonWith(R"({"targets":[{"targetId":"$"},{"integrationId":"$"}]})", made.at("/targets/0/targetId"), second)));
        equal("not_required queued", stateOf(wider.at("/contentIds/1")));
        const auto big = std::string(8200, 'x');
        refused(put(member, path, jsonWith(R"({"targets":[{"integrationId":"$","metadata":{"a":"$"}}]})", account, big)), 400,
                "validation_failed");
    }

    TEST(takesBackWhatWasRead)
    {
        for (const auto& more : {std::string(), timed("2026-11-24T10:00:00Z")})
        {
            const auto made = newPost(member, "Hello", more);
            const auto path = "/api/posts/" + made.at("/postId");
            const auto read = get(member, path);
            const auto again = this->made(put(member, path, read.body));
            equal(read.body, again.body);
            const auto one = item(made.at("/contentIds/0"), member);
            equal(one.body, this->made(patch(member, itemPath(made.at("/contentIds/0")), one.body)).body);
        }
    }

    TEST(keepsWhatAnAccountLeaves)
    {
        const auto made = newPost(member);
        const auto url = "/api/posts/" + made.at("/postId");
        const auto queued = newPost(member, "x", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        equal(204, del(admin, "/api/integrations/" + account).status);
        equal("failed", item(queued).at("/publishStatus"));
        // The post is still there to be read, edited and sent back; it cannot be published.
        equal(get(member, url).body, this->made(put(member, url, get(member, url).body)).body);
        this->made(put(member, url, R"({"text":"New"})"));
        const auto answer = put(member, url, R"({"scheduledFor":"2026-11-25T10:00:00Z"})");
        refused(answer, 400, "validation_failed");
        equal("integrationId not_connected", answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code"));
        equal("edit duplicate delete", actionsOf(item(made.at("/contentIds/0"))));
        // Another account replaces it at the same target.
        const auto other = newAccount("webhook", "https://hooks.example.org/c");
        const auto moved =
            this->made(put(member, url,
                           jsonWith(R"({"targets":[{"targetId":"$","integrationId":"$"}],"scheduledFor":"2026-11-25T10:00:00Z"})",
                                    made.at("/targets/0/targetId"), other)));
        equal(made.at("/contentIds/0") + " scheduled", moved.at("/contentIds/0") + ' ' + moved.at("/status"));
    }

    TEST(reverts)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto path = "/api/posts/" + made.at("/postId");
        testing::TestRequest stale{Method::Put, path, R"({"status":"draft"})", {{"If-Match", "\"7\""}}, member};
        refused(host->call(stale), 412, "version_conflict");
        const auto reverted = this->made(put(member, path, R"({"status":"draft"})"));
        equal("draft null", reverted.at("/status") + ' ' + reverted.at("/scheduledFor"));
        const auto draft = item(made.at("/contentIds/0"));
        equal("null", draft.at("/scheduledFor"));
        // The first scheduling stays in the figures.
        equal("2026-11-23T08:00:00.000Z", draft.at("/timestamps/scheduledAt"));
        this->made(put(member, path, R"({"scheduledFor":"2026-11-24T10:00:00Z"})"));
        equal("draft", this->made(put(member, path, R"({"scheduledFor":null})")).at("/status"));
        equal("draft", this->made(put(member, path, R"({"status":"draft"})")).at("/status"));
        refused(put(member, path, R"({"linkUrl":"https:"})"), 400, "validation_failed");
        refused(patch(member, itemPath(made.at("/contentIds/0")), R"({"linkUrl":"https:"})"), 400, "validation_failed");
        refused(patch(member, itemPath(made.at("/contentIds/0")), R"({"text":" "})"), 400, "validation_failed");
    }

    TEST(doesNotRevertWhatIsDone)
    {
        const auto rejects = [&](const std::string& path, const std::string& body)
        {
            const auto before = get(member, path);
            refused(put(member, path, body), 409, "action_not_allowed");
            equal(before.body, get(member, path).body);
        };
        const auto published = newPost(member, "Out", timed("2026-11-23T08:00:00Z"));
        publish(published.at("/contentIds/0"));
        rejects("/api/posts/" + published.at("/postId"), R"({"status":"draft"})");
        rejects("/api/posts/" + published.at("/postId"), R"({"scheduledFor":null})");
        const auto cancelled = newPost(member, "Not today", timed("2026-11-24T08:00:00Z"));
        this->made(step(member, cancelled.at("/contentIds/0"), "cancel"));
        rejects("/api/posts/" + cancelled.at("/postId"), R"({"status":"draft"})");
    }

    TEST(refusesWhilePublishing)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0"), path = "/api/posts/" + made.at("/postId");
        CHECK(take(id));
        equal("publishing", get(member, path).at("/status"));
        refused(put(member, path, R"({"title":"x"})"), 409, "conflict");
        refused(put(member, path, R"({"status":"draft"})"), 409, "conflict");
        refused(del(member, path), 409, "conflict");
        refused(post(member, path + "/publish"), 409, "conflict");
        refused(patch(member, itemPath(id), R"({"text":"x"})"), 409, "conflict");
        for (const auto* name : {"retry", "cancel", "submit"}) refused(step(member, id, name), 409, "conflict");
        equal("", actionsOf(item(id)));
        // A lease keeps others away.
        CHECK(!take(id, "w2"));
        CHECK(!work([&](Transaction& transaction) { return publications().succeed(transaction, held(id, "w2"), {}, {}); }));
        CHECK(work([&](Transaction& transaction) { return publications().succeed(transaction, held(id), {"1", "https://x/1", {}}, {}); }));
        const auto published = item(id);
        equal("view_on_platform duplicate", actionsOf(published));
        equal("published", get(member, path).at("/status"));
        refused(put(member, path, R"({"text":"x"})"), 409, "action_not_allowed");
        this->made(put(member, path, R"({"title":"x"})"));
        refused(patch(member, itemPath(id), R"({"text":"x"})"), 409, "action_not_allowed");
    }

    TEST(deletes)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-24T10:00:00Z"));
        const auto path = "/api/posts/" + made.at("/postId");
        equal(204, del(member, path).status);
        equal(404, get(member, path).status);
        equal(404, get(admin, itemPath(made.at("/contentIds/0"))).status);
        equal(404, del(member, path).status);
        equal(0, get(member, "/api/posts").count("/items"));
        equal("0", get(admin, "/api/content-ops/queue").at("/counts/queued"));
        advance(std::chrono::hours(48));
        CHECK(!take(made.at("/contentIds/0")));
    }

    TEST(publishesNow)
    {
        const auto made = newPost(member);
        const auto answer = post(member, "/api/posts/" + made.at("/postId") + "/publish");
        equal(202, answer.status);
        equal("scheduled", answer.at("/status"));
        equal("2026-11-23T08:00:00.000Z", answer.at("/scheduledFor"));
        publish(made.at("/contentIds/0"));
        refused(post(member, "/api/posts/" + made.at("/postId") + "/publish"), 409, "action_not_allowed");
        const auto attempts = get(member, "/api/posts/" + made.at("/postId") + "/attempts");
        equal("publish_now", attempts.at("/items/0/trigger"));
    }

    TEST(duplicates)
    {
        const auto made = newPost(member, "Hello", jsonWith(R"(,"labels":["l"]$)", timed("2026-11-24T10:00:00Z")));
        const auto copy = post(member, "/api/posts/" + made.at("/postId") + "/duplicate", "");
        equal(201, copy.status, copy.body);
        equal(R"(draft null Hello ["l"])",
              copy.at("/status") + ' ' + copy.at("/scheduledFor") + ' ' + copy.at("/text") + ' ' + copy.at("/labels"));
        CHECK(copy.at("/contentIds/0") != made.at("/contentIds/0"));
        const auto other = newAccount("webhook", "https://hooks.example.org/b");
        const auto elsewhere =
            post(member, "/api/posts/" + made.at("/postId") + "/duplicate", jsonWith(R"({"targets":[{"integrationId":"$"}]})", other));
        equal(other, elsewhere.at("/targets/0/integrationId"));
        equal(404, post(member, "/api/posts/pst_" + makeUlid(Instant{}) + "/duplicate").status);
    }

    TEST(lists)
    {
        newPost(member, "Apfel & Birne", R"(,"labels":["x","a\"b"])");
        advance(std::chrono::seconds(1));
        newPost(member, "Kirsche", jsonWith(R"(,"title":"ÄPFEL"$)", timed("2026-11-25T10:00:00Z")));
        advance(std::chrono::seconds(1));
        account = newAccount("bluesky", "did:plc:a");
        newPost(member, "Pflaume", timed("2026-11-24T10:00:00Z"));
        const auto texts = [&](const std::string& query)
        {
            const auto answer = get(member, "/api/posts?" + query);
            equal(200, answer.status, answer.body);
            std::string found;
            for (std::size_t i = 0; i < answer.count("/items"); ++i)
                found += answer.at("/items/" + std::to_string(i) + "/text").substr(0, 1);
            return found;
        };
        equal("PKA", texts(""));
        equal("PKA", texts("sort=scheduledFor"));
        equal("AKP", texts("sort=-scheduledFor"));
        equal("AKP", texts("sort=updatedAt"));
        equal("PK", texts("status=scheduled"));
        equal("A", texts("status=draft,published"));
        equal("P", texts("platform=bluesky"));
        equal("PKA", texts("platform=bluesky,webhook"));
        equal("", texts("platform=x"));
        equal("A", texts("label=x"));
        equal("A", texts("label=a%22b"));
        equal("", texts("label=X"));
        equal("K", texts("q=apfel+kirsche"));
        equal("KA", texts("q=apfel"));
        equal("", texts("q=%25"));
        equal("K", texts("scheduledFrom=2026-11-25T10:00:00Z&scheduledTo=2026-11-25T10:00:01Z"));
        equal("K", texts("createdFrom=2026-11-23T08:00:01Z&createdTo=2026-11-23T08:00:02Z"));
        refused(get(member, "/api/posts?stat=x"), 400, "unknown_parameter");
        std::string paged, cursor;
        do {
            const auto page = get(member, "/api/posts?limit=1" + cursor);
            paged += page.at("/items/0/text").substr(0, 1);
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
        } while (!cursor.empty());
        equal("PKA", paged);
    }

    /// Runs the migration over a text that an earlier version folded.
    TEST(foldsMarksOfStoredTexts)
    {
        const auto made = newPost(member, "Rock\u2019n\u2019roll \u2010 live");
        const auto found = [&](const std::string& words) { return this->made(get(member, "/api/posts?q=" + words)).count("/items"); };
        for (const auto* words : {"rock'n'roll", "rock%E2%80%99n", "-"}) equal(1, found(words), words);
        change("UPDATE post SET search_text = 'rock\u2019n\u2019roll \u2010 live'");
        equal(0, found("rock'n'roll"));
        std::ifstream migration(socialPluginFolder() + "/migrations/0008_folded_marks.sql");
        int statements = 0;
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE "))
            {
                change(statement);
                ++statements;
            }
        CHECK(statements > 0);
        equal(1, found("rock'n'roll"));
        equal(1, found("-"));
    }

    TEST(keepsBrandsApart)
    {
        const auto made = newPost(member);
        const auto path = "/api/posts/" + made.at("/postId");
        const auto other = newBrand(admin, "Other");
        refused(get(member, "/api/posts"), 400, "brand_required");
        equal(0, inBrand(other, Method::Get, "/api/posts", member).count("/items"));
        equal(404, inBrand(other, Method::Get, path, member).status);
        equal(200, get(member, path).status);
        refused(inBrand(other, Method::Get, path + "?brandId=" + brand, member), 400, "brand_mismatch");
        for (const auto method : {Method::Get, Method::Delete}) equal(404, call(method, path, stranger).status);
        equal(404, put(stranger, path, R"({"title":"x"})").status);
        refused(get(newKey(admin.organizationId), "/api/posts"), 403, "bearer_required");
        // An account of another brand is unknown here.
        const auto answer = inBrand(other, Method::Post, "/api/posts", member, bodyOf("x"));
        equal("unknown_integration", answer.at("/errors/0/code"), answer.body);
    }

    TEST(listsAttempts)
    {
        const auto made = newPost(member, "Hello", timed("2026-11-23T08:00:00Z"));
        const auto id = made.at("/contentIds/0");
        fail(id, social::FailureCode::NetworkUnreachable, true);
        equal("reschedule cancel", actionsOf(item(id, newKey(admin.organizationId), brand)));
        advance(std::chrono::seconds(30));
        publish(id);
        const auto attempts = get(member, "/api/posts/" + made.at("/postId") + "/attempts");
        equal(2, attempts.count("/items"));
        equal("schedule will_retry", attempts.at("/items/0/trigger") + ' ' + attempts.at("/items/0/outcome"));
        equal("retry published", attempts.at("/items/1/trigger") + ' ' + attempts.at("/items/1/outcome"));
        equal("true", get(admin, "/api/content-ops/events/verify").at("/ok"));
    }

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

} // namespace portico::tests
