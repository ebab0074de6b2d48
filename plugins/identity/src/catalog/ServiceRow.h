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

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::ServiceRow>
{
    using T = portico::identity::ServiceRow;
    static constexpr auto fields =
        describe(field("service_id", &T::serviceId), field("name", &T::name), field("description", &T::description),
                 field("status", &T::status), field("enabled", &T::enabled), field("complete", &T::complete),
                 field("contexts", &T::contexts), field("personalAccess", &T::personalAccess), field("origin", &T::origin),
                 field("manifest", &T::manifest), field("manifestSha256", &T::manifestSha256), field("report", &T::report),
                 field("version", &T::version), field("createdAt", &T::createdAt), field("updatedAt", &T::updatedAt));
};
