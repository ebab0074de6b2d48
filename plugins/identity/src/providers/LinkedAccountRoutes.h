#pragma once

#include "providers/ProviderSignInRoutes.h"

namespace portico::identity
{

struct LinkStart
{
    /// Where the page leads afterwards; empty: the settings.
    std::string returnTo;
};

constexpr auto schemaOf(const LinkStart*) { return describe(field<&LinkStart::returnTo>().maxLength(2048)); }

struct LinkStarted
{
    /// A page of identity, good once, for the caller's own browser, for ten minutes.
    std::string url;
};

constexpr auto schemaOf(const LinkStarted*) { return describe(field<&LinkStarted::url>()); }

/// One's own accounts elsewhere that open one's account here. Thread-safe.
class LinkedAccountRoutes
{
public:
    LinkedAccountRoutes(Core& core, ProviderSignInRoutes& signIns) : _core(core), _signIns(signIns) {}
    void declare(Routes& routes);

    Page<LinkedAccount> list(const Caller& caller, const Paging& paging) const;
    NoContent remove(const Caller& caller, const Request& request, const Path<LinkedAccountId>& id);
    LinkStarted start(const Caller& caller, const Path<IdentityProviderId>& id, const Body<LinkStart>& input);

private:
    Core& _core;
    ProviderSignInRoutes& _signIns;
};

} // namespace portico::identity
