#include "support/Suite.h"

#include "host/telemetry/MetricsRegistry.h"

namespace portico::tests
{

using host::telemetry::MetricsRegistry;

class MetricsTest : public Suite<MetricsTest>
{
    TEST(prefixesNames)
    {
        _registry.of("crm").count("imports_total", 2, {{"kind", "csv"}});
        _registry.of("short-links").gauge("open", 3);
        _registry.of({}).count("requests_total");
        CHECK(has("portico_crm_imports_total{kind=\"csv\"} 2"));
        CHECK(has("portico_short_links_open 3"));
        CHECK(has("portico_requests_total 1"));
    }

    TEST(keepsCountsOfAService)
    {
        _registry.of("crm").count("n");
        _registry.of("crm").count("n");
        CHECK(has("portico_crm_n 2"));
    }

    TEST(observesSeconds)
    {
        _registry.of("crm").observe("wait_seconds", 0.02);
        CHECK(has("portico_crm_wait_seconds_bucket{le=\"0.01\"} 0"));
        CHECK(has("portico_crm_wait_seconds_bucket{le=\"0.025\"} 1"));
        CHECK(has("portico_crm_wait_seconds_count 1"));
    }

    TEST(refusesWhatPrometheusCannotTake)
    {
        auto& metrics = _registry.of("crm");
        metrics.count("bad name");
        metrics.count("n", 1, {{"le", "x"}});
        metrics.count("n", 1, {{"__reserved", "x"}});
        metrics.count("n", -1);
        metrics.gauge("taken", 1);
        metrics.count("taken");
        CHECK(has("portico_metrics_refused_total 5"));
        CHECK(has("portico_crm_taken 1"));
    }

    TEST(boundsTheSeriesOfAMetric)
    {
        MetricsRegistry registry(10);
        for (int i = 0; i < 100; ++i) registry.of("crm").count("n", 1, {{"user", std::to_string(i)}});
        const auto text = registry.text();
        CHECK(text.find("portico_crm_n{user=\"9\"} 1") != std::string::npos);
        CHECK(text.find("user=\"10\"") == std::string::npos);
        CHECK(text.find("portico_crm_n{overflow=\"true\"} 90") != std::string::npos);
    }

    bool has(const std::string& line) const { return ("\n" + _registry.text()).find("\n" + line + "\n") != std::string::npos; }

    MetricsRegistry _registry;
};

} // namespace portico::tests
