#include "host/telemetry/MetricsRegistry.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

using host::telemetry::MetricsRegistry;

class MetricsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(MetricsTest);
    CPPUNIT_TEST(prefixesNames);
    CPPUNIT_TEST(keepsCountsOfAService);
    CPPUNIT_TEST(observesSeconds);
    CPPUNIT_TEST(refusesWhatPrometheusCannotTake);
    CPPUNIT_TEST(boundsTheSeriesOfAMetric);
    CPPUNIT_TEST_SUITE_END();

public:
    void prefixesNames()
    {
        _registry.of("crm").count("imports_total", 2, {{"kind", "csv"}});
        _registry.of("short-links").gauge("open", 3);
        _registry.of({}).count("requests_total");
        CPPUNIT_ASSERT(has("portico_crm_imports_total{kind=\"csv\"} 2"));
        CPPUNIT_ASSERT(has("portico_short_links_open 3"));
        CPPUNIT_ASSERT(has("portico_requests_total 1"));
    }

    void keepsCountsOfAService()
    {
        _registry.of("crm").count("n");
        _registry.of("crm").count("n");
        CPPUNIT_ASSERT(has("portico_crm_n 2"));
    }

    void observesSeconds()
    {
        _registry.of("crm").observe("wait_seconds", 0.02);
        CPPUNIT_ASSERT(has("portico_crm_wait_seconds_bucket{le=\"0.01\"} 0"));
        CPPUNIT_ASSERT(has("portico_crm_wait_seconds_bucket{le=\"0.025\"} 1"));
        CPPUNIT_ASSERT(has("portico_crm_wait_seconds_count 1"));
    }

    void refusesWhatPrometheusCannotTake()
    {
        auto& metrics = _registry.of("crm");
        metrics.count("bad name");
        metrics.count("n", 1, {{"le", "x"}});
        metrics.count("n", 1, {{"__reserved", "x"}});
        metrics.count("n", -1);
        metrics.gauge("taken", 1);
        metrics.count("taken");
        CPPUNIT_ASSERT(has("portico_metrics_refused_total 5"));
        CPPUNIT_ASSERT(has("portico_crm_taken 1"));
    }

    void boundsTheSeriesOfAMetric()
    {
        MetricsRegistry registry(10);
        for (int i = 0; i < 100; ++i) registry.of("crm").count("n", 1, {{"user", std::to_string(i)}});
        const auto text = registry.text();
        CPPUNIT_ASSERT(text.find("portico_crm_n{user=\"9\"} 1") != std::string::npos);
        CPPUNIT_ASSERT(text.find("user=\"10\"") == std::string::npos);
        CPPUNIT_ASSERT(text.find("portico_crm_n{overflow=\"true\"} 90") != std::string::npos);
    }

private:
    bool has(const std::string& line) const { return ("\n" + _registry.text()).find("\n" + line + "\n") != std::string::npos; }

    MetricsRegistry _registry;
};

CPPUNIT_TEST_SUITE_REGISTRATION(MetricsTest);

} // namespace portico::tests
