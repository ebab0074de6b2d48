#pragma once

#include "common/Core.h"
#include "records/ApiKey.h"
#include "signin/TokenIssuer.h"

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

/// Resources that a key can be bound to, asked as who calls there: of the plugin whose they are, or, of a service that runs elsewhere, at
/// the `listUrl` of its manifest, which answers `{items:[{id, label}], nextCursor}` to a token for it. Thread-safe.
class BindableRoutes
{
public:
    explicit BindableRoutes(Core& core) : _core(core), _issuer(core.database, core.keys, core.settings, core.clock, core.origin) {}
    void declare(Routes& routes);

    Page<BindableView> list(const Caller& caller, const Path<std::string>& serviceId, const Path<std::string>& type,
                            const Query<BindableQuery>& query, const Paging& paging) const;
    /// Of grants for a new key, the first resource that there is not, or that is not the caller's to read: 400 `resource_not_found` with
    /// its place. A key passes on what it is bound to itself, and of a service that is elsewhere, or not there, the form of ids has to do:
    /// nobody's key waits for another server. Asks the services, which take sessions of their own: not to be called while one is held.
    /// @throws DatabaseError
    std::optional<Problem> missing(const Caller& caller, const std::vector<Grant>& grants) const;

private:
    /// The caller as a route of the service would have them; empty where the service is closed to them.
    std::optional<Caller> callerIn(const Caller& caller, const CatalogService& service) const;
    Page<BindableView> listRemote(const Caller& caller, const CatalogService& service, const BindableType& type, const BindableQuery& query,
                                  const Paging& paging) const;

    Core& _core;
    mutable TokenIssuer _issuer;
};

} // namespace portico::identity
