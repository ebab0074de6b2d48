#include "crm/PipelineFixture.h"

#include <limits>
#include <set>

namespace portico::tests
{

namespace json = boost::json;

/// Boards: columns, sums, filters and cursors; cards in contact lists and in the widget.
class PipelineBoardTest : public Suite<PipelineBoardTest, PipelineFixture>
{
    void setUp() override
    {
        PipelineFixture::setUp();
        _pipeline = standard();
        _id = _pipeline.at("/pipelineId");
        _new = stage(_pipeline, "New");
        _contacted = stage(_pipeline, "Contacted");
        _won = stage(_pipeline, "Won");
    }

    TEST(showsColumns)
    {
        placed("A", _won);
        const auto board = this->board(_id);
        equal(200, board.status);
        equal(_id, board.at("/pipeline/pipelineId"));
        equal("2026-11-21T09:00:00.000Z", board.at("/generatedAt"));
        Names columns;
        for (const auto& column : arrayAt(board, "/columns"))
            columns.push_back(text(column, "name") + ' ' + text(column, "kind") + ' ' + json::serialize(column.at("count")));
        equal({"New open 0", "Contacted open 0", "Qualified open 0", "Proposal open 0", "Negotiation open 0", "Won won 1", "Lost lost 0"},
              columns);
        Names members;
        for (const auto& [name, value] : objectAt(board, "/columns/0")) members.emplace_back(name);
        equal({"stageId", "name", "kind", "count", "valueSum", "weightedSum", "items", "nextCursor"}, members);
    }

    TEST(showsCards)
    {
        const auto user = "usr_" + makeUlid(Instant{});
        directory.members[{owner.organizationId, user}] = true;
        const auto contact = created(jsonWith(R"({"firstName":"Ada","companyName":"Engines","tags":["vip","x"],"ownerUserId":"$",)"
                                              R"("emails":[{"address":"a@x.example"},{"address":"b@x.example","primary":true}],)"
                                              R"("phones":[{"number":"+43 1 234567"}],"jobTitle":"no concern of a card"})",
                                              user))
                                 .at("/id");
        const auto moved = moveTo(contact, _new, R"(,"value":12)");
        equal(jsonWith(R"([{"contactId":"$","displayName":"Ada","companyName":"Engines","primaryEmail":"b@x.example",)"
                       R"("primaryPhone":"+43 1 234567","tags":["vip","x"],"ownerUserId":"$","value":12,"currency":"EUR","stageId":"$",)"
                       R"("since":"2026-11-21T09:00:00.000Z","position":"$","stale":false}])",
                       contact, user, _new, moved.at("/position")),
              json::serialize(cardsOf(board(_id), _new)));
        const auto plain = placed("Bare", _won);
        const auto card = cardsOf(board(_id), _won).at(0);
        for (const auto* member : {"primaryEmail", "primaryPhone", "ownerUserId", "value"})
            CPPUNIT_ASSERT_MESSAGE(member, card.at(member).is_null());
        // The card shows the current contact.
        client->put(owner, "/api/contacts/" + plain, R"({"firstName":"New name"})");
        equal({"New name"}, cards(board(_id), _won));
    }

    TEST(addsUp)
    {
        placed("A", _new, R"(,"value":999)");
        placed("B", _new, R"(,"value":1000000000000)");
        placed("C", _new);
        const auto column = this->column(board(_id, "?limitPerStage=1"), _new);
        equal(3, column.at("count").as_int64());
        equal(1000000000999, column.at("valueSum").as_int64());
        equal(50000000050, column.at("weightedSum").as_int64()); // 5 %: …049.95
        const auto none = this->column(board(_id), _won);
        equal(0, none.at("valueSum").as_int64());
        equal(0, none.at("weightedSum").as_int64());
    }

    TEST(addsUpToTheEnd)
    {
        const auto contact = placed("A", _won, R"(,"value":9007199254740991)");
        // Inserts cards whose sum exceeds 64 bits.
        database().transact(
            [&](Transaction& transaction)
            {
                for (int i = 0; i < 1100; ++i)
                {
                    const auto copy = "con_" + makeUlid(Instant{});
                    transaction.execute(
                        "INSERT INTO contact (organization_id, id, document, version, note_count, attachment_count, display_name, source, "
                        "lifecycle, created_at, updated_at, sort_name, sort_last_name, folded_name, folded_company) SELECT "
                        "organization_id, "
                        "$2, document, version, 0, 0, display_name, source, lifecycle, created_at, updated_at, sort_name, sort_last_name, "
                        "folded_name, folded_company FROM contact WHERE id = $1",
                        contact, copy);
                    transaction.execute("INSERT INTO pipeline_card (organization_id, pipeline_id, contact_id, stage_id, position, since, "
                                        "value) SELECT organization_id, pipeline_id, $2, stage_id, $3, since, value FROM pipeline_card "
                                        "WHERE contact_id = $1",
                                        contact, copy, "b0" + std::to_string(1000 + i) + "1");
                }
            });
        const auto column = this->column(board(_id), _won);
        equal(1101, column.at("count").as_int64());
        equal(std::numeric_limits<std::int64_t>::max(), column.at("valueSum").as_int64());
        equal(std::numeric_limits<std::int64_t>::max(), column.at("weightedSum").as_int64());
    }

    TEST(filters)
    {
        const auto user = "usr_" + makeUlid(Instant{});
        directory.members[{owner.organizationId, user}] = true;
        const auto make = [&](const std::string& body, const std::string& stage, const std::string& value)
        { moveTo(created(body).at("/id"), stage, jsonWith(R"(,"value":$)", value)); };
        make(R"({"firstName":"Zoë","lastName":"Ångström","tags":["vip"]})", _new, "1");
        make(jsonWith(R"({"firstName":"Bob","companyName":"Engines","tags":["vip","new"],"ownerUserId":"$"})", user), _new, "10");
        make(R"({"firstName":"Cy","phones":[{"number":"+43 1 2345678"}]})", _won, "100");
        const auto found = [&](const std::string& query)
        {
            Names all;
            const auto board = this->board(_id, query);
            for (const auto& column : arrayAt(board, "/columns"))
            {
                for (const auto& card : column.at("items").as_array()) all.push_back(text(card, "displayName"));
                equal(static_cast<std::int64_t>(column.at("items").as_array().size()), column.at("count").as_int64());
            }
            return all;
        };
        equal({"Zoë Ångström"}, found("?q=angstrom"));
        equal({"Bob"}, found("?q=engin"));
        equal({"Cy"}, found("?q=2345678"));
        equal(3, found("?q=").size());
        equal({"Zoë Ångström", "Bob"}, found("?tag=vip"));
        equal({"Bob"}, found("?tag=new,other"));
        equal({"Bob"}, found("?ownerUserId=" + user));
        equal({"Bob"}, found("?ownerUserId=" + user + "&tag=vip&q=bo"));
        equal({}, found("?ownerUserId=" + user + "&tag=other"));
        equal({"Cy"}, found("?stageId=" + _won));
        equal({}, found("?stageId=stg_" + makeUlid(Instant{})));
        equal(7, board(_id, "?tag=vip").count("/columns"));
        equal(11, column(board(_id, "?tag=vip"), _new).at("valueSum").as_int64());
        const auto two = arrayAt(board(_id, "?stageId=" + _won + "," + _new), "/columns");
        equal(2, two.size());
        equal(_new, text(two.front(), "stageId"));
    }

    TEST(pagesColumns)
    {
        Names all;
        for (int i = 0; i < 7; ++i)
        {
            all.push_back("N" + std::to_string(i));
            placed(all.back(), _new);
            placed("W" + std::to_string(i), _won);
        }
        for (const auto* limit : {"1", "2", "3", "7"})
        {
            const auto query = "?limitPerStage=" + std::string(limit);
            auto answer = board(_id, query);
            equal(7, answer.count("/columns"));
            Names found = cards(answer, _new);
            for (auto next = column(answer, _new).at("nextCursor"); !next.is_null();)
            {
                answer = board(_id, query + "&stageId=" + _new + "&cursor=" + std::string(next.as_string()));
                equal(200, answer.status, answer.body);
                equal(1, answer.count("/columns"));
                equal(7, column(answer, _new).at("count").as_int64());
                for (const auto& name : cards(answer, _new)) found.push_back(name);
                next = column(answer, _new).at("nextCursor");
            }
            equal(all, found);
        }
        CHECK(column(board(_id), _new).at("nextCursor").is_null());
    }

    TEST(bindsCursors)
    {
        for (int i = 0; i < 3; ++i)
        {
            placed("N", _new);
            placed("W", _won);
        }
        const auto cursor = text(column(board(_id, "?limitPerStage=1&q=n"), _new), "nextCursor");
        const auto with = [&](const std::string& query) { return board(_id, "?cursor=" + cursor + query); };
        equal(200, with("&limitPerStage=1&q=n&stageId=" + _new).status);
        for (const auto& query : {std::string("&limitPerStage=1&q=n"), "&limitPerStage=1&q=n&stageId=" + _won,
                                  "&limitPerStage=1&q=n&stageId=" + _new + "," + _won, "&limitPerStage=2&q=n&stageId=" + _new,
                                  "&limitPerStage=1&stageId=" + _new, "&limitPerStage=1&q=n&tag=x&stageId=" + _new, "&q=n&stageId=" + _new})
        {
            equal(400, with(query).status, query);
            equal("invalid_cursor", with(query).code(), query);
        }
        auto altered = cursor;
        altered.back() = altered.back() == 'A' ? 'B' : 'A';
        for (const auto& wrong : {altered, std::string("x"), std::string("%20"), cursor + "A", std::string()})
            equal("invalid_cursor", board(_id, "?limitPerStage=1&q=n&stageId=" + _new + "&cursor=" + wrong).code());
        auto colleague = owner;
        colleague.principalId = "usr_" + makeUlid(Instant{});
        equal(400,
              client->get(colleague, "/api/pipeline/" + _id + "/board?limitPerStage=1&q=n&stageId=" + _new + "&cursor=" + cursor).status);
        // The default limit is the same, said or not.
        for (int i = 0; i < 48; ++i) placed("N", _new);
        const auto next = text(column(board(_id), _new), "nextCursor");
        const auto rest = board(_id, "?limitPerStage=50&stageId=" + _new + "&cursor=" + next);
        equal(1, cards(rest, _new).size());
    }

    TEST(followsACardThatGotAnotherPlace)
    {
        for (const auto* name : {"A", "B", "C", "D"}) placed(name, _new);
        const auto cursor = text(column(board(_id, "?limitPerStage=2"), _new), "nextCursor");
        // All positions are rewritten in the same order.
        database().transact(
            [&](Transaction& transaction)
            { transaction.execute("UPDATE pipeline_card SET position = 'Z' || substr(position, 2) WHERE pipeline_id = $1", _id); });
        const auto rest = board(_id, "?limitPerStage=2&stageId=" + _new + "&cursor=" + cursor);
        equal({"C", "D"}, cards(rest, _new));
    }

    TEST(checksTheQuery)
    {
        equal("unknown_parameter", board(_id, "?limit=5").code());
        equal("unknown_parameter", board(_id, "?include=total").code());
        for (const auto* query :
             {"?limitPerStage=0", "?limitPerStage=201", "?limitPerStage=x", "?stageId=x", "?ownerUserId=x", "?tag=a&tag=b"})
            equal(400, board(_id, query).status, query);
        equal(200, board(_id, "?limitPerStage=200").status);
        equal(404, board("pip_" + makeUlid(Instant{})).status);
        equal(404, board("x").status);
    }

    TEST(knowsWhatIsStale)
    {
        staleAfter(3);
        const auto a = placed("A", _new);
        clock().advance(std::chrono::hours(72) - std::chrono::milliseconds(1));
        const auto stale = [&] { return cardsOf(board(_id), _new).at(0).at("stale").as_bool(); };
        CHECK(!stale());
        clock().advance(std::chrono::milliseconds(1));
        CHECK(stale());
        // Another place on the stage does not make it fresh, another stage does.
        moveTo(a, _new);
        CHECK(stale());
        moveTo(a, _won);
        CHECK(!cardsOf(board(_id), _won).at(0).at("stale").as_bool());
        moveTo(a, _new);
        CHECK(!stale());
        // Changes of the stage reckon again.
        clock().advance(std::chrono::hours(24));
        staleAfter(1);
        CHECK(stale());
        staleAfter(0);
        CHECK(!stale());
    }

    TEST(filtersContacts)
    {
        const auto other = makePipeline(R"({"name":"B","stages":[{"name":"S"}]})");
        const auto otherId = other.at("/pipelineId"), otherStage = stage(other, "S");
        const auto a = placed("A", _new);
        placed("B", _won);
        newContact("C");
        moveTo(a, otherStage, jsonWith(R"(,"pipelineId":"$")", otherId));
        equal({"A", "B"}, names("pipelineId=" + _id));
        equal({"A"}, names("pipelineId=" + otherId));
        equal({"A", "B"}, names("pipelineId=" + otherId + "," + _id));
        equal({"B"}, names("stageId=" + _won));
        equal({"A", "B"}, names("stageId=" + _won + "," + otherStage));
        equal({}, names("stageId=" + _won + "&pipelineId=" + otherId));
        equal({"A"}, names("stageId=" + _new + "&pipelineId=" + _id + "&q=a"));
        equal(0, items(client->get(stranger, "/api/contacts?pipelineId=" + _id)).size());
    }

    TEST(showsFiguresInTheWidget)
    {
        placed("A", _new, R"(,"value":100)");
        placed("B", _contacted, R"(,"value":20)");
        placed("C", _won, R"(,"value":3)");
        const auto gone = placed("D", _new, R"(,"value":4)");
        client->del(owner, "/api/contacts/" + gone);
        for (const auto* currency : {"EUR", "USD", "CHF", "GBP"})
        {
            const auto other = makePipeline(jsonWith(R"({"name":"B","currency":"$","stages":[{"name":"S"}]})", currency));
            placed("E", stage(other, "S"), jsonWith(R"(,"value":5,"pipelineId":"$")", other.at("/pipelineId")));
        }
        Names figures;
        const auto shown = widget();
        for (const auto& metric : arrayAt(shown, "/metrics"))
            if (metric.at("format").as_string() == "currency")
                figures.push_back(text(metric, "id") + ' ' + json::serialize(metric.at("value")) + ' ' + text(metric, "currency"));
        // No more than the contract allows.
        equal({"open_value 125 EUR", "open_value_chf 5 CHF", "open_value_gbp 5 GBP"}, figures);
        equal(6, shown.count("/metrics"));
        equal(0, shown.count("/items"));
        // The default pipeline's currency is the widget's.
        change(_id, R"({"currency":"JPY"})");
        const auto changed = widget();
        equal("JPY", changed.at("/metrics/2/currency"));
        equal("120", changed.at("/metrics/2/value"));
    }

    TEST(showsTheStalestInTheWidget)
    {
        staleAfter(2);
        std::string longName;
        for (int i = 0; i < 100; ++i) longName += "é";
        const auto first = placed(longName, _new);
        for (int i = 0; i < 11; ++i)
        {
            clock().advance(std::chrono::hours(1));
            placed("C" + std::to_string(i), _new);
        }
        const auto gone = placed("Gone", _new);
        client->del(owner, "/api/contacts/" + gone);
        placed("Fresh", _won);
        clock().advance(std::chrono::hours(60));
        const auto shown = widget();
        equal("12", shown.at("/metrics/3/value"));
        equal("12", shown.at("/counts/attention"));
        const auto& items = arrayAt(shown, "/items");
        equal(10, items.size());
        equal(longName.substr(0, 160), text(items[0], "title"));
        equal(std::string("/contacts/") + first, text(items[0], "href"));
        equal("New · Sales", text(items[0], "subtitle"));
        equal("2 days", text(items[0], "badge"));
        equal("warning", text(items[0], "status"));
        equal("2026-11-21T09:00:00.000Z", text(items[0], "timestamp"));
        equal("C8", text(items[9], "title"));
        std::set<std::string> ids;
        for (const auto& item : items) ids.insert(text(item, "id"));
        equal(10, ids.size());
        CHECK(this->items(client->get(stranger, "/api/widget")).empty());
    }

    static std::string text(const json::value& record, std::string_view member) { return std::string(record.at(member).as_string()); }
    Answer widget() const { return client->get(owner, "/api/widget"); }

    /// Makes cards on the first stage stale after this many days; 0: never.
    void staleAfter(int days) const
    {
        auto stages = arrayAt(show(_id), "/stages");
        auto& first = stages.at(0).as_object();
        if (days == 0)
            first.erase("staleAfterDays");
        else
            first["staleAfterDays"] = days;
        const auto changed = change(_id, jsonWith(R"({"stages":$})", json::serialize(stages)));
        equal(200, changed.status, changed.body);
    }

    Answer _pipeline;
    std::string _id;
    std::string _new;
    std::string _contacted;
    std::string _won;
};

} // namespace portico::tests
