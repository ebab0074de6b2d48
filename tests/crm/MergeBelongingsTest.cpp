#include "crm/PipelineFixture.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Attachments, cards and history of contacts that are merged.
class MergeBelongingsTest : public Suite<MergeBelongingsTest, PipelineFixture>
{
    void setUp() override
    {
        PipelineFixture::setUp();
        _board = standard();
        _new = stage(_board, "New");
        _proposal = stage(_board, "Proposal");
    }

    TEST(movesAttachments)
    {
        const auto target = newContact("T"), source = newContact("S");
        const auto own = attach(target, "t.txt"), kept = attach(source, "a.txt"), gone = attach(source, "b.txt");
        const auto merged = merge(target, {source});
        equal(R"({"notes":0,"attachments":3})", merged.at("/contact/counts"));
        equal({"a.txt", "b.txt", "t.txt"}, attachments(target));
        for (const auto& id : {own, kept, gone}) equal(200, host->call(Method::Get, "/api/attachments/" + id, {}, owner).status);
        equal(200, client->del(owner, "/api/attachments/" + gone).status);
        equal(200, undo(merged).status);
        equal({"t.txt"}, attachments(target));
        equal({"a.txt"}, attachments(source));
        equal(1, counts(source, "attachments"));
        equal(1, counts(target, "attachments"));
    }

    TEST(restoresNoPhotoThatIsGone)
    {
        for (const bool targets : {true, false})
        {
            const auto target = withPhoto("T"), source = withPhoto("S");
            const Names photos{photoOf(target), photoOf(source)};
            const auto merged = merge(target, {source}, jsonWith(R"(,"prefer":{"photoAttachmentId":"$"})", (targets ? target : source)));
            equal(200, merged.status, merged.body);
            equal(photos[targets ? 0 : 1], photoOf(target));
            // The one that is not shown: deleting it is no change of the contact, so the merge can be undone.
            equal(200, client->del(owner, "/api/attachments/" + photos[targets ? 1 : 0]).status);
            equal(200, undo(merged).status);
            equal(targets ? photos[0] : std::string(), photoOf(target));
            equal(targets ? std::string() : photos[1], photoOf(source));
        }
    }

    TEST(movesCards)
    {
        const auto target = newContact("T"), source = placed("S", _new, R"(,"value":500)");
        placed("Last", _new);
        equal(200, moveTo(source, _proposal).status);
        const auto before = json::serialize(places(source));
        const auto merged = merge(target, {source});
        equal(200, merged.status, merged.body);
        equal(before, merged.at("/contact/pipelines"));
        equal(before, json::serialize(places(target)));
        equal({"T"}, cards(board(), _proposal));
        equal(500, column(board(), _proposal).at("valueSum").as_int64());
        equal(2, historyOf(target));
        equal(200, undo(merged).status);
        equal(before, json::serialize(places(source)));
        equal("[]", json::serialize(places(target)));
        equal({"S"}, cards(board(), _proposal));
        equal(2, historyOf(source));
        equal(0, historyOf(target));
    }

    TEST(keepsOneCardOnABoard)
    {
        const auto target = placed("T", _new, R"(,"value":1)"), first = placed("A", _proposal, R"(,"value":2)"), second = newContact("B");
        const auto other =
            makePipeline(R"({"name":"Other","currency":"USD","stages":[{"name":"One","kind":"open","probability":10,"color":"#000000"}]})");
        equal(201, other.status, other.body);
        const auto one = stage(other, "One");
        const auto onOther = jsonWith(R"({"pipelineId":"$","stageId":"$"})", other.at("/pipelineId"), one);
        equal(200, move(first, onOther).status);
        equal(200, move(second, onOther).status);
        const auto ofFirst = json::serialize(places(first)), ofSecond = json::serialize(places(second));
        const auto merged = merge(target, {first, second});
        equal(200, merged.status, merged.body);
        equal({"T"}, cards(board(), _new));
        equal({}, cards(board(), _proposal));
        equal({"T"}, cards(board(other.at("/pipelineId")), one));
        Names leftOut;
        for (const auto& item : arrayAt(merged, "/leftOut"))
            if (item.at("field").as_string() == "pipelines")
                leftOut.push_back(std::string(item.at("contactId").as_string()) + ' ' +
                                  std::string(item.at("value").at("stageId").as_string()));
        equal({first + ' ' + _proposal, second + ' ' + one}, leftOut);
        equal(4, historyOf(target));
        equal(200, undo(merged).status);
        equal({"A"}, cards(board(), _proposal));
        equal(2, column(board(), _proposal).at("valueSum").as_int64());
        equal(ofFirst, json::serialize(places(first)));
        equal(ofSecond, json::serialize(places(second)));
        equal(1, historyOf(target));
        equal(2, historyOf(first));
        equal(1, historyOf(second));
    }

    TEST(restoresThePlaceOfARemovedCard)
    {
        const auto target = placed("T", _proposal), source = placed("S", _new);
        placed("Last", _new);
        const auto merged = merge(target, {source});
        equal({"Last"}, cards(board(), _new));
        equal(200, undo(merged).status);
        equal({"S", "Last"}, cards(board(), _new));
    }

    TEST(givesBackWhatIsLeft)
    {
        const auto target = newContact("T"), moved = placed("M", _new), off = newContact("O");
        const auto other =
            makePipeline(R"({"name":"Other","currency":"USD","stages":[{"name":"One","kind":"open","probability":10,"color":"#000000"}]})");
        move(off, jsonWith(R"({"pipelineId":"$","stageId":"$"})", other.at("/pipelineId"), stage(other, "One")));
        const auto merged = merge(target, {moved, off});
        // Moved cards do not count as changes of the contact, and stay where they are.
        moveTo(target, _proposal);
        move(target, jsonWith(R"({"pipelineId":"$","stageId":null})", other.at("/pipelineId")));
        equal(200, undo(merged).status);
        equal({"M"}, cards(board(), _proposal));
        equal(1, places(off).as_array().size());
        equal("[]", json::serialize(places(target)));
    }

    TEST(previewsCards)
    {
        const auto target = newContact("T"), source = placed("S", _new);
        const auto preview = merge(target, {source}, R"(,"dryRun":true)");
        equal(1, preview.count("/contact/pipelines"));
        equal({"S"}, cards(board(), _new));
        equal("[]", json::serialize(places(target)));
    }

    TEST(mergesWhileCardsAreMoved)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto target = placed("T", _new), source = placed("S", _proposal), third = placed("X", _new);
            std::atomic<bool> merged = false;
            runTogether(3,
                        [&](int i)
                        {
                            if (i == 0)
                            {
                                equal(200, merge(target, {source}).status);
                                merged = true;
                                return;
                            }
                            for (int n = 0; !merged && n < 200; ++n)
                            {
                                const auto status = moveTo(i == 1 ? source : target, n % 2 == 0 ? _new : _proposal).status;
                                CHECK(status == 200 || (i == 1 && status == 404));
                            }
                        });
            equal(1, places(target).as_array().size());
            std::size_t found = 0;
            for (const auto& stage : {_new, _proposal})
                for (const auto& card : cardsOf(board(), stage))
                {
                    found += card.at("contactId").as_string() == target;
                    CHECK(card.at("contactId").as_string() != source);
                }
            equal(1, found);
        }
    }

    using PipelineFixture::board;
    Answer board() const { return PipelineFixture::board(_board.at("/pipelineId")); }
    Answer merge(const std::string& target, const Names& sources, const std::string& more = {}) const
    {
        json::array ids(sources.begin(), sources.end());
        return client->post(owner, "/api/contacts/" + target + "/merge", jsonWith(R"({"sourceIds":$$})", json::serialize(ids), more));
    }
    Answer undo(const Answer& merged) const { return client->post(owner, "/api/contacts/merges/" + merged.at("/mergeId") + "/undo", ""); }
    std::string attach(const std::string& contact, const std::string& name) const
    {
        const auto made = client->post(owner, "/api/contacts/" + contact + "/attachments", "text",
                                       {{"Content-Type", "text/plain"}, {"X-File-Name", name}});
        equal(201, made.status, made.body);
        return made.at("/id");
    }
    /// A contact that came with a picture.
    std::string withPhoto(const std::string& name) const
    {
        clock().advance(std::chrono::seconds(1));
        const auto card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nPHOTO;ENCODING=b:/9j/4AAQ\r\nEND:VCARD\r\n";
        const auto report = client->post(owner, "/api/contacts/import?onDuplicate=create", card, {{"Content-Type", "text/vcard"}});
        equal("1", report.at("/totals/created"), report.at(""));
        return list("sort=-createdAt&limit=1").at("/items/0/id");
    }
    /// Id of a contact's photo, which can be downloaded; empty without one.
    std::string photoOf(const std::string& contact) const
    {
        const auto shown = client->get(owner, "/api/contacts/" + contact);
        if (shown.at("/photoAttachmentId") == "null") return {};
        const auto photo = shown.at("/photoAttachmentId");
        equal(200, host->call(Method::Get, "/api/attachments/" + photo, {}, owner).status);
        return photo;
    }
    Names attachments(const std::string& contact) const
    {
        Names names;
        const auto list = client->get(owner, "/api/contacts/" + contact + "/attachments");
        for (const auto& item : arrayAt(list, "/items")) names.emplace_back(item.at("fileName").as_string());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::int64_t counts(const std::string& contact, const char* kind) const
    {
        return valueAt(client->get(owner, "/api/contacts/" + contact), "/counts").at(kind).as_int64();
    }
    std::size_t historyOf(const std::string& contact) const { return items(history(contact)).size(); }
    Answer _board;
    std::string _new;
    std::string _proposal;
};

} // namespace portico::tests
