#include "host/platform/s3/S3Store.h"

#include "platform/HttpReceiver.h"
#include "support/Suite.h"

#include "portico/Problem.h"

#include <atomic>
#include <future>
#include <latch>

namespace portico::tests
{

using namespace std::chrono_literals;
using host::platform::HttpClientSettings;
using host::platform::S3Settings;
using host::platform::S3Store;

/// How the store ends; its requests are tested by tests/http/attachments.py.
class S3StoreTest : public Suite<S3StoreTest>
{
    TEST(endsPausesBetweenAttempts)
    {
        std::latch asked(1);
        std::atomic_flag isAsked;
        const HttpReceiver busy(
            [&](const ReceivedRequest&, Poco::Net::HTTPServerResponse& response)
            {
                response.setStatus(Poco::Net::HTTPResponse::HTTP_SERVICE_UNAVAILABLE);
                response.setContentLength(0);
                response.send();
                if (!isAsked.test_and_set()) asked.count_down();
            });
        S3Settings settings;
        settings.bucket = {busy.url(""), "eu-1", "files", true, "id", "secret"};
        // Longer than the suite may take.
        settings.pause = 1h;
        HttpClientSettings http;
        http.allowedNetworks = {"127.0.0.0/8"};
        const SystemClock clock;
        NoLog log;
        NoMetrics metrics;
        S3Store store(settings, http, clock, log, metrics);
        auto removed = std::async(std::launch::async, [&] { store.remove("object"); });
        asked.wait();
        store.interrupt();
        CPPUNIT_ASSERT_THROW(removed.get(), Problem);
    }

    class NoLog final : public Logger
    {
    public:
        void write(LogLevel, std::string_view, Fields) override {}
        bool enabled(LogLevel) const noexcept override { return false; }
    };
    class NoMetrics final : public Metrics
    {
    public:
        void count(std::string_view, double, Labels) override {}
        void gauge(std::string_view, double, Labels) override {}
        void observe(std::string_view, double, Labels) override {}
    };
};

} // namespace portico::tests
