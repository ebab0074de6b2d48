#pragma once

#include "audit/Audit.h"
#include "common/Changes.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SignIn.h"
#include "tokens/KeyRing.h"

#include "portico/Routes.h"
#include "portico/StateStore.h"

namespace portico::identity
{

enum class LogoutScope : std::uint8_t
{
    App,
    Browser,
    Everywhere
};

constexpr auto schemaOf(const LogoutScope*)
{
    using enum LogoutScope;
    return portico::choices<LogoutScope>({{"app", App}, {"browser", Browser}, {"everywhere", Everywhere}});
}

struct LogoutInput
{
    LogoutScope scope = LogoutScope::Browser;
};

constexpr auto schemaOf(const LogoutInput*) { return describe(field("scope", &LogoutInput::scope)); }

struct LogoutResult
{
    std::vector<std::string> ended;
    /// Page of identity that tells the browser's other tabs. What this call ended it comes with a ticket, good once, for a minute; without
    /// one it only says where things stand. A sign-in ends once, so it has one ticket at most.
    std::string broadcastUrl;
    std::vector<std::string> frontchannel;
};

constexpr auto schemaOf(const LogoutResult*)
{
    return describe(field("ended", &LogoutResult::ended), field("broadcastUrl", &LogoutResult::broadcastUrl),
                    field("frontchannel", &LogoutResult::frontchannel));
}

/// Signing out. The route is open and reads its credential itself, because it must not fail for a sign-in that has ended already; but only
/// one that lives ends anything, itself or others.
class LogoutRoutes
{
public:
    struct Parts
    {
        Database& database;
        Changes& changes;
        RefreshFamilies& families;
        KeyRing& keys;
        StateStore& state;
        const Cookies& cookies;
        const Audit& audit;
        const Clock& clock;
        /// Identity's own origin.
        std::string issuer;
    };
    explicit LogoutRoutes(Parts parts) : _parts(std::move(parts)) {}
    void declare(Routes& routes);

    Reply<LogoutResult> logout(const Request& request, const Body<LogoutInput>& input);

private:
    /// Id of the sign-in that the request speaks for, empty when its handle has ended. @throws Problem 401, 403 `csrf_rejected`
    std::string sessionOf(const Request& request);
    std::vector<std::string> end(const SignIn& signIn, LogoutScope scope, const Client& client);
    std::string ticketFor(const SignIn& signIn);

    Parts _parts;
    Sha256 _sha256;
};

} // namespace portico::identity
