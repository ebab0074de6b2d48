#pragma once

#include "catalog/CatalogStore.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// A scope as keys are made with it.
struct ScopeView
{
    std::string scope;
    std::string title;
    std::string description;
    std::vector<std::string> permissions;
    std::vector<std::string> bindable;
    Risk risk = Risk::Low;
    /// False if no route accepts the scope yet, so that it has no effect for a key.
    bool hasRoute = true;
};

constexpr auto schemaOf(const ScopeView*)
{
    return describe(members<&ScopeView::scope, &ScopeView::title, &ScopeView::description, &ScopeView::permissions, &ScopeView::bindable,
                            &ScopeView::risk, &ScopeView::hasRoute>());
}

struct ServiceScopes
{
    std::string serviceId;
    std::vector<ScopeView> scopes;
    std::string manifestSha256;
};

constexpr auto schemaOf(const ServiceScopes*)
{
    return describe(field<&ServiceScopes::serviceId>("service_id"), members<&ServiceScopes::scopes, &ServiceScopes::manifestSha256>());
}

struct ScopesQuery
{
    std::string serviceId;
};

constexpr auto schemaOf(const ScopesQuery*) { return describe(field<&ScopesQuery::serviceId>("service_id").maxLength(40)); }

/// A type of resource that a key can be bound to.
struct BindableTypeView
{
    std::string type;
    std::string title;
    std::string idPattern;
};

constexpr auto schemaOf(const BindableTypeView*)
{
    return describe(members<&BindableTypeView::type, &BindableTypeView::title, &BindableTypeView::idPattern>());
}

/// Lists the definitions of services, for operators and for creators of keys.
class CatalogRoutes
{
public:
    explicit CatalogRoutes(CatalogStore& catalog) : _catalog(catalog) {}
    void declare(Routes& routes);

    ServiceScopes scopesOf(const Path<std::string>& serviceId) const;
    Page<ServiceScopes> scopes(const Query<ScopesQuery>& query) const;
    Page<BindableTypeView> bindableTypes(const Path<std::string>& serviceId) const;
    CompletenessReport completeness(const Path<std::string>& serviceId) const;

private:
    ServiceScopes scopesIn(const CatalogService& service) const;

    CatalogStore& _catalog;
};

} // namespace portico::identity
