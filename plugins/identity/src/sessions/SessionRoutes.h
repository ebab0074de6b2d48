#pragma once

#include "audit/Audit.h"
#include "common/Changes.h"
#include "sessions/Cookies.h"
#include "sessions/LoginThrottle.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SignInService.h"
#include "sessions/TokenIssuer.h"
#include "users/Authenticator.h"

#include "portico/Mailer.h"
#include "portico/Routes.h"

namespace portico::identity
{

/// The body of a refresh: its credential is the cookie.
struct RefreshInput
{
};

constexpr auto schemaOf(const RefreshInput*) { return portico::describe(); }

struct ContextInput
{
    std::string kind;
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const ContextInput*)
{
    return describe(field("kind", &ContextInput::kind).required().maxLength(20), field("organizationId", &ContextInput::organizationId));
}

struct StepUpInput
{
    std::string factor;
    std::string password;
    std::string code;
    Json credential;
};

constexpr auto schemaOf(const StepUpInput*)
{
    return describe(field("factor", &StepUpInput::factor).required().maxLength(20),
                    field("password", &StepUpInput::password).maxLength(1024), field("code", &StepUpInput::code).maxLength(40),
                    field("credential", &StepUpInput::credential));
}

/// What happens to a sign-in while it lives: renewed, moved to another context, raised.
class SessionRoutes
{
public:
    struct Parts
    {
        Database& database;
        Changes& changes;
        CatalogStore& catalog;
        RefreshFamilies& families;
        SignInService& signIns;
        TokenIssuer& issuer;
        Authenticator& authenticator;
        LoginThrottle& throttle;
        Mailer& mailer;
        const Cookies& cookies;
        const Audit& audit;
        const Settings& settings;
        const Clock& clock;
    };
    explicit SessionRoutes(const Parts& parts) : _parts(parts) {}
    void declare(Routes& routes);

    Reply<TokenResponse> refresh(const Request& request, const Body<RefreshInput>& input);
    TokenResponse switchContext(const Caller& caller, const Body<ContextInput>& input);
    TokenResponse stepUp(const Caller& caller, const Request& request, const Body<StepUpInput>& input);

private:
    /// 401 that also takes the cookie away.
    Problem refusal(std::string_view code) const;
    void requireService(const Request& request, std::string_view handle);
    /// Ends what a refused refresh shows to be over, and says so.
    [[noreturn]] void refuse(const RefreshResult& result, const Client& client);
    void endReused(Transaction& transaction, const RefreshFamily& family, const Client& client);
    /// @throws Problem 401 `session_ended` with the cookie cleared
    std::pair<SignIn, User> requireLive(std::string_view sessionId) const;
    /// The caller's own sign-in and account.
    std::pair<SignIn, User> own(Session& session, const Caller& caller) const;

    Parts _parts;
};

} // namespace portico::identity
