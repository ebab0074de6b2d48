#include "crm/PipelineFixture.h"
#include "crm/Together.h"

#include <atomic>

namespace portico::tests
{

namespace json = boost::json;

/// Attachments, cards and history of contacts that are merged.
template <class Engine>
class MergeBelongingsTest : public PipelineFixture<Engine>
{
    CPPUNIT_TEST_SUITE(MergeBelongingsTest);
    CPPUNIT_TEST(movesAttachments);
    CPPUNIT_TEST(restoresNoPhotoThatIsGone);
    CPPUNIT_TEST(movesCards);
    CPPUNIT_TEST(keepsOneCardOnABoard);
    CPPUNIT_TEST(givesBackWhatIsLeft);
    CPPUNIT_TEST(previewsCards);
    CPPUNIT_TEST(mergesWhileCardsAreMoved);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        PipelineFixture<Engine>::setUp();
        _board = this->standard();
        _new = this->stage(_board, "New");
        _proposal = this->stage(_board, "Proposal");
    }

    void movesAttachments()
    {
        const auto target = this->newContact("T"), source = this->newContact("S");
        const auto own = attach(target, "t.txt"), kept = attach(source, "a.txt"), gone = attach(source, "b.txt");
        const auto merged = merge(target, {source});
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"notes":0,"attachments":3})"), json::serialize(merged["contact"].at("counts")));
        CPPUNIT_ASSERT_EQUAL((Names{"a.txt", "b.txt", "t.txt"}), attachments(target));
        for (const auto& id : {own, kept, gone})
            CPPUNIT_ASSERT_EQUAL(200, this->host->call(Method::Get, "/api/attachments/" + id, {}, this->owner).status);
        CPPUNIT_ASSERT_EQUAL(200, this->client->del(this->owner, "/api/attachments/" + gone).status);
        CPPUNIT_ASSERT_EQUAL(200, undo(merged).status);
        CPPUNIT_ASSERT_EQUAL(Names{"t.txt"}, attachments(target));
        CPPUNIT_ASSERT_EQUAL(Names{"a.txt"}, attachments(source));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, counts(source, "attachments"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, counts(target, "attachments"));
    }

    void restoresNoPhotoThatIsGone()
    {
        for (const bool targets : {true, false})
        {
            const auto target = withPhoto("T"), source = withPhoto("S");
            const Names photos{photoOf(target), photoOf(source)};
            const auto merged = merge(target, {source}, R"(,"prefer":{"photoAttachmentId":")" + (targets ? target : source) + "\"}");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(merged.body), 200, merged.status);
            CPPUNIT_ASSERT_EQUAL(photos[targets ? 0 : 1], photoOf(target));
            // The one that is not shown: deleting it is no change of the contact, so the merge can be undone.
            CPPUNIT_ASSERT_EQUAL(200, this->client->del(this->owner, "/api/attachments/" + photos[targets ? 1 : 0]).status);
            CPPUNIT_ASSERT_EQUAL(200, undo(merged).status);
            CPPUNIT_ASSERT_EQUAL(targets ? photos[0] : std::string(), photoOf(target));
            CPPUNIT_ASSERT_EQUAL(targets ? std::string() : photos[1], photoOf(source));
        }
    }

    void movesCards()
    {
        const auto target = this->newContact("T"), source = this->placed("S", _new, R"(,"value":500)");
        this->placed("Last", _new);
        CPPUNIT_ASSERT_EQUAL(200, this->moveTo(source, _proposal).status);
        const auto before = json::serialize(this->places(source));
        const auto merged = merge(target, {source});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(merged.body), 200, merged.status);
        CPPUNIT_ASSERT_EQUAL(before, json::serialize(merged["contact"].at("pipelines")));
        CPPUNIT_ASSERT_EQUAL(before, json::serialize(this->places(target)));
        CPPUNIT_ASSERT_EQUAL(Names{"T"}, this->cards(board(), _proposal));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{500}, this->column(board(), _proposal).at("valueSum").as_int64());
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, historyOf(target));
        CPPUNIT_ASSERT_EQUAL(200, undo(merged).status);
        CPPUNIT_ASSERT_EQUAL(before, json::serialize(this->places(source)));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), json::serialize(this->places(target)));
        CPPUNIT_ASSERT_EQUAL(Names{"S"}, this->cards(board(), _proposal));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, historyOf(source));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, historyOf(target));
    }

    void keepsOneCardOnABoard()
    {
        const auto target = this->placed("T", _new, R"(,"value":1)"), first = this->placed("A", _proposal, R"(,"value":2)"),
                   second = this->newContact("B");
        const auto other = this->makePipeline(
            R"({"name":"Other","currency":"USD","stages":[{"name":"One","kind":"open","probability":10,"color":"#000000"}]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(other.body), 201, other.status);
        const auto one = this->stage(other, "One");
        const auto onOther = R"({"pipelineId":")" + other.text("pipelineId") + R"(","stageId":")" + one + "\"}";
        CPPUNIT_ASSERT_EQUAL(200, this->move(first, onOther).status);
        CPPUNIT_ASSERT_EQUAL(200, this->move(second, onOther).status);
        const auto ofFirst = json::serialize(this->places(first)), ofSecond = json::serialize(this->places(second));
        const auto merged = merge(target, {first, second});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(merged.body), 200, merged.status);
        CPPUNIT_ASSERT_EQUAL(Names{"T"}, this->cards(board(), _new));
        CPPUNIT_ASSERT_EQUAL(Names{}, this->cards(board(), _proposal));
        CPPUNIT_ASSERT_EQUAL(Names{"T"}, this->cards(board(other.text("pipelineId")), one));
        Names leftOut;
        for (const auto& item : merged["leftOut"].as_array())
            if (item.at("field").as_string() == "pipelines")
                leftOut.push_back(std::string(item.at("contactId").as_string()) + ' ' +
                                  std::string(item.at("value").at("stageId").as_string()));
        CPPUNIT_ASSERT_EQUAL((Names{first + ' ' + _proposal, second + ' ' + one}), leftOut);
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, historyOf(target));
        CPPUNIT_ASSERT_EQUAL(200, undo(merged).status);
        CPPUNIT_ASSERT_EQUAL(Names{"A"}, this->cards(board(), _proposal));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, this->column(board(), _proposal).at("valueSum").as_int64());
        CPPUNIT_ASSERT_EQUAL(ofFirst, json::serialize(this->places(first)));
        CPPUNIT_ASSERT_EQUAL(ofSecond, json::serialize(this->places(second)));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, historyOf(target));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, historyOf(first));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, historyOf(second));
    }

    void givesBackWhatIsLeft()
    {
        const auto target = this->newContact("T"), moved = this->placed("M", _new), off = this->newContact("O");
        const auto other = this->makePipeline(
            R"({"name":"Other","currency":"USD","stages":[{"name":"One","kind":"open","probability":10,"color":"#000000"}]})");
        this->move(off, R"({"pipelineId":")" + other.text("pipelineId") + R"(","stageId":")" + this->stage(other, "One") + "\"}");
        const auto merged = merge(target, {moved, off});
        // What became of the cards since is no change of the contact, and stays.
        this->moveTo(target, _proposal);
        this->move(target, R"({"pipelineId":")" + other.text("pipelineId") + R"(","stageId":null})");
        CPPUNIT_ASSERT_EQUAL(200, undo(merged).status);
        CPPUNIT_ASSERT_EQUAL(Names{"M"}, this->cards(board(), _proposal));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->places(off).as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), json::serialize(this->places(target)));
    }

    void previewsCards()
    {
        const auto target = this->newContact("T"), source = this->placed("S", _new);
        const auto preview = merge(target, {source}, R"(,"dryRun":true)");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, preview["contact"].at("pipelines").as_array().size());
        CPPUNIT_ASSERT_EQUAL(Names{"S"}, this->cards(board(), _new));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), json::serialize(this->places(target)));
    }

    void mergesWhileCardsAreMoved()
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto target = this->placed("T", _new), source = this->placed("S", _proposal), third = this->placed("X", _new);
            std::atomic<bool> merged = false;
            runTogether(3,
                        [&](int i)
                        {
                            if (i == 0)
                            {
                                CPPUNIT_ASSERT_EQUAL(200, merge(target, {source}).status);
                                merged = true;
                                return;
                            }
                            for (int n = 0; !merged && n < 200; ++n)
                            {
                                const auto status = this->moveTo(i == 1 ? source : target, n % 2 == 0 ? _new : _proposal).status;
                                CPPUNIT_ASSERT(status == 200 || (i == 1 && status == 404));
                            }
                        });
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, this->places(target).as_array().size());
            std::size_t found = 0;
            for (const auto& stage : {_new, _proposal})
                for (const auto& card : this->cardsOf(board(), stage))
                {
                    found += card.at("contactId").as_string() == target;
                    CPPUNIT_ASSERT(card.at("contactId").as_string() != source);
                }
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found);
        }
    }

private:
    using PipelineFixture<Engine>::board;
    Answer board() const { return PipelineFixture<Engine>::board(_board.text("pipelineId")); }
    Answer merge(const std::string& target, const Names& sources, const std::string& more = {}) const
    {
        json::array ids(sources.begin(), sources.end());
        return this->client->post(this->owner, "/api/contacts/" + target + "/merge",
                                  R"({"sourceIds":)" + json::serialize(ids) + more + "}");
    }
    Answer undo(const Answer& merged) const
    {
        return this->client->post(this->owner, "/api/contacts/merges/" + merged.text("mergeId") + "/undo", "");
    }
    std::string attach(const std::string& contact, const std::string& name) const
    {
        const auto made = this->client->post(this->owner, "/api/contacts/" + contact + "/attachments", "text",
                                             {{"Content-Type", "text/plain"}, {"X-File-Name", name}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(made.body), 201, made.status);
        return made.id();
    }
    /// A contact that came with a picture.
    std::string withPhoto(const std::string& name) const
    {
        this->clock().advance(std::chrono::seconds(1));
        const auto card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nPHOTO;ENCODING=b:/9j/4AAQ\r\nEND:VCARD\r\n";
        const auto report =
            this->client->post(this->owner, "/api/contacts/import?onDuplicate=create", card, {{"Content-Type", "text/vcard"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(json::serialize(report.body), std::int64_t{1}, report["totals"].at("created").as_int64());
        return std::string(this->list("sort=-createdAt&limit=1")["items"].at(0).at("id").as_string());
    }
    /// Id of a contact's photo, which can be downloaded; empty without one.
    std::string photoOf(const std::string& contact) const
    {
        const auto shown = this->client->get(this->owner, "/api/contacts/" + contact);
        if (shown["photoAttachmentId"].is_null()) return {};
        const auto photo = shown.text("photoAttachmentId");
        CPPUNIT_ASSERT_EQUAL(200, this->host->call(Method::Get, "/api/attachments/" + photo, {}, this->owner).status);
        return photo;
    }
    Names attachments(const std::string& contact) const
    {
        Names names;
        const auto list = this->client->get(this->owner, "/api/contacts/" + contact + "/attachments");
        for (const auto& item : list["items"].as_array()) names.emplace_back(item.at("fileName").as_string());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::int64_t counts(const std::string& contact, const char* kind) const
    {
        return this->client->get(this->owner, "/api/contacts/" + contact)["counts"].at(kind).as_int64();
    }
    std::size_t historyOf(const std::string& contact) const { return this->items(this->history(contact)).size(); }
    Answer _board;
    std::string _new;
    std::string _proposal;
};

CPPUNIT_TEST_SUITE_REGISTRATION(MergeBelongingsTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(MergeBelongingsTest<OnPostgres>);

} // namespace portico::tests
