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
};

struct ServiceScopes
{
    std::string serviceId;
    std::vector<ScopeView> scopes;
    std::string manifestSha256;
};

struct ScopesQuery
{
    std::string serviceId;
};

/// A type of resource that a key can be bound to.
struct BindableTypeView
{
    std::string type;
    std::string title;
    std::string idPattern;
};

/// What services define, for those who make keys and for operators.
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
    CatalogStore& _catalog;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::ScopeView>
{
    using T = portico::identity::ScopeView;
    static constexpr auto fields =
        describe(field("scope", &T::scope), field("title", &T::title), field("description", &T::description),
                 field("permissions", &T::permissions), field("bindable", &T::bindable), field("risk", &T::risk));
};

template <>
struct portico::Schema<portico::identity::ServiceScopes>
{
    using T = portico::identity::ServiceScopes;
    static constexpr auto fields =
        describe(field("service_id", &T::serviceId), field("scopes", &T::scopes), field("manifestSha256", &T::manifestSha256));
};

template <>
struct portico::Schema<portico::identity::ScopesQuery>
{
    using T = portico::identity::ScopesQuery;
    static constexpr auto fields = describe(field("service_id", &T::serviceId).maxLength(40));
};

template <>
struct portico::Schema<portico::identity::BindableTypeView>
{
    using T = portico::identity::BindableTypeView;
    static constexpr auto fields = describe(field("type", &T::type), field("title", &T::title), field("idPattern", &T::idPattern));
};
