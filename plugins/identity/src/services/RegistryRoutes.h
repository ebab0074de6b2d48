#pragma once

#include "catalog/Completeness.h"
#include "catalog/ManifestPlan.h"
#include "common/Core.h"
#include "mails/Mails.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

struct ServicesQuery
{
    std::vector<std::string> surfaceKind;
    std::vector<std::string> surfaceGroup;
    std::optional<bool> launchable;
    std::vector<std::string> status;
    std::string q;
};

constexpr auto schemaOf(const ServicesQuery*)
{
    return describe(field<&ServicesQuery::surfaceKind>("surface_kind"), field<&ServicesQuery::surfaceGroup>("surface_group"),
                    members<&ServicesQuery::launchable, &ServicesQuery::status>(), field<&ServicesQuery::q>().maxLength(120));
}

struct ManifestQuery
{
    std::int64_t dryRun = 0;
    std::int64_t force = 0;
};

constexpr auto schemaOf(const ManifestQuery*)
{
    return describe(field<&ManifestQuery::dryRun>().range(0, 1).description("1 reports the changes without applying them"),
                    field<&ManifestQuery::force>().range(0, 1).description("1 removes dropped scopes from keys"));
}

/// A newly registered service, with its completeness report.
struct RegisteredAnswer
{
    ServiceView service;
    CompletenessReport report;
};

constexpr auto schemaOf(const RegisteredAnswer*) { return describe(members<&RegisteredAnswer::service, &RegisteredAnswer::report>()); }

struct ManifestAnswer
{
    ManifestPlan applied;
    CompletenessReport report;
};

constexpr auto schemaOf(const ManifestAnswer*) { return describe(members<&ManifestAnswer::applied, &ManifestAnswer::report>()); }

/// How the rows differ from the manifest that the service brings along.
struct DriftReport
{
    bool inSync = true;
    std::vector<CatalogItem> missingInDatabase;
    std::vector<CatalogItem> missingInManifest;
    std::vector<CatalogItem> changed;
};

constexpr auto schemaOf(const DriftReport*)
{
    return describe(
        members<&DriftReport::inSync, &DriftReport::missingInDatabase, &DriftReport::missingInManifest, &DriftReport::changed>());
}

struct StatusInput
{
    std::string reason;
};

constexpr auto schemaOf(const StatusInput*) { return describe(field<&StatusInput::reason>().maxLength(500)); }

/// To who answers for a key that a service has taken scopes from.
struct ScopesRemovedMail
{
    std::string key;
    std::string prefix;
    std::string service;
    std::string scopes;
};

constexpr auto schemaOf(const ScopesRemovedMail*)
{
    return describe(
        members<&ScopesRemovedMail::key, &ScopesRemovedMail::prefix, &ScopesRemovedMail::service, &ScopesRemovedMail::scopes>());
}

/// Registry of services: lists them, and lets operators change them. A host's manifests are registered by `Registry`. Thread-safe.
class RegistryRoutes
{
public:
    explicit RegistryRoutes(Core& core) : _core(core), _scopesRemoved(core.mails.bind<ScopesRemovedMail>("scopes-removed")) {}
    void declare(Routes& routes);

    /// Active ones; others too for who reads the registry's details.
    Page<ServiceView> list(const Caller& caller, const Query<ServicesQuery>& query, const Paging& paging) const;
    ServiceView show(const Caller& caller, const Path<std::string>& serviceId) const;
    Page<PermissionEntry> permissions(const Caller& caller, const Path<std::string>& serviceId) const;
    Page<PermissionEntry> allPermissions() const;
    DriftReport drift(const Path<std::string>& serviceId) const;
    Reply<ServiceManifest> manifest(const Path<std::string>& serviceId) const;

    Created<RegisteredAnswer> create(const Request& request, const RawBody& body);
    ManifestAnswer replace(const Caller& caller, const Request& request, const Path<std::string>& serviceId,
                           const Query<ManifestQuery>& query, const RawBody& body, const IfMatch& match);
    ServiceView activate(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input, const IfMatch& match);
    ServiceView suspend(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input, const IfMatch& match);
    ServiceView retire(const Request& request, const Path<std::string>& serviceId, const Body<StatusInput>& input, const IfMatch& match);

private:
    ServiceView move(const Request& request, const std::string& serviceId, const StatusInput& input, const IfMatch& match,
                     std::string_view to);
    Core& _core;
    MailTemplate<ScopesRemovedMail> _scopesRemoved;
};

} // namespace portico::identity
