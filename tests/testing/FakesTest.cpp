#include "portico/Json.h"
#include "portico/testing/TestContext.h"

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace portico::tests
{

using namespace std::chrono_literals;
using testing::TestContext;
using testing::TestSettings;

struct Notice
{
    std::string bookingId;
};

constexpr auto schemaOf(const Notice*) { return describe(field<&Notice::bookingId>().required()); }

/// By a name that the manifest requires.
class Tiles : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "test.dictionary";
    static constexpr std::string_view interfaceVersion = "1.0";
    virtual int count() = 0;
};

/// What tests of plugins rest on: the fakes do as the host does.
class FakesTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(FakesTest);
    CPPUNIT_TEST(jobsKeepTheirSchedule);
    CPPUNIT_TEST(jobsSayHowTheyGoOn);
    CPPUNIT_TEST(jobsAreCancelled);
    CPPUNIT_TEST(mailsKeepEverything);
    CPPUNIT_TEST(requestsReadAndWriteBlobs);
    CPPUNIT_TEST(blobsOfferUrls);
    CPPUNIT_TEST(manyProviders);
    CPPUNIT_TEST(deliveriesStay);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        TestSettings settings;
        settings.pluginDirectory = NOTES_PLUGIN;
        _context = std::make_unique<TestContext>(settings);
    }

    void jobsKeepTheirSchedule()
    {
        auto& jobs = _context->jobs();
        jobs.handle("tell", &FakesTest::fail, this);
        jobs.backOff("tell", {10s, 1min});
        jobs.onFailure("tell", &FakesTest::gaveUp, this);
        const auto dueAt = _context->clock().now() + 1h;
        transact([&](Transaction& transaction) { jobs.enqueue(transaction, "tell", Notice{"bkg_1"}, {.dueAt = dueAt}); });
        CPPUNIT_ASSERT_EQUAL(std::string("bkg_1"), jobs.payloads<Notice>("tell").at(0).bookingId);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, jobs.runDue());
        for (const auto wait : {1h, 0h, 0h})
        {
            _context->clock().advance(wait + 2min);
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.runDue());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.deadLetters());
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, jobs.failures().size());
        CPPUNIT_ASSERT_EQUAL(std::string("bkg_1: nobody answers"), _told);
    }

    void jobsSayHowTheyGoOn()
    {
        auto& jobs = _context->jobs();
        bool done = false;
        jobs.handle("later",
                    [&](const Job&)
                    {
                        if (!std::exchange(done, true)) throw JobRetry::after(5min, "busy").uncounted();
                        throw JobFailed("it is closed");
                    });
        transact([&](Transaction& transaction) { jobs.enqueue(transaction, "later"); });
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.runDue());
        CPPUNIT_ASSERT_EQUAL(0, jobs.waiting().at(0).attempts);
        CPPUNIT_ASSERT(jobs.waiting().at(0).dueAt == _context->clock().now() + 5min);
        CPPUNIT_ASSERT(jobs.failures().empty());
        _context->clock().advance(5min);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.runDue());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.deadLetters());
    }

    void jobsAreCancelled()
    {
        auto& jobs = _context->jobs();
        transact(
            [&](Transaction& transaction)
            {
                const auto id = jobs.enqueue(transaction, "a");
                jobs.enqueue(transaction, "b", {.dedupeKey = "k"});
                CPPUNIT_ASSERT(jobs.cancel(transaction, id) && jobs.cancelByKey(transaction, "k"));
                CPPUNIT_ASSERT(!jobs.cancel(transaction, id) && !jobs.cancelByKey(transaction, "k"));
            });
        CPPUNIT_ASSERT(jobs.waiting().empty());
    }

    void mailsKeepEverything()
    {
        Mail mail{"a@b.example", "s", "t", ""};
        mail.fromAddress = "ann@rooms.example";
        mail.attachments = {{"a.txt", "text/plain", "bytes"}};
        auto& mailer = _context->mailer();
        const auto send = [&]
        { transact([&](Transaction& transaction) { CPPUNIT_ASSERT(mailer.send(transaction, mail).starts_with('<')); }); };
        CPPUNIT_ASSERT_THROW(send(), Problem);
        mailer.allowSenders({"@rooms.example"});
        send();
        CPPUNIT_ASSERT_EQUAL(std::string("bytes"), mailer.sent().at(0).attachments.at(0).bytes);
        CPPUNIT_ASSERT_EQUAL(mail.fromAddress, mailer.sent()[0].fromAddress);
    }

    void requestsReadAndWriteBlobs()
    {
        auto& http = _context->http();
        http.respond(200, "answer");
        const auto file = _context->blobs().open(_context->blobs().store("org_1", "content"));
        const auto writer = _context->blobs().create("org_1");
        HttpClient::Request request;
        request.url = "https://store.example/";
        request.bodyFile = &*file;
        request.bodyInto = writer.get();
        const auto response = http.send(request);
        CPPUNIT_ASSERT(response.body.empty());
        CPPUNIT_ASSERT_EQUAL(request.url, response.url);
        CPPUNIT_ASSERT_EQUAL(std::string("content"), http.requests().at(0).body);
        CPPUNIT_ASSERT_EQUAL(std::string("answer"), _context->blobs().text(writer->commit().key).value());
    }

    void blobsOfferUrls()
    {
        auto& blobs = _context->blobs();
        const auto key = blobs.store("org_1", "content");
        Request request;
        Response response;
        response.contentType = "text/plain";
        CPPUNIT_ASSERT(!blobs.downloadUrl(key, {}) && !blobs.uploadUrl("org_1", 4, "text/plain", 1min));
        CPPUNIT_ASSERT(!sendBlob(blobs, "unknown", request, response));
        CPPUNIT_ASSERT(sendBlob(blobs, key, request, response, "attachment"));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{7}, response.file.value().size);
        blobs.offerUrls();
        Response elsewhere;
        elsewhere.contentType = "text/plain";
        CPPUNIT_ASSERT(sendBlob(blobs, key, request, elsewhere, "attachment") && !elsewhere.file);
        CPPUNIT_ASSERT_EQUAL(302, elsewhere.status);
        CPPUNIT_ASSERT(elsewhere.headerBlock().find("Location: https://blobs.example/" + key + "?lifetime=60&type=text/plain") !=
                       std::string::npos);
        request.method = Method::Head;
        CPPUNIT_ASSERT(sendBlob(blobs, key, request, response) && response.status == 200);
        const auto upload = blobs.uploadUrl("org_1", 4, "text/plain", 1min).value();
        CPPUNIT_ASSERT(!blobs.open(upload.key));
        CPPUNIT_ASSERT_THROW(blobs.upload(upload.key, "longer"), std::invalid_argument);
        blobs.upload(upload.key, "four");
        CPPUNIT_ASSERT_EQUAL(std::string("four"), blobs.text(upload.key).value());
    }

    void manyProviders()
    {
        struct Counting final : Tiles
        {
            explicit Counting(int own) : number(own) {}
            int count() override { return number; }
            int number;
        } crm(1), calendar(2);
        auto& services = _context->services();
        CPPUNIT_ASSERT(services.all<Tiles>().empty());
        services.offer<Tiles>("crm", crm);
        services.offer<Tiles>("calendar", calendar);
        std::string told;
        for (const auto& provider : services.all<Tiles>())
            if (const auto tiles = provider.find()) told += provider.serviceId() + " " + std::to_string(tiles->count()) + ";";
        CPPUNIT_ASSERT_EQUAL(std::string("calendar 2;crm 1;"), told);
        CPPUNIT_ASSERT_EQUAL(2, services.find<Tiles>()->count());
        const auto providers = services.all<Tiles>();
        services.withdraw(Tiles::interfaceName);
        CPPUNIT_ASSERT(!providers.at(0).find());
    }

    void deliveriesStay()
    {
        auto& deliveries = _context->deliveries();
        const auto send = [&](std::string_view id)
        {
            return _context->database().transact(
                [&](Transaction& transaction) {
                    return deliveries.send(transaction, {"end_1", "notes.told", "{}", std::string(id)});
                });
        };
        CPPUNIT_ASSERT_THROW(send("a"), std::logic_error);
        deliveries.endpoints([](std::string_view id) { return DeliveryEndpoint{"https://" + std::string(id) + ".example", {"s"}, {}}; });
        CPPUNIT_ASSERT_EQUAL(std::string("a"), send("a"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://end_1.example"), deliveries.where("end_1").value().url);
        CPPUNIT_ASSERT(deliveries.sent().at(0).body.starts_with(R"({"type":"notes.told","timestamp":)"));
        CPPUNIT_ASSERT(_context->jobs().waiting().empty()); // it is none of the plugin's own
        deliveries.disable("end_1");
        CPPUNIT_ASSERT(send("b").empty());
        auto session = _context->database().session();
        CPPUNIT_ASSERT(deliveries.status(session, "end_1").value().state == DeliveryStatus::State::Disabled);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, deliveries.list(session).size());
    }

private:
    void fail(const Notice&) { throw std::runtime_error("nobody answers"); }
    void gaveUp(const Notice& notice, const Job&, std::string_view error) { _told = notice.bookingId + ": " + std::string(error); }
    template <class F>
    void transact(F work)
    {
        _context->database().transact(work);
    }

    std::unique_ptr<TestContext> _context;
    std::string _told;
};

CPPUNIT_TEST_SUITE_REGISTRATION(FakesTest);

} // namespace portico::tests
