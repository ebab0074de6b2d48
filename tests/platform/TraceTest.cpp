#include "platform/HttpReceiver.h"
#include "platform/TestClock.h"
#include "support/Suite.h"

#include "host/platform/outbound/GuardedHttpClient.h"
#include "host/platform/outbound/TraceExporter.h"

#include "portico/Problem.h"

#include <boost/json.hpp>

#include <condition_variable>
#include <fcntl.h>
#include <future>
#include <sstream>
#include <unistd.h>

namespace portico::tests
{

using namespace host::platform;
using namespace host::telemetry;
namespace telemetry = host::telemetry;

namespace
{

class KeptSpans final : public telemetry::SpanSink
{
public:
    void take(telemetry::Span span) noexcept override { spans.push_back(std::move(span)); }
    std::vector<telemetry::Span> spans;
};

telemetry::ActiveSpan recorded(telemetry::SpanSink& sink)
{
    auto span = telemetry::Tracer(sink, 1).beginRoot();
    span.context.state = "rojo=1";
    return span;
}

telemetry::Span someSpan(const std::string& name)
{
    telemetry::Span span;
    span.context.traceId = telemetry::makeTraceId();
    span.context.spanId = telemetry::makeSpanId();
    span.name = name;
    span.service = "crm";
    span.attributes = {{"url.path", std::string("/\xC3\xBC\"")}, {"http.response.status_code", std::int64_t{200}}};
    return span;
}

/// Blocks every answer until it is opened.
class Gate
{
public:
    void open()
    {
        {
            const std::lock_guard lock(_mutex);
            _open = true;
        }
        _changed.notify_all();
    }
    void wait()
    {
        std::unique_lock lock(_mutex);
        _changed.wait(lock, [this] { return _open; });
    }

private:
    std::mutex _mutex;
    std::condition_variable _changed;
    bool _open = false;
};

} // namespace

class TraceTest : public Suite<TraceTest>
{
    TEST(traceIsSentToOtherServers)
    {
        HttpReceiver server(HttpReceiver::respond(404, "no"));
        GuardedHttpClient client({{"127.0.0.0/8"}, {}, "Portico", std::chrono::seconds(5)});
        KeptSpans kept;
        const auto span = recorded(kept);
        {
            const telemetry::RequestContext scope(span);
            client.send({"GET", server.url("/hook?token=secret"), {}, {}, std::chrono::seconds(10), 1000});
        }
        client.send({"GET", server.url("/plain"), {}, {}, std::chrono::seconds(10), 1000});
        const auto received = server.received();
        equal(1, kept.spans.size());
        const auto& told = kept.spans.front();
        equal(telemetry::toTraceparent(told.context), received.at(0).headers.at("traceparent"));
        equal("rojo=1", received.at(0).headers.at("tracestate"));
        CHECK(told.parent == span.context.spanId && told.failed && told.kind == telemetry::SpanKind::Client);
        equal(404, std::get<std::int64_t>(valueOf(told, "http.response.status_code")));
        equal(server.url("/hook"), std::get<std::string>(valueOf(told, "url.full")));
        CHECK(!received.at(1).headers.contains("traceparent"));
    }

    TEST(failedCallsAreRecorded)
    {
        GuardedHttpClient client({{"127.0.0.0/8"}, {}, "Portico", std::chrono::seconds(5)});
        const auto port = []
        {
            HttpReceiver gone;
            return gone.port();
        }();
        KeptSpans kept;
        const auto span = recorded(kept);
        const telemetry::RequestContext scope(span);
        CPPUNIT_ASSERT_THROW(client.send({"GET", "http://127.0.0.1:" + std::to_string(port) + "/", {}, {}, std::chrono::seconds(2), 1000}),
                             Problem);
        CHECK(kept.spans.at(0).failed);
    }

    TEST(logLinesNameTheTrace)
    {
        int ends[2];
        equal(0, ::pipe2(ends, O_CLOEXEC));
        LogSink log(_clock, {LogLevel::Information, LogFormat::Json, false, ends[1]});
        ServiceLogger logger(log, "crm");
        KeptSpans kept;
        const auto span = recorded(kept);
        {
            const telemetry::RequestContext scope(span);
            logger.information("inside");
        }
        logger.information("outside");
        char text[4096];
        const auto count = ::read(ends[0], text, sizeof text);
        ::close(ends[0]);
        ::close(ends[1]);
        const std::string lines(text, static_cast<std::size_t>(count));
        const auto end = lines.find('\n');
        const auto inside = boost::json::parse(lines.substr(0, end)).as_object();
        equal(telemetry::toHex(span.context.traceId), boost::json::value_to<std::string>(inside.at("traceId")));
        CHECK(!boost::json::parse(lines.substr(end + 1)).as_object().contains("traceId"));
    }

    TEST(spansReachTheCollector)
    {
        HttpReceiver collector(HttpReceiver::respond(200, "{}"));
        TraceExporter exporter(settings(collector.url("/v1/traces")), _log, _metrics);
        exporter.take(someSpan("first"));
        exporter.take(someSpan("second"));
        exporter.stop();
        std::size_t spans = 0;
        for (const auto& request : collector.received())
        {
            equal("/v1/traces", request.uri);
            equal("application/json", request.headers.at("Content-Type"));
            equal("Bearer secret", request.headers.at("Authorization"));
            const auto resource = boost::json::parse(request.body).at("resourceSpans").at(0);
            const auto& attributes = resource.at("resource").at("attributes").as_array();
            CHECK(attributes.at(1) == boost::json::parse(R"({"key":"service.name","value":{"stringValue":"crm"}})"));
            for (const auto& span : resource.at("scopeSpans").at(0).at("spans").as_array())
            {
                ++spans;
                equal(32, span.at("traceId").as_string().size());
                CHECK(!span.as_object().contains("parentSpanId"));
                CHECK(span.at("attributes").at(1).at("value") == boost::json::parse(R"({"intValue":"200"})"));
            }
        }
        equal(2, spans);
        requireMetric("portico_trace_spans_sent_total 2");
        requireMetric("portico_trace_spans_dropped_total{reason=\"queue_full\"} 0");
        // Afterwards spans are dropped, and callers do not wait.
        exporter.take(someSpan("late"));
    }

    TEST(overflowIsDroppedAndCounted)
    {
        Gate gate;
        std::promise<void> asked;
        std::once_flag once;
        HttpReceiver collector(
            [&](const ReceivedRequest& request, Poco::Net::HTTPServerResponse& response)
            {
                std::call_once(once, [&] { asked.set_value(); });
                gate.wait();
                HttpReceiver::respond(200, "")(request, response);
            });
        TraceExporter exporter(settings(collector.url("/v1/traces")), _log, _metrics);
        exporter.take(someSpan("first"));
        asked.get_future().wait();
        // The collector does not answer: the queue fills up, and further spans are dropped at once.
        for (int i = 0; i < 4'096 + 100; ++i) exporter.take(someSpan("more"));
        gate.open();
        exporter.stop();
        requireMetric("portico_trace_spans_dropped_total{reason=\"queue_full\"} 100");
        requireMetric("portico_trace_spans_sent_total 4097");
    }

    TEST(unreachableCollectorBlocksNoRequest)
    {
        const auto url = []
        {
            HttpReceiver gone;
            return gone.url("/v1/traces");
        }();
        TraceExporter exporter(settings(url), _log, _metrics);
        for (int i = 0; i < 600; ++i) exporter.take(someSpan("lost"));
        exporter.stop();
        requireMetric("portico_trace_spans_sent_total 0");
        equal(600, dropped());
    }

    TEST(aCollectorThatRefusesIsNotAskedAgain)
    {
        HttpReceiver collector(HttpReceiver::respond(400, "what?"));
        TraceExporter exporter(settings(collector.url("/v1/traces")), _log, _metrics);
        exporter.take(someSpan("odd"));
        exporter.stop();
        equal(1, collector.received().size());
        requireMetric("portico_trace_spans_dropped_total{reason=\"collector\"} 1");
    }

    TEST(urlsAndHeaders)
    {
        equal("http://127.0.0.1:4318/v1/traces", tracesUrl("http://127.0.0.1:4318"));
        equal("http://127.0.0.1:4318/v1/traces", tracesUrl("http://127.0.0.1:4318/"));
        equal("https://otlp.example/otlp/v1/traces", tracesUrl("https://otlp.example/otlp/v1/traces"));
        const auto headers = parseHeaderLines("# ours\nAuthorization: Bearer a:b \r\n\nX-Scope-OrgID:7\n", "tracing.headersFile");
        CHECK((headers == std::vector<std::pair<std::string, std::string>>{{"Authorization", "Bearer a:b"}, {"X-Scope-OrgID", "7"}}));
        try
        {
            parseHeaderLines("A: b\nhunter2\n", "tracing.headersFile");
            CPPUNIT_FAIL("a line that is no header was taken");
        }
        catch (const std::runtime_error& error)
        {
            const std::string text = error.what();
            CHECK(text.find("line 2") != std::string::npos && text.find("tracing.headersFile") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE("secrets stay in their file", text.find("hunter2") == std::string::npos);
        }
    }

    static telemetry::Span::Value valueOf(const telemetry::Span& span, std::string_view key)
    {
        for (const auto& [name, value] : span.attributes)
            if (name == key) return value;
        return std::string();
    }

    static TraceSettings settings(const std::string& url) { return {url, 1, {{"Authorization", "Bearer secret"}}, {}, {"0.1.0", "here"}}; }

    void requireMetric(const std::string& line) const
    {
        CPPUNIT_ASSERT_MESSAGE(line + " is not in\n" + _metrics.text(), _metrics.text().find(line + "\n") != std::string::npos);
    }

    /// For whichever reason.
    int dropped() const
    {
        int sum = 0;
        std::istringstream in(_metrics.text());
        for (std::string line; std::getline(in, line);)
            if (line.starts_with("portico_trace_spans_dropped_total{")) sum += std::stoi(line.substr(line.rfind(' ') + 1));
        return sum;
    }

    TestClock _clock;
    LogSink _log{_clock, {LogLevel::Error, LogFormat::Text, false, 2}};
    MetricsRegistry _metrics;
};

} // namespace portico::tests
