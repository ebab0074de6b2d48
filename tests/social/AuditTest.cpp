#include "social/SocialFixture.h"

#include "audit/AuditTrail.h"
#include "audit/EventChanges.h"
#include "brands/BrandTables.h"

#include "portico/Crypto.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

using namespace social;

/// The chain of events of a brand.
class SocialAuditTest : public Suite<SocialAuditTest, SocialFixture>
{
    void setUp() override
    {
        SocialFixture::setUp();
        brand = newBrand(admin);
    }

    TEST(namesWhoDidWhat)
    {
        const auto events = get(admin, "/api/content-ops/events");
        equal(1, events.count("/items"));
        equal("brand.created", events.at("/items/0/kind"));
        equal("user", events.at("/items/0/actor/type"));
        equal(admin.principalId, events.at("/items/0/actor/id"));
        equal(admin.organizationId, events.at("/items/0/organizationId"));
        equal("2026-11-23T08:00:00.000Z", events.at("/items/0/occurredAt"));
        equal("{}", events.at("/items/0/data"));
        for (const auto* hidden : {"/items/0/position", "/items/0/actorId"}) CHECK(!events.has(hidden));
    }

    TEST(linksEachEventToTheOneBefore)
    {
        write(5);
        const auto events = get(admin, "/api/content-ops/events?sort=occurredAt");
        std::string before;
        for (int i = 0; i < 6; ++i)
        {
            const auto item = "/items/" + std::to_string(i);
            equal(before, events.at(item + "/prevHash"));
            before = events.at(item + "/hash");
            equal(64, before.size());
        }
        // The hash as a reader of the API document computes it.
        const auto canonical = jsonWith(
            R"({"actor":{"id":"$","type":"user"},"brandId":"$","changes":[],"contentId":null,"data":{},"eventId":"$",)"
            R"("integrationId":null,"kind":"brand.created","mediaId":null,"occurredAt":"2026-11-23T08:00:00.000Z","organizationId":"$",)"
            R"("postId":null,"reason":null,"requestId":"$"})",
            admin.principalId, brand, events.at("/items/0/eventId"), admin.organizationId, events.at("/items/0/requestId"));
        equal(sha256(canonical).hex(), events.at("/items/0/hash"));
        assertChain(6, {});
    }

    TEST(findsAChangedRow)
    {
        write(5);
        for (const auto* edit : {"kind = 'content.deleted'", "occurred_at = occurred_at + 1", "data = '{\"a\":1}'", "reason = 'other'",
                                 "actor_id = 'usr_01jd0000000000000000000000'", "request_id = 'other'", "content_id = NULL",
                                 "changes = '[]'", "occurred_in = 'org_01jd0000000000000000000000'", "hash = prev_hash",
                                 "actor = '{\"type\":\"system\",\"id\":\"\",\"displayName\":\"\"}'"})
        {
            change("CREATE TABLE kept AS SELECT * FROM audit_event");
            change(std::string("UPDATE audit_event SET ") + edit + " WHERE position = 3");
            assertChain(6, 3);
            change("DELETE FROM audit_event");
            change("INSERT INTO audit_event SELECT * FROM kept");
            change("DROP TABLE kept");
            assertChain(6, {});
        }
    }

    TEST(findsARemovedRow)
    {
        write(5);
        change("DELETE FROM audit_event WHERE position = 4");
        assertChain(5, 4);
        // Also detected if the following rows were renumbered.
        change("UPDATE audit_event SET position = position - 1 WHERE position > 4");
        assertChain(5, 4);
    }

    TEST(findsRemovedRowsAtTheEnd)
    {
        write(5);
        change("DELETE FROM audit_event WHERE position > 4");
        assertChain(4, 5);
        change("DELETE FROM audit_event");
        assertChain(0, 1);
    }

    TEST(findsReorderedRows)
    {
        write(5);
        change("UPDATE audit_event SET position = 100 WHERE position = 2");
        change("UPDATE audit_event SET position = 2 WHERE position = 4");
        change("UPDATE audit_event SET position = 4 WHERE position = 100");
        assertChain(6, 2);
    }

    TEST(letsANameBeErased)
    {
        write(1);
        change(R"(UPDATE audit_event SET actor = '{"type":"user","id":")" + admin.principalId + R"(","displayName":""}')");
        assertChain(2, {});
    }

    TEST(filtersAndPages)
    {
        write(5);
        const auto count = [this](const std::string& query) { return get(admin, "/api/content-ops/events?" + query).count("/items"); };
        equal(5, count("kind=content.edited"));
        equal(6, count("kind=content.edited,brand.created"));
        equal(5, count("contentId=cnt_01jd0000000000000000000000"));
        equal(0, count("postId=pst_01jd0000000000000000000000"));
        equal(6, count("actorId=" + admin.principalId));
        equal(2, count("occurredFrom=2026-11-23T08:00:02Z&occurredTo=2026-11-23T08:00:04Z"));
        std::set<std::string> seen;
        std::string cursor;
        do {
            const auto page = get(admin, "/api/content-ops/events?limit=1" + (cursor.empty() ? "" : "&cursor=" + cursor));
            equal(200, page.status, page.body);
            seen.insert(page.at("/items/0/eventId"));
            cursor = page.at("/nextCursor");
        } while (cursor != "null");
        equal(6, seen.size());
        refused(get(admin, "/api/content-ops/events?kind=content.exploded"), 400, "validation_failed");
    }

    TEST(keepsTheChainOfRivals)
    {
        std::vector<std::thread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back(
                [this]
                {
                    for (int n = 0; n < 10; ++n) writeOne(host->context().clock().now());
                });
        for (auto& writer : writers) writer.join();
        assertChain(41, {});
    }

    TEST(cutsTextsAtTwoHundredAndEighty)
    {
        const auto change = textChange("text", std::string(281, 'x'), std::string(280, 'x'));
        equal(282, change.from.text.size());
        equal(change.from.text, change.to.text);
        std::vector<EventChange> changes;
        std::string long_ = "\"", cut = "\"";
        for (int i = 0; i < 300; ++i) long_ += i % 3 == 0 ? "\\n" : i % 3 == 1 ? "\\\"" : "é";
        for (int i = 0; i < 280; ++i) cut += i % 3 == 0 ? "\\n" : i % 3 == 1 ? "\\\"" : "é";
        appendChange(changes, "text", long_ + "\"", "null");
        equal(cut + "\"", changes.at(0).from.text);
        equal("null", changes.at(0).to.text);
        appendChange(changes, "same", "1", "1");
        equal(1, changes.size());
    }

    TEST(refusesABrandOfOthers)
    {
        CPPUNIT_ASSERT_THROW(writeOne(Instant{}, stranger), Problem);
        assertChain(1, {});
    }

    void writeOne(Instant now, const Caller& caller) const
    {
        NewEvent event{.kind = AuditKind::ContentEdited, .brandId = *BrandId::parse(brand)};
        event.contentId = ContentId::parse("cnt_01jd0000000000000000000000");
        event.changes = {textChange("text", "before", "after")};
        event.reason = "because";
        const Doer doer{{ActorType::User, admin.principalId, "Ada"}, "request"};
        host->context().database().transact([&](Transaction& transaction)
                                            { audit::record(transaction, caller.tenant(), doer, event, now); });
    }
    void writeOne(Instant now) const { writeOne(now, admin); }
    /// Writes this many events, a second apart.
    void write(int count) const
    {
        for (int i = 0; i < count; ++i)
        {
            advance(std::chrono::seconds(1));
            writeOne(host->context().clock().now());
        }
    }
    void assertChain(int events, std::optional<int> brokenAt) const
    {
        const auto check = get(admin, "/api/content-ops/events/verify");
        equal(200, check.status, check.body);
        equal(brand, check.at("/brandId"));
        equal(std::to_string(events), check.at("/events"));
        equal(std::string(brokenAt ? "false" : "true"), check.at("/ok"));
        equal(brokenAt ? std::to_string(*brokenAt) : "null", check.at("/brokenAt"));
    }

    std::string brand;
};

} // namespace portico::tests
