#pragma once

#include "common/Core.h"
#include "signin/SignInDesk.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct ImpersonationInput
{
    std::string reason;
    std::int64_t minutes = 15;
};

constexpr auto schemaOf(const ImpersonationInput*)
{
    return describe(field<&ImpersonationInput::reason>().required().trimmed().maxLength(500),
                    field<&ImpersonationInput::minutes>().range(1, 30));
}

/// Operators who look at the platform as somebody else sees it: with that person's rights, a mark in the token and in the audit trail, no
/// refresh, and nothing that touches how that person signs in (`Access::inPerson`). It ends with the operator's own sign-in, and when they
/// are no operator any more. Thread-safe.
class ImpersonationRoutes
{
public:
    ImpersonationRoutes(Core& core, SignInDesk& desk) : _core(core), _desk(desk) {}
    void declare(Routes& routes);

    Reply<TokenResponse> begin(const Caller& caller, const Request& request, const Path<UserId>& id, const Body<ImpersonationInput>& input);

private:
    /// The operator's own sign-in, and whom they may become.
    std::pair<SignIn, User> requireMay(const Caller& caller, const UserId& id) const;

    Core& _core;
    SignInDesk& _desk;
};

} // namespace portico::identity
