#pragma once

#include "portico/interfaces/ServiceCatalog.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::testing
{

/// The registry with the entries and access that a test sets, for `FakeServices::offer<interfaces::ServiceCatalog>`. Used by one thread
/// while it is changed.
class FakeServiceCatalog final : public interfaces::ServiceCatalog
{
public:
    /// Adds an active service, or replaces the one with that ID, and raises the version.
    interfaces::CatalogEntry& add(std::string_view serviceId)
    {
        interfaces::CatalogEntry entry;
        entry.serviceId = entry.name = serviceId;
        entry.status = "active";
        entry.active = entry.launchable = true;
        entry.surfaceKind = "application";
        entry.origin = "https://" + entry.serviceId + ".example";
        entry.origins = {entry.origin};
        entry.launchUrl = entry.origin + "/";
        entry.callbackUrls = {entry.origin + "/auth/callback"};
        entry.widgetUrl = entry.origin + "/api/widget";
        entry.contexts = {"organization", "personal"};
        entry.manifest = "{}";
        entry.publisher = {"platform", {}, "Platform", true};
        ++changes;
        return entries.insert_or_assign(entry.serviceId, std::move(entry)).first->second;
    }
    /// Closes a service to all users. @param reason an obstacle, for example `no_service_access`
    void close(std::string_view serviceId, std::string_view reason)
    {
        closed.insert_or_assign(std::string(serviceId), std::string(reason));
    }
    /// Sets the access version of a caller in a service, by `Caller::principalId`.
    void setAccessVersion(std::string_view principalId, std::string_view serviceId, std::string_view version)
    {
        accessVersionsSet[{std::string(principalId), std::string(serviceId)}] = version;
    }

    std::vector<interfaces::CatalogEntry> services() override
    {
        std::vector<interfaces::CatalogEntry> all;
        for (const auto& [id, entry] : entries) all.push_back(entry);
        return all;
    }
    std::optional<interfaces::CatalogEntry> service(std::string_view serviceId) override
    {
        const auto found = entries.find(serviceId);
        return found == entries.end() ? std::nullopt : std::optional(found->second);
    }
    std::vector<interfaces::CatalogAccess> accessOf(const Caller& caller) override
    {
        std::vector<interfaces::CatalogAccess> all;
        for (const auto& [id, entry] : entries)
            if (entry.active) all.push_back({id, reason(id).empty(), reason(id).empty() ? opening(caller) : reason(id)});
        return all;
    }
    std::string version() override { return std::to_string(changes); }
    std::vector<std::string> accessVersions(const Caller& caller, const std::vector<std::string>& serviceIds) override
    {
        std::vector<std::string> versions;
        for (const auto& id : serviceIds)
        {
            const auto found = accessVersionsSet.find({caller.principalId, id});
            versions.push_back(found == accessVersionsSet.end() ? caller.organizationId + caller.role : found->second);
        }
        return versions;
    }
    std::vector<interfaces::SwitcherEntry> switcher(const Caller& caller) override
    {
        std::vector<interfaces::SwitcherEntry> all;
        for (const auto& [id, entry] : entries)
            if (entry.active && entry.launchable)
                all.push_back({id, entry.name, entry.iconUrl, entry.launchUrl, entry.surfaceKind, entry.surfaceGroup, true,
                               entry.householdCapable, reason(id).empty(), reason(id).empty() ? opening(caller) : reason(id)});
        return all;
    }

    std::map<std::string, interfaces::CatalogEntry, std::less<>> entries;
    std::map<std::string, std::string, std::less<>> closed;
    std::map<std::pair<std::string, std::string>, std::string> accessVersionsSet;
    int changes = 0;

private:
    std::string reason(std::string_view serviceId) const
    {
        const auto found = closed.find(serviceId);
        return found == closed.end() ? std::string() : found->second;
    }
    static std::string opening(const Caller& caller) { return caller.organizationId.empty() ? "personal_access" : "organization_access"; }
};

} // namespace portico::testing
