#include "support/Suite.h"

#include "host/telemetry/Tracer.h"

#include "portico/system/HostRequest.h"

#include <set>
#include <string>
#include <vector>

namespace portico::tests
{

using namespace host::telemetry;

namespace
{

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent = "00f067aa0ba902b7";
const std::string good = "00-" + trace + "-" + parent + "-01";

class KeptSpans final : public SpanSink
{
public:
    void take(Span span) noexcept override { spans.push_back(std::move(span)); }
    std::vector<Span> spans;
};

} // namespace

class TraceContextTest : public Suite<TraceContextTest>
{
    TEST(readsWhatTheRecommendationAllows)
    {
        for (const auto& [text, sampled] :
             std::vector<std::pair<std::string, bool>>{{good, true},
                                                       {"00-" + trace + "-" + parent + "-00", false},
                                                       {"00-" + trace + "-" + parent + "-03", true},
                                                       {"00-" + trace + "-" + parent + "-fe", false},
                                                       // From later versions the first four fields are read.
                                                       {"cc-" + trace + "-" + parent + "-01", true},
                                                       {"cc-" + trace + "-" + parent + "-01-what-the-future-brings", true},
                                                       {"01-" + trace + "-" + parent + "-00-", false}})
        {
            const auto context = parseTraceparent(text);
            CPPUNIT_ASSERT_MESSAGE(text, context.has_value());
            equal(sampled, context->sampled, text);
            equal(trace, toHex(context->traceId));
            equal(parent, toHex(context->spanId));
        }
        equal(good, toTraceparent(*parseTraceparent(good)));
    }

    TEST(refusesEverythingElse)
    {
        const std::string zeroTrace(32, '0');
        const std::string zeroSpan(16, '0');
        for (const std::string& text : {std::string(),
                                        std::string("00"),
                                        good.substr(0, 54),
                                        good + "0",
                                        good + "-",
                                        good + "-extra",
                                        " " + good,
                                        good + " ",
                                        "ff" + good.substr(2),
                                        "FF" + good.substr(2),
                                        "cc" + good.substr(2) + ".what",
                                        "cc" + good.substr(2) + "0",
                                        "00-" + zeroTrace + "-" + parent + "-01",
                                        "00-" + trace + "-" + zeroSpan + "-01",
                                        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01",
                                        "00-" + trace + "-00F067AA0BA902B7-01",
                                        "00-" + trace + "-" + parent + "-0A",
                                        "00_" + trace + "-" + parent + "-01",
                                        "00-" + trace + "_" + parent + "-01",
                                        "00-" + trace + "-" + parent + "_01",
                                        good + "," + good,
                                        std::string(55, '-'),
                                        std::string(10'000, 'a'),
                                        std::string("00-") + std::string(32, '\0') + "-" + parent + "-01"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseTraceparent(text));
    }

    TEST(refusesEveryChangeOfOneCharacterThatIsNone)
    {
        for (std::size_t i = 0; i < good.size(); ++i)
            for (int c = 0; c < 256; ++c)
            {
                auto text = good;
                text[i] = static_cast<char>(c);
                const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                const bool hyphen = i == 2 || i == 35 || i == 52;
                const bool expected = hyphen ? c == '-' : digit;
                // f0…ff of the version: only ff is forbidden, and here one digit stays 0.
                equal(expected, parseTraceparent(text).has_value(), text);
            }
    }

    TEST(readsTracestate)
    {
        const auto members = [](int count)
        {
            std::string text;
            for (int i = 0; i < count; ++i) text += (i == 0 ? "k" : ",k") + std::to_string(i) + "=1";
            return text;
        };
        for (const std::string& text :
             {std::string("rojo=00f067aa0ba902b7"), std::string("rojo=1,congo=t61rcWkgMzE"), std::string("a=1 , b=2"),
              std::string("a=1,,b=2"), std::string("1a@vendor=x"), std::string("a_-*/=~!"), members(32)})
            CPPUNIT_ASSERT_MESSAGE(text, isTracestate(text));
        for (const std::string& text :
             {std::string(), std::string(","), std::string("a"), std::string("=1"), std::string("A=1"), std::string("1a=1"),
              std::string("a=1,a=2"), std::string("a=b=c"), std::string("a=\x01"), std::string("a=\xC3\xBC"), std::string("a@1=x"),
              std::string("@v=x"), "a=" + std::string(257, 'x'), std::string(257, 'a') + "=1", members(33), "a=1" + std::string(510, ',')})
            CPPUNIT_ASSERT_MESSAGE(text, !isTracestate(text));
    }

    TEST(idsAreDistinct)
    {
        std::set<std::string> seen;
        for (int i = 0; i < 2'000; ++i)
        {
            seen.insert(toHex(makeTraceId()));
            seen.insert(toHex(makeSpanId()));
        }
        equal(4'000, seen.size());
    }

    TEST(withoutASinkWhatCameIsPassedOnUnchanged)
    {
        const auto span = begin(Tracer(), {{"Traceparent", good}, {"tracestate", "rojo=1"}});
        CHECK(span.present);
        CHECK(span.sink == nullptr);
        equal(good, toTraceparent(span.context));
        equal("rojo=1", std::string(span.context.state));
        CHECK(!begin(Tracer(), {}).present);
        CHECK(!begin(Tracer(), {{"traceparent", "nonsense"}, {"tracestate", "rojo=1"}}).present);
        CHECK(!begin(Tracer(), {{"traceparent", good}, {"traceparent", good}}).present);
        // Bad company of a good one is left behind.
        CHECK(begin(Tracer(), {{"traceparent", good}, {"tracestate", "ROJO"}}).context.state.empty());
    }

    TEST(severalLinesOfTracestateAreOne)
    {
        const auto state = [this](std::vector<std::string> lines)
        {
            std::vector<std::pair<std::string, std::string>> headers{{"traceparent", good}};
            for (auto& line : lines) headers.emplace_back("TraceState", std::move(line));
            return std::string(begin(Tracer(), std::move(headers)).context.state);
        };
        equal("rojo=1,congo=2,x=3", state({"rojo=1,congo=2", "x=3"}));
        equal("rojo=1", state({"", "rojo=1"}));
        equal("rojo=1,", state({"rojo=1", ""}));
        equal("", state({"", ""}));
        // A malformed part makes the whole invalid, and the limits apply to the whole.
        equal("", state({"rojo=1", "ROJO"}));
        equal("", state({"rojo=1", "rojo=2"}));
        equal("", state({"a=" + std::string(256, 'x'), "b=" + std::string(254, 'x')}));
        equal(512, state({"a=" + std::string(256, 'x'), "b=" + std::string(251, 'x')}).size());
    }

    TEST(withASinkTheServerIsAChildOfTheCaller)
    {
        KeptSpans kept;
        const Tracer tracer(kept, 0);
        const auto span = begin(tracer, {{"traceparent", good}, {"tracestate", "rojo=1"}});
        equal(trace, toHex(span.context.traceId));
        equal(parent, toHex(span.parent));
        CHECK(toHex(span.context.spanId) != parent);
        system::HostRequest request;
        request.setRoute("GET /api/things/{id}");
        request.path = "/api/things/7";
        request.originService = "crm";
        finishServerSpan(span, request, 500, std::chrono::milliseconds(12));
        equal(1, kept.spans.size());
        const auto& told = kept.spans.front();
        equal("GET /api/things/{id}", told.name);
        CHECK(told.kind == SpanKind::Server && told.failed && told.service == "crm");
        CHECK(std::get<std::string>(told.attributes.at(1).second) == "/api/things/{id}");
        CHECK(told.took == std::chrono::milliseconds(12));
        CPPUNIT_ASSERT_MESSAGE("what came with the request is gone by then", told.context.state.empty());
    }

    TEST(theSamplingFlagIsRespected)
    {
        KeptSpans kept;
        const Tracer tracer(kept, 1);
        const auto unwanted = "00-" + trace + "-" + parent + "-00";
        const auto span = begin(tracer, {{"traceparent", unwanted}});
        equal(unwanted, toTraceparent(span.context));
        finishServerSpan(span, system::HostRequest(), 200, std::chrono::milliseconds(1));
        CHECK(kept.spans.empty());
    }

    TEST(newTracesAreSampledByTheirId)
    {
        KeptSpans kept;
        int sampled = 0;
        for (int i = 0; i < 4'000; ++i)
        {
            CHECK(begin(Tracer(kept, 1), {}).sink == &kept);
            const auto never = begin(Tracer(kept, 0), {{"traceparent", "00-nonsense"}});
            CHECK(never.present && !never.context.sampled && never.sink == nullptr && isZero(never.parent));
            const auto some = begin(Tracer(kept, 4), {});
            equal(some.context.sampled, some.sink != nullptr);
            if (some.context.sampled) ++sampled;
        }
        // 1000 are expected, with a standard deviation of 27.
        CHECK(sampled > 700 && sampled < 1'300);
    }

    TEST(callsAreChildrenOfWhatTheThreadWorksFor)
    {
        KeptSpans kept;
        CHECK(RequestContext::span() == nullptr);
        CHECK(ClientSpan().context() == nullptr);
        const auto outer = begin(Tracer(kept, 1), {});
        {
            const RequestContext scope(outer);
            ClientSpan call;
            call.record().name = "GET";
            CHECK(call.context()->traceId == outer.context.traceId);
            CHECK(call.context()->spanId != outer.context.spanId);
            CHECK(kept.spans.empty());
        }
        CHECK(RequestContext::span() == nullptr);
        equal(1, kept.spans.size());
        CHECK(kept.spans.front().parent == outer.context.spanId);
        // Where nothing is recorded the other side sees the caller.
        const auto passing = begin(Tracer(), {{"traceparent", good}});
        const RequestContext scope(passing);
        const ClientSpan call;
        CHECK(!call.recording());
        equal(good, toTraceparent(*call.context()));
    }

    TEST(jobsAreTracesOfTheirOwn)
    {
        KeptSpans kept;
        {
            JobSpan failed(Tracer(kept, 1), "crm", "crm.import", "job_1", {});
            CHECK(RequestContext::span() != nullptr);
        }
        {
            JobSpan well(Tracer(kept, 1), "crm", "crm.import", "job_2", {});
            well.succeeded();
        }
        {
            JobSpan unseen(Tracer(), "crm", "crm.import", "job_3", {});
            CHECK(RequestContext::span() == nullptr);
        }
        equal(2, kept.spans.size());
        CHECK(kept.spans[0].failed && !kept.spans[1].failed);
        CHECK(kept.spans[0].context.traceId != kept.spans[1].context.traceId);
        CHECK(isZero(kept.spans[0].parent));
    }

    TEST(jobsGoOnWithTheTraceOfTheirRequest)
    {
        equal("", carriedTrace());
        std::string carried;
        const auto request = begin(Tracer(), {{"traceparent", good}, {"tracestate", "vendor=a,other=b"}});
        {
            const RequestContext scope(request);
            carried = carriedTrace();
        }
        equal(good + " vendor=a,other=b", carried);
        KeptSpans kept;
        {
            JobSpan job(Tracer(kept, 0), "crm", "crm.import", "job_1", carried);
            CHECK(RequestContext::span()->context.traceId == request.context.traceId);
            equal("vendor=a,other=b", std::string(RequestContext::span()->context.state));
        }
        equal(1, kept.spans.size());
        CHECK(kept.spans[0].context.traceId == request.context.traceId);
        CHECK(kept.spans[0].parent == request.context.spanId);
        CHECK(kept.spans[0].context.state.empty()); // it pointed into the job
        // Without a sink it is passed on unchanged; malformed text begins a new trace.
        {
            JobSpan job(Tracer(), "crm", "crm.import", "job_2", carried);
            equal(carried, carriedTrace());
        }
        for (const auto* broken : {"", " ", "x", "00-00000000000000000000000000000000-0000000000000000-00 a=b"})
        {
            JobSpan job(Tracer(), "crm", "crm.import", "job_3", broken);
            equal("", carriedTrace());
        }
    }

    /// The headers live longer than the span.
    ActiveSpan begin(const Tracer& tracer, std::vector<std::pair<std::string, std::string>> headers)
    {
        _headers.push_back(std::make_unique<std::vector<std::pair<std::string, std::string>>>(std::move(headers)));
        std::vector<HeaderField> fields;
        for (const auto& [name, value] : *_headers.back()) fields.push_back({name, value});
        _joined.push_back(std::make_unique<std::string>());
        return tracer.begin(fields, *_joined.back());
    }

    std::vector<std::unique_ptr<std::vector<std::pair<std::string, std::string>>>> _headers;
    std::vector<std::unique_ptr<std::string>> _joined;
};

} // namespace portico::tests
