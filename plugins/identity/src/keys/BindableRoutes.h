#pragma once

#include "catalog/Catalog.h"
#include "common/Core.h"
#include "records/ApiKey.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct BindableQuery
{
    std::string q;
    std::optional<std::string> organizationId;
};

constexpr auto schemaOf(const BindableQuery*)
{
    return describe(field<&BindableQuery::q>().maxLength(120), field<&BindableQuery::organizationId>());
}

struct BindableView
{
    std::string type;
    std::string id;
    std::string label;
};

constexpr auto schemaOf(const BindableView*) { return describe(members<&BindableView::type, &BindableView::id, &BindableView::label>()); }

/// Lists the resources to which a key can be bound, with the caller's rights. Asks the plugin, or for an external service the `listUrl` of
/// its manifest. The latter answers `{items:[{id, label}], nextCursor}` to a token for the service. Thread-safe.
class BindableRoutes
{
public:
    explicit BindableRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<BindableView> list(const Caller& caller, const Path<std::string>& serviceId, const Path<std::string>& type,
                            const Query<BindableQuery>& query, const Paging& paging) const;
    /// Checks the grants of a new key: returns 400 `resource_not_found` for the first resource that does not exist or that the caller
    /// cannot read. A key may pass on its bindings unchecked. For external or unknown services only the form of ids is checked, so that no
    /// request waits for another server. Call it without a database session, because services open their sessions.
    /// @throws DatabaseError
    std::optional<Problem> missing(const Caller& caller, const std::vector<Grant>& grants) const;

private:
    /// Returns the caller as a route of the service would see them; none if they have no access.
    std::optional<Caller> callerIn(const Caller& caller, const CatalogService& service) const;
    Page<BindableView> listRemote(const Caller& caller, const CatalogService& service, const BindableType& type, const BindableQuery& query,
                                  const Paging& paging) const;

    Core& _core;
};

} // namespace portico::identity
