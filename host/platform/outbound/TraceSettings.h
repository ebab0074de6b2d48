#pragma once

#include "host/platform/outbound/OtlpJson.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

struct TraceSettings
{
    /// The whole URL; empty: nothing is recorded.
    std::string endpoint;
    std::uint64_t sampleOneIn = 1;
    /// For the collector, secrets among them.
    std::vector<std::pair<std::string, std::string>> headers;
    /// See HttpClientSettings.
    std::string certificateAuthorities;
    TraceResource resource;
};

/// `http://127.0.0.1:4318` completed with the path that OTLP has.
std::string tracesUrl(const std::string& endpoint);
/// Lines `Name: value`; empty ones and those that begin with `#` are left out. @throws std::runtime_error naming the line that is none,
/// without what it says
std::vector<std::pair<std::string, std::string>> parseHeaderLines(const std::string& text, const std::string& key);

} // namespace portico::host::platform
