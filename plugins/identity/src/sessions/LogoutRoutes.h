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

struct LogoutInput
{
    LogoutScope scope = LogoutScope::Browser;
};

struct LogoutResult
{
    std::vector<std::string> ended;
    /// Page of identity that tells the browser's other tabs. What this call ended it comes with a ticket, good once, for a minute; without
    /// one it only says where things stand. A sign-in ends once, so it has one ticket at most.
    std::string broadcastUrl;
    std::vector<std::string> frontchannel;
};

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

template <>
struct portico::Schema<portico::identity::LogoutScope>
{
    using E = portico::identity::LogoutScope;
    static constexpr auto choices = portico::choices<E>({{"app", E::App}, {"browser", E::Browser}, {"everywhere", E::Everywhere}});
};

template <>
struct portico::Schema<portico::identity::LogoutInput>
{
    using T = portico::identity::LogoutInput;
    static constexpr auto fields = describe(field("scope", &T::scope));
};

template <>
struct portico::Schema<portico::identity::LogoutResult>
{
    using T = portico::identity::LogoutResult;
    static constexpr auto fields =
        describe(field("ended", &T::ended), field("broadcastUrl", &T::broadcastUrl), field("frontchannel", &T::frontchannel));
};
