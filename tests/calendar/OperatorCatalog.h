#pragma once

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/testing/JsonWith.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

/// A registry in which the operator has put one origin into the calendar's manifest.
struct OperatorCatalog final : interfaces::ServiceCatalog
{
    std::string origin = "https://shop.example";

    std::vector<interfaces::CatalogEntry> services() override { return {}; }
    std::optional<interfaces::CatalogEntry> service(std::string_view) override
    {
        interfaces::CatalogEntry entry;
        entry.manifest = testing::jsonWith(R"({"service_id":"calendar","embedOrigins":["$"]})", origin);
        return entry;
    }
    std::vector<interfaces::CatalogAccess> accessOf(const Caller&) override { return {}; }
};

} // namespace portico::tests
