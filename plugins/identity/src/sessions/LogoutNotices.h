#pragma once

#include "sessions/SignIn.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Addresses at which the client of a sign-in is notified of its end.
struct LogoutUris
{
    /// The browser opens it in a frame (OpenID Connect Front-Channel Logout).
    std::optional<std::string> frontchannel;
    /// Identity calls it (OpenID Connect Back-Channel Logout).
    std::optional<std::string> backchannel;
};

/// Clients are notified of the end of a sign-in.
namespace logout_notices
{
/// Reads the addresses of a registered client, or those in the manifest of the service whose pages the client is.
LogoutUris urisOf(Session& session, const SignIn& signIn);
/// Stores, in the transaction that ends a sign-in, that its client gets a call by back channel. `LogoutCalls` makes the call.
void note(Session& session, const SignIn& ended, Instant now);
/// Returns addresses that the browser opens in frames, so that clients delete what they keep in it (OpenID Connect Front-Channel Logout,
/// 3).
std::vector<std::string> frontchannel(Session& session, const std::vector<std::string>& endedIds, std::string_view issuer);
} // namespace logout_notices

} // namespace portico::identity
