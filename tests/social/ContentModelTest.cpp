#include "social/ContentFixture.h"

#include "content/Rollups.h"

#include "portico/Json.h"
#include "portico/TimeZones.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace portico::tests
{

/// Random operations of several people and of the worker. After each, the record must match a second implementation of the specification's
/// tables.
class ContentModelTest : public Suite<ContentModelTest, ContentFixture>
{
    TEST(followsTheTablesWithoutApproval) { run(0, 11); }
    TEST(followsTheTablesWithApproval) { run(1, 12); }
    TEST(followsTheTablesWithTwoSteps) { run(2, 13); }

    /// An item as the specification's tables know it.
    struct Known
    {
        std::string id, approval, publish = "none", failure;
        std::string text;
        int revision = 1;
        bool timed = false;
        bool late = false;
        std::set<std::string> authors, approvers;
        Instant time{};
    };
    struct Person
    {
        const Caller* caller = nullptr;
        bool approves = false;
    };

    int _steps = 0;
    int _texts = 0;
    std::mt19937 _random;
    std::vector<Known> _items;
    std::string _post;

    int pick(int below) { return static_cast<int>(_random() % static_cast<unsigned>(below)); }
    Instant now() const { return host->context().clock().now(); }

    void run(int steps, unsigned seed)
    {
        _steps = steps;
        _random.seed(seed);
        if (steps > 0) setPolicy(steps);
        made(patch(admin, "/api/brands/" + brand, R"({"latePublishGraceMinutes":1440})"));
        const auto second = newAccount("webhook", "https://hooks.example.org/b");
        const std::vector<Person> people{{&member, false}, {&admin, true}, {&approver, true}};
        for (int round = 0; round < 6; ++round)
        {
            const auto made =
                this->made(post(member, "/api/posts",
                                jsonWith(R"({"text":"t","targets":[{"integrationId":"$"},{"integrationId":"$"}]})", account, second)));
            _post = made.at("/postId");
            _items.assign(2, {});
            for (std::size_t i = 0; i < 2; ++i)
            {
                _items[i].id = made.at("/contentIds/" + std::to_string(i));
                _items[i].approval = steps > 0 ? "not_submitted" : "not_required";
                _items[i].text = "t";
                _items[i].authors = {member.principalId};
            }
            for (int i = 0; i < 45; ++i)
            {
                advance(std::chrono::seconds(1));
                auto& item = _items[static_cast<std::size_t>(pick(2))];
                const auto what = step(people[static_cast<std::size_t>(pick(3))], item);
                compare(people, what);
            }
            // Items queued in this round must not occupy the accounts in the next one.
            change("UPDATE content_item SET leased_until = NULL, due_at = NULL");
        }
    }

    static bool underWay(const Known& item) { return item.publish == "publishing" || item.publish == "verifying"; }
    static bool editable(const Known& item)
    {
        if (item.publish == "failed") return item.failure != "reconnect_required" && item.failure != "outcome_unknown";
        return item.publish == "none" || item.publish == "queued";
    }
    static bool reschedulable(const Known& item)
    {
        return item.publish == "queued" || item.publish == "retrying" || (item.publish == "failed" && item.failure != "outcome_unknown");
    }
    static bool mayBeQueued(const Known& item) { return item.approval == "not_required" || item.approval == "approved"; }

    void queue(Known& item, Instant time)
    {
        item.publish = "queued";
        item.failure.clear();
        item.timed = true;
        item.late = false;
        item.time = time;
    }
    void edited(Known& item, const std::string& who)
    {
        ++item.revision;
        item.authors.insert(who);
        item.approvers.clear();
        if (_steps == 0) return;
        if (item.approval == "approved" || item.approval == "rejected")
        {
            item.approval = "pending";
            item.publish = "none";
            item.failure.clear();
            item.late = false;
        }
    }
    void drafted(Known& item)
    {
        item.publish = "none";
        item.failure.clear();
        item.timed = false;
        item.late = false;
        if (item.approval == "pending" || item.approval == "rejected")
        {
            item.approval = "not_submitted";
            item.approvers.clear();
        }
    }

    std::string step(const Person& person, Known& item)
    {
        const auto& caller = *person.caller;
        const auto path = itemPath(item.id);
        switch (pick(13))
        {
        case 0:
        {
            const auto text = "t" + std::to_string(++_texts);
            const auto status = patch(caller, path, jsonWith(R"({"text":"$"})", text)).status;
            equal(editable(item) ? 200 : 409, status, "edit " + describe(item));
            if (status == 200)
            {
                item.text = text;
                edited(item, caller.principalId);
            }
            return "edit";
        }
        case 1:
        {
            const bool open = item.publish == "none" && item.approval == "not_submitted";
            const auto status = ContentFixture::step(caller, item.id, "submit").status;
            equal(open ? 200 : 409, status, "submit " + describe(item));
            if (open) item.approval = "pending";
            return "submit";
        }
        case 2:
        case 3:
            return approve(person, item);
        case 4:
        {
            const bool open = item.publish == "none" && item.approval == "pending";
            const auto status = ContentFixture::step(caller, item.id, "reject").status;
            equal(!person.approves ? 403 : open ? 200 : 409, status, "reject " + describe(item));
            if (status == 200)
            {
                item.approval = "rejected";
                item.approvers.insert(caller.principalId);
            }
            return "reject";
        }
        case 5:
        {
            const auto time = now() + std::chrono::seconds(pick(30));
            const auto status = patch(caller, path, jsonWith(R"({"scheduledFor":"$"})", toString(time))).status;
            const bool open = item.publish == "none" ? item.approval != "rejected" : reschedulable(item);
            const bool same = item.timed && item.time == time;
            equal(open || same ? 200 : 409, status, "schedule " + describe(item));
            if (!open || same) return "schedule";
            item.timed = true;
            item.time = time;
            if (item.publish != "none" || mayBeQueued(item))
                queue(item, time);
            else
                item.approval = "pending";
            return "schedule";
        }
        case 6:
        {
            const auto time = now() + std::chrono::seconds(pick(30));
            const auto status =
                ContentFixture::step(caller, item.id, "reschedule", jsonWith(R"({"scheduledFor":"$"})", toString(time))).status;
            equal(reschedulable(item) ? 200 : 409, status, "reschedule " + describe(item));
            if (status == 200) queue(item, time);
            return "reschedule";
        }
        case 7:
        {
            const bool open = item.publish == "queued" || item.publish == "retrying";
            const auto status = ContentFixture::step(caller, item.id, "cancel").status;
            equal(open ? 200 : 409, status, "cancel " + describe(item));
            if (open) item.publish = "cancelled";
            return "cancel";
        }
        case 8:
            return revert(caller);
        case 9:
        {
            const bool open = item.publish == "failed" && (item.failure == "platform_error" || item.failure == "reconnect_required" ||
                                                           item.failure == "outcome_unknown");
            const auto status = ContentFixture::step(caller, item.id, "retry", R"({"confirm":true})").status;
            equal(open ? 200 : 409, status, "retry " + describe(item));
            if (open) queue(item, now());
            return "retry";
        }
        default:
            return attempt(item);
        }
    }

    std::string approve(const Person& person, Known& item)
    {
        const auto& who = person.caller->principalId;
        const auto revision = item.revision - pick(2);
        const auto answer = ContentFixture::step(*person.caller, item.id, "approve", jsonWith(R"({"revision":$})", revision));
        const bool own = item.authors.contains(who) || item.approvers.contains(who);
        const auto expected = !person.approves                                       ? "permission_denied"
                              : underWay(item)                                       ? "conflict"
                              : item.publish != "none" || item.approval != "pending" ? "action_not_allowed"
                              : revision != item.revision                            ? "revision_changed"
                              : own                                                  ? "self_approval"
                                                                                     : "";
        equal(expected, answer.code(), "approve " + describe(item) + answer.body);
        if (!std::string(expected).empty()) return "approve";
        item.approvers.insert(who);
        if (static_cast<int>(item.approvers.size()) < _steps) return "approve";
        item.approval = "approved";
        item.authors = {member.principalId};
        if (item.timed && item.time >= now())
            queue(item, item.time);
        else if (item.timed)
            item.late = true;
        return "approve";
    }

    std::string revert(const Caller& caller)
    {
        const auto answer = put(caller, "/api/posts/" + _post, R"({"status":"draft"})");
        const bool draft = status() == "draft";
        bool busy = false, stuck = false, done = true;
        for (const auto& item : _items)
        {
            busy |= underWay(item);
            stuck |= !draft && item.publish == "failed" && item.failure == "outcome_unknown";
            done &= item.publish == "published" || item.publish == "cancelled";
        }
        equal(busy || stuck || done ? 409 : 200, answer.status, "revert " + describe(_items[0]) + describe(_items[1]) + answer.body);
        if (busy || stuck || done || draft) return "revert";
        for (auto& item : _items)
            if (item.publish != "published" && item.publish != "cancelled") drafted(item);
        return "revert";
    }

    /// Simulates an attempt of the worker.
    std::string attempt(Known& item)
    {
        if (item.publish == "queued" || item.publish == "retrying")
        {
            // The other post's items do not interfere: one account for each item.
            if (item.publish == "retrying") advance(std::chrono::seconds(30));
            if (item.time > now()) advance(item.time - now());
            CPPUNIT_ASSERT_MESSAGE("take " + describe(item), take(item.id));
            item.publish = "publishing";
            return "begin";
        }
        if (item.publish == "publishing")
        {
            const auto how = pick(5);
            const bool done = work(
                [&](Transaction& transaction)
                {
                    if (how == 0) return publications().succeed(transaction, held(item.id), {"1", "https://x/1", {}}, {});
                    if (how == 1) return publications().loseTrack(transaction, held(item.id), {});
                    social::Setback setback;
                    setback.failure.code = how == 4   ? social::FailureCode::ReconnectRequired
                                           : how == 3 ? social::FailureCode::DuplicateContent
                                                      : social::FailureCode::PlatformError;
                    setback.failure.retryable = how == 2;
                    if (how == 2) setback.nextAttemptAt = now() + std::chrono::seconds(30);
                    setback.usesAttempt = false;
                    return publications().setBack(transaction, held(item.id), setback, {});
                });
            CHECK(done);
            item.publish = how == 0 ? "published" : how == 1 ? "verifying" : how == 2 ? "retrying" : "failed";
            item.failure = how == 2   ? "platform_error"
                           : how == 3 ? "duplicate_content"
                           : how == 4 ? "reconnect_required"
                           : how == 0 ? ""
                                      : item.failure;
            return "end";
        }
        if (item.publish != "verifying") return "nothing";
        CHECK(take(item.id));
        const auto how = pick(2);
        if (how == 1) advance(std::chrono::minutes(15));
        CHECK(work(
            [&](Transaction& transaction)
            {
                return how == 0 ? publications().found(transaction, held(item.id), {"1", "https://x/1", {}})
                                : publications().unsure(transaction, held(item.id), now());
            }));
        item.publish = how == 0 ? "published" : "failed";
        item.failure = how == 0 ? "" : "outcome_unknown";
        return "look";
    }

    std::string status() const
    {
        std::map<std::string, int> states;
        int pending = 0, live = 0;
        for (const auto& item : _items)
        {
            ++states[item.publish];
            if (item.publish == "cancelled") continue;
            ++live;
            pending += item.approval == "pending";
        }
        if (live == 0) return "cancelled";
        if (states.contains("publishing") || states.contains("retrying") || states.contains("verifying") ||
            (states.contains("published") && states.contains("queued")))
            return "publishing";
        if (states["published"] == live) return "published";
        if (states["published"] > 0) return "partially_published";
        if (states["failed"] > 0) return "failed";
        if (states["queued"] > 0) return "scheduled";
        return pending > 0 ? "pending_approval" : "draft";
    }

    std::string actions(const Known& item, const Person& person) const
    {
        const bool own = item.authors.contains(person.caller->principalId) || item.approvers.contains(person.caller->principalId);
        const std::string approve = person.approves && !own ? " approve" : "", reject = person.approves ? " reject" : "";
        const std::string reconnect = person.approves ? "reconnect " : "";
        if (item.publish == "none")
        {
            if (item.approval == "pending") return "edit" + approve + reject + " revert_to_draft";
            if (item.approval == "rejected") return "edit revert_to_draft duplicate delete";
            if (item.approval == "not_submitted") return "edit schedule submit duplicate delete";
            return "edit schedule publish_now duplicate delete";
        }
        if (item.publish == "queued") return "edit reschedule publish_now revert_to_draft cancel";
        if (item.publish == "retrying") return "reschedule revert_to_draft cancel";
        if (item.publish == "published") return "view_on_platform duplicate";
        if (item.publish == "cancelled") return "duplicate delete";
        if (item.publish != "failed") return "";
        if (item.failure == "platform_error") return "retry edit reschedule revert_to_draft duplicate";
        if (item.failure == "reconnect_required") return reconnect + "retry reschedule revert_to_draft";
        if (item.failure == "outcome_unknown") return "mark_published retry";
        return "edit reschedule revert_to_draft duplicate";
    }

    static std::string describe(const Known& item)
    {
        return item.approval + ' ' + item.publish + ' ' + item.failure + " r" + std::to_string(item.revision) + ' ';
    }

    void compare(const std::vector<Person>& people, const std::string& what)
    {
        const auto& person = people[static_cast<std::size_t>(pick(3))];
        const auto shown = made(get(*person.caller, "/api/posts/" + _post + "?include=items"));
        equal(status(), shown.at("/status"), what + ' ' + describe(_items[0]) + describe(_items[1]));
        for (std::size_t i = 0; i < _items.size(); ++i)
        {
            const auto& known = _items[i];
            const auto at = "/items/" + std::to_string(i);
            equal(known.approval + ' ' + known.publish, shown.at(at + "/approvalState") + ' ' + shown.at(at + "/publishStatus"), what);
            equal(known.text + ' ' + std::to_string(known.revision), shown.at(at + "/text") + ' ' + shown.at(at + "/revision"));
            equal(known.timed ? toString(known.time) : "null", shown.at(at + "/scheduledFor"), what + ' ' + describe(known));
            const bool waits = known.publish == "none" && known.approval == "pending" && known.timed;
            equal(std::string(waits ? "approval_pending" : known.late ? "schedule_passed" : "null"), shown.at(at + "/blockedReason"), what);
            const auto one = item(known.id, *person.caller);
            equal(actions(known, person), actionsOf(one), what + ' ' + describe(known));
            // The listed actions must succeed for the reader.
            equal(shown.at(at + "/safeActions"), one.at("/safeActions"));
        }
        assertKeptCounts(what);
        compareFigures(what);
    }

    /// Figures that are kept beside a new count.
    void compareFigures(const std::string& what)
    {
        const auto today = TimeZones().require("UTC", "").dateOf(now());
        auto session = host->context().database().session();
        const auto counted =
            social::countItems(session, tenant(), brandId(), std::nullopt, TimeZones().require("UTC", ""), today.plusDays(-29), today);
        equal(toJson(counted), made(get(admin, "/api/content-ops/daily")).body, what);
    }
};

} // namespace portico::tests
