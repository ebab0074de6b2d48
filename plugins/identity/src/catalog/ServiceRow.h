#pragma once

#include "catalog/Manifest.h"

#include "portico/Instant.h"

namespace portico::identity
{

/// A row of `services`.
struct ServiceRow
{
    std::string serviceId;
    std::string name;
    std::string description;
    std::string status = "draft";
    bool enabled = true;
    bool complete = false;
    std::vector<ContextKind> contexts;
    bool personalAccess = false;
    std::string origin;
    std::string manifest;
    std::string manifestSha256;
    std::string report;
    std::int64_t version = 1;
    Instant createdAt{};
    Instant updatedAt{};
};

constexpr auto schemaOf(const ServiceRow*)
{
    return describe(
        field("service_id", &ServiceRow::serviceId), field("name", &ServiceRow::name), field("description", &ServiceRow::description),
        field("status", &ServiceRow::status), field("enabled", &ServiceRow::enabled), field("complete", &ServiceRow::complete),
        field("contexts", &ServiceRow::contexts), field("personalAccess", &ServiceRow::personalAccess),
        field("origin", &ServiceRow::origin), field("manifest", &ServiceRow::manifest),
        field("manifestSha256", &ServiceRow::manifestSha256), field("report", &ServiceRow::report), field("version", &ServiceRow::version),
        field("createdAt", &ServiceRow::createdAt), field("updatedAt", &ServiceRow::updatedAt));
}

} // namespace portico::identity
