#include "support/Suite.h"

#include "portico/Json.h"
#include "portico/testing/TestContext.h"

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

/// Basis of plugin tests: the fakes behave like the host.
class FakesTest : public Suite<FakesTest>
{
    void setUp() override
    {
        TestSettings settings;
        settings.pluginDirectory = NOTES_PLUGIN;
        _context = std::make_unique<TestContext>(settings);
    }

    TEST(jobsKeepTheirSchedule)
    {
        auto& jobs = _context->jobs();
        jobs.handle("tell", &FakesTest::fail, this);
        jobs.backOff("tell", {10s, 1min});
        jobs.onFailure("tell", &FakesTest::gaveUp, this);
        const auto dueAt = _context->clock().now() + 1h;
        transact([&](Transaction& transaction) { jobs.enqueue(transaction, "tell", Notice{"bkg_1"}, {.dueAt = dueAt}); });
        equal("bkg_1", jobs.payloads<Notice>("tell").at(0).bookingId);
        equal(0, jobs.runDue());
        for (const auto wait : {1h, 0h, 0h})
        {
            _context->clock().advance(wait + 2min);
            equal(1, jobs.runDue());
        }
        equal(1, jobs.deadLetters());
        equal(3, jobs.failures().size());
        equal("bkg_1: no answer", _told);
    }

    TEST(jobsSayHowTheyGoOn)
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
        equal(1, jobs.runDue());
        equal(0, jobs.waiting().at(0).attempts);
        CHECK(jobs.waiting().at(0).dueAt == _context->clock().now() + 5min);
        CHECK(jobs.failures().empty());
        _context->clock().advance(5min);
        equal(1, jobs.runDue());
        equal(1, jobs.deadLetters());
    }

    TEST(jobsAreCancelled)
    {
        auto& jobs = _context->jobs();
        transact(
            [&](Transaction& transaction)
            {
                const auto id = jobs.enqueue(transaction, "a");
                jobs.enqueue(transaction, "b", {.dedupeKey = "k"});
                CHECK(jobs.cancel(transaction, id) && jobs.cancelByKey(transaction, "k"));
                CHECK(!jobs.cancel(transaction, id) && !jobs.cancelByKey(transaction, "k"));
            });
        CHECK(jobs.waiting().empty());
    }

    TEST(mailsKeepEverything)
    {
        Mail mail{"a@b.example", "s", "t", ""};
        mail.fromAddress = "ann@rooms.example";
        mail.attachments = {{"a.txt", "text/plain", "bytes"}};
        auto& mailer = _context->mailer();
        const auto send = [&] { transact([&](Transaction& transaction) { CHECK(mailer.send(transaction, mail).starts_with('<')); }); };
        CPPUNIT_ASSERT_THROW(send(), Problem);
        mailer.allowSenders({"@rooms.example"});
        send();
        equal("bytes", mailer.sent().at(0).attachments.at(0).bytes);
        equal(mail.fromAddress, mailer.sent()[0].fromAddress);
    }

    TEST(requestsReadAndWriteBlobs)
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
        CHECK(response.body.empty());
        equal(request.url, response.url);
        equal("content", http.requests().at(0).body);
        equal("answer", _context->blobs().text(writer->commit().key).value());
    }

    TEST(blobsOfferUrls)
    {
        auto& blobs = _context->blobs();
        const auto key = blobs.store("org_1", "content");
        Request request;
        Response response;
        response.contentType = "text/plain";
        CHECK(!blobs.downloadUrl(key, {}) && !blobs.uploadUrl("org_1", 4, "text/plain", 1min));
        CHECK(!sendBlob(blobs, "unknown", request, response));
        CHECK(sendBlob(blobs, key, request, response, "attachment"));
        equal(7, response.file.value().size);
        blobs.offerUrls();
        Response elsewhere;
        elsewhere.contentType = "text/plain";
        CHECK(sendBlob(blobs, key, request, elsewhere, "attachment") && !elsewhere.file);
        equal(302, elsewhere.status);
        CHECK(elsewhere.headerBlock().find("Location: https://blobs.example/" + key + "?lifetime=60&type=text/plain") != std::string::npos);
        request.method = Method::Head;
        CHECK(sendBlob(blobs, key, request, response) && response.status == 200);
        const auto upload = blobs.uploadUrl("org_1", 4, "text/plain", 1min).value();
        CHECK(!blobs.open(upload.key));
        CPPUNIT_ASSERT_THROW(blobs.upload(upload.key, "longer"), std::invalid_argument);
        blobs.upload(upload.key, "four");
        equal("four", blobs.text(upload.key).value());
    }

    TEST(manyProviders)
    {
        struct Counting final : Tiles
        {
            explicit Counting(int own) : number(own) {}
            int count() override { return number; }
            int number;
        } crm(1), calendar(2);
        auto& services = _context->services();
        CHECK(services.all<Tiles>().empty());
        services.offer<Tiles>("crm", crm);
        services.offer<Tiles>("calendar", calendar);
        std::string told;
        for (const auto& provider : services.all<Tiles>())
            if (const auto tiles = provider.find()) told += provider.serviceId() + " " + std::to_string(tiles->count()) + ";";
        equal("calendar 2;crm 1;", told);
        equal(2, services.find<Tiles>()->count());
        const auto providers = services.all<Tiles>();
        services.withdraw(Tiles::interfaceName);
        CHECK(!providers.at(0).find());
    }

    TEST(deliveriesStay)
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
        equal("a", send("a"));
        equal("https://end_1.example", deliveries.where("end_1").value().url);
        CHECK(deliveries.sent().at(0).body.starts_with(R"({"type":"notes.told","timestamp":)"));
        CHECK(_context->jobs().waiting().empty()); // it is none of the plugin's own
        deliveries.disable("end_1");
        CHECK(send("b").empty());
        auto session = _context->database().session();
        CHECK(deliveries.status(session, "end_1").value().state == DeliveryStatus::State::Disabled);
        equal(1, deliveries.list(session).size());
    }

    void fail(const Notice&) { throw std::runtime_error("no answer"); }
    void gaveUp(const Notice& notice, const Job&, std::string_view error) { _told = notice.bookingId + ": " + std::string(error); }
    template <class F>
    void transact(F work)
    {
        _context->database().transact(work);
    }

    std::unique_ptr<TestContext> _context;
    std::string _told;
};

} // namespace portico::tests
