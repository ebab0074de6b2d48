#pragma once

#include "installs/InstallService.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// How an installed app came to be installed.
struct InstallView
{
    std::string state = "installed";
    std::optional<AssignmentMode> mode;
    std::optional<Instant> installedAt;
    std::optional<std::string> installedBy;
};

constexpr auto schemaOf(const InstallView*)
{
    return describe(members<&InstallView::state, &InstallView::mode, &InstallView::installedAt, &InstallView::installedBy>());
}

/// An app on the caller's dashboard.
struct AppUserView
{
    bool pinned = false;
    bool hidden = false;
    std::optional<std::string> folderId;
    std::optional<std::int64_t> order;
    std::optional<Instant> lastLaunchedAt;
    std::int64_t launchCount30d = 0;
};

constexpr auto schemaOf(const AppUserView*)
{
    return describe(
        members<&AppUserView::pinned, &AppUserView::hidden, &AppUserView::folderId, &AppUserView::order, &AppUserView::lastLaunchedAt>(),
        field("launchCount30d", &AppUserView::launchCount30d));
}

struct AppBadge
{
    std::int64_t count = 0;
    std::string kind = "action";
};

constexpr auto schemaOf(const AppBadge*) { return describe(members<&AppBadge::count, &AppBadge::kind>()); }

/// An app as a caller sees it (CatalogEntry of 2.12).
struct CatalogApp : StoreApp
{
    Availability availability = Availability::Available;
    std::optional<InstallView> install;
    AppUserView user;
    std::optional<AppBadge> badge;
};

constexpr auto schemaOf(const CatalogApp*)
{
    return describe(inherited<StoreApp>(),
                    members<&CatalogApp::availability, &CatalogApp::install, &CatalogApp::user, &CatalogApp::badge>());
}

/// Price of an app with what the caller's context may use of it.
struct CallerCommerce
{
    Json terms;
    std::optional<bool> entitled;
    std::optional<EntitledBy> entitledBy;
};

constexpr auto schemaOf(const CallerCommerce*)
{
    return describe(field<&CallerCommerce::terms>().flattened(), field<&CallerCommerce::entitled>().omitEmpty(),
                    field<&CallerCommerce::entitledBy>().omitEmpty())
        .documentedAs<Commerce>();
}

/// Serialized form of a CatalogApp.
struct CatalogAppText
{
    Json begin;
    CallerCommerce commerce;
    Json end;
    Availability availability = Availability::Available;
    std::optional<InstallView> install;
    AppUserView user;
    std::optional<AppBadge> badge;
};

constexpr auto schemaOf(const CatalogAppText*)
{
    return describe(field<&CatalogAppText::begin>().flattened(), members<&CatalogAppText::commerce>(),
                    field<&CatalogAppText::end>().flattened(),
                    members<&CatalogAppText::availability, &CatalogAppText::install, &CatalogAppText::user, &CatalogAppText::badge>())
        .documentedAs<CatalogApp>();
}

struct CatalogFilter
{
    std::vector<Availability> availability;
    std::string q;
    std::optional<std::string> surfaceGroup;
};

constexpr auto schemaOf(const CatalogFilter*)
{
    return describe(field<&CatalogFilter::availability>(), field<&CatalogFilter::q>().maxLength(80),
                    field<&CatalogFilter::surfaceGroup>("surface_group"));
}

struct InstallInput
{
    std::string serviceId;
    InstallScope scope = InstallScope::Me;
};

constexpr auto schemaOf(const InstallInput*)
{
    return describe(field<&InstallInput::serviceId>("service_id").required(), field<&InstallInput::scope>());
}

struct InstallAnswer
{
    std::string serviceId;
    std::string state = "installed";
};

constexpr auto schemaOf(const InstallAnswer*)
{
    return describe(field<&InstallAnswer::serviceId>("service_id"), field<&InstallAnswer::state>());
}

struct RequestInput
{
    std::string serviceId;
    std::string reason;
};

constexpr auto schemaOf(const RequestInput*)
{
    return describe(field<&RequestInput::serviceId>("service_id").required(), field<&RequestInput::reason>().trimmed().maxLength(1000));
}

struct RequestAnswer
{
    std::string requestId;
    std::string actionId;
};

constexpr auto schemaOf(const RequestAnswer*) { return describe(members<&RequestAnswer::requestId, &RequestAnswer::actionId>()); }

/// The catalog of a caller, installs and requests. Thread-safe.
class CatalogRoutes
{
public:
    CatalogRoutes(PluginContext& context, const Registry& registry, const InstallService& service)
        : _context(context), _registry(registry), _service(service)
    {
    }
    void declare(Routes& routes);

    Page<CatalogAppText> list(const Caller& caller, const Query<CatalogFilter>& filter, const Paging& paging) const;
    CatalogAppText show(const Caller& caller, const Path<std::string>& serviceId) const;
    Created<InstallAnswer> install(const Caller& caller, const Body<InstallInput>& input) const;
    NoContent remove(const Caller& caller, const Path<std::string>& serviceId) const;
    Reply<RequestAnswer> request(const Caller& caller, const Body<RequestInput>& input) const;

private:
    struct View;
    CatalogAppText viewOf(const View& view, const App& app) const;

    PluginContext& _context;
    const Registry& _registry;
    const InstallService& _service;
};

} // namespace portico::launchpad
