#pragma once

#include "common/Core.h"
#include "common/IgnoredOnInput.h"
#include "permissions/PersonAccess.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

struct ServiceAccessView
{
    std::string serviceId;
    std::string name;
    std::string status;
    std::optional<std::string> plan;
    Instant grantedAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
};

constexpr auto schemaOf(const ServiceAccessView*)
{
    return describe(field<&ServiceAccessView::serviceId>("service_id"),
                    members<&ServiceAccessView::name, &ServiceAccessView::status, &ServiceAccessView::plan, &ServiceAccessView::grantedAt,
                            &ServiceAccessView::updatedAt, &ServiceAccessView::version>())
        .named("ServiceAccess");
}

enum class AccessStatus : std::uint8_t
{
    Active,
    Suspended
};

constexpr auto schemaOf(const AccessStatus*)
{
    using enum AccessStatus;
    return portico::choices<AccessStatus>({{"active", Active}, {"suspended", Suspended}});
}

struct AccessInput : IgnoredOnInput
{
    AccessStatus status = AccessStatus::Active;
    std::optional<std::string> plan;
};

constexpr auto schemaOf(const AccessInput*)
{
    return describe(field<&AccessInput::status>().required(), field<&AccessInput::plan>().maxLength(80),
                    readBackVersioned<AccessInput>("service_id", "name", "grantedAt"))
        .named("ServiceAccessInput");
}

/// Manages which services an organization may use. A revocation applies to the next request. Thread-safe.
class AccessRoutes
{
public:
    explicit AccessRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<ServiceAccessView> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    ServiceAccessView put(const Request& request, const Path<OrganizationId>& id, const Path<std::string>& serviceId,
                          const Body<AccessInput>& input, const IfMatch& match);
    NoContent remove(const Request& request, const Path<OrganizationId>& id, const Path<std::string>& serviceId, const IfMatch& match);

private:
    Core& _core;
};

} // namespace portico::identity
