// Answers of apps to GET /api/widget: what passes is what the contract allows, and passes again unchanged.

#include "fuzz/Require.h"

#include "widgets/WidgetPayload.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace portico::launchpad;
using portico::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const ExpectedWidget expected{"crm", "overview", "organization", "org_1"};
    const auto first = readWidget(body, expected);
    require(first.json.empty() != first.fault.empty());
    if (first.json.empty()) return 0;
    require(first.json.find("\"href\":\"javascript:") == std::string::npos && first.json.find("\"href\":\"//") == std::string::npos);
    const auto second = readWidget(first.json, expected);
    require(second.json == first.json || first.json.size() > maxWidgetBytes);
    return 0;
}
