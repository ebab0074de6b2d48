#pragma once

#include "portico/interfaces/PlanAccess.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

/// Remembers what plans grant, for tests of billing. Thread-safe, apart from its public members.
class FakePlanAccess final : public interfaces::PlanAccess
{
public:
    std::size_t apply(Tenant organization, const std::vector<interfaces::PlanGrant>& grants, std::string_view plan) override
    {
        const std::lock_guard lock(_mutex);
        auto& services = granted[std::string(organization.text())];
        std::size_t changes = 0;
        for (const auto& grant : grants)
        {
            const bool before = services.contains(grant.serviceId);
            if (grant.granted && !before) services.insert(grant.serviceId);
            if (!grant.granted && before) services.erase(grant.serviceId);
            changes += before != grant.granted ? 1 : 0;
        }
        plans[std::string(organization.text())] = plan;
        return changes;
    }
    std::vector<std::string> organizations(std::string_view afterId, std::size_t limit) override
    {
        std::vector<std::string> found;
        for (const auto& id : existing)
            if (id > afterId && found.size() < limit) found.push_back(id);
        return found;
    }
    std::string adminOrganization() override { return admins; }
    bool isAgent(std::string_view userId) override { return agents.contains(userId); }

    /// Services that are open, by organization.
    std::map<std::string, std::set<std::string>> granted;
    /// Plan of the last call, by organization.
    std::map<std::string, std::string> plans;
    std::set<std::string> existing;
    std::string admins;
    std::set<std::string, std::less<>> agents;

private:
    std::mutex _mutex;
};

} // namespace portico::tests
