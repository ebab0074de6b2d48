#pragma once

#include "providers/ProviderSignInRoutes.h"

namespace portico::identity
{

struct LinkStart
{
    /// Address to continue at; empty: the settings.
    std::string returnTo;
};

constexpr auto schemaOf(const LinkStart*) { return describe(field<&LinkStart::returnTo>().maxLength(2048)); }

struct LinkStarted
{
    /// Page of identity for the caller's browser; valid once, for ten minutes.
    std::string url;
};

constexpr auto schemaOf(const LinkStarted*) { return describe(field<&LinkStarted::url>()); }

/// Manages the caller's linked accounts at external providers. Thread-safe.
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
