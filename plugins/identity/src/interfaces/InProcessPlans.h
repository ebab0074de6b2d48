#pragma once

#include "common/Core.h"

#include "portico/interfaces/PlanAccess.h"

namespace portico::identity
{

/// `identity.plan-access`: access of organizations by their plans, for plugins on the same host. Thread-safe.
class InProcessPlans final : public interfaces::PlanAccess
{
public:
    explicit InProcessPlans(Core& core) : _core(core) {}

    std::size_t apply(Tenant organization, const std::vector<interfaces::PlanGrant>& grants, std::string_view plan) override;
    std::vector<std::string> organizations(std::string_view afterId, std::size_t limit) override;
    std::string adminOrganization() override;
    bool isAgent(std::string_view userId) override;

private:
    Core& _core;
};

} // namespace portico::identity
