#pragma once

#include "common/Core.h"
#include "oauth/OAuthClient.h"
#include "sessions/SignIn.h"

#include "portico/Jobs.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// What clients learn of the end of a sign-in.
namespace logout_notices
{
/// In the transaction that ends it: its client is told by back channel, if it wants to be.
void note(Session& session, const SignIn& ended, Instant now);
/// Addresses that the browser opens in frames, so that clients forget what they keep in it (OpenID Connect Front-Channel Logout, 3).
std::vector<std::string> frontchannel(Session& session, const std::vector<std::string>& endedIds, std::string_view issuer);
} // namespace logout_notices

/// A sign-in whose client is to be told.
struct LogoutCall
{
    std::string sessionId;
};

constexpr auto schemaOf(const LogoutCall*) { return describe(field<&LogoutCall::sessionId>()); }

/// Calls clients by OpenID Connect Back-Channel Logout, a moment after the change, and again with growing waits for some hours where they
/// do not answer; each time with a token that is made then and is good for two minutes. Thread-safe.
class LogoutCalls
{
public:
    explicit LogoutCalls(Core& core) : _core(core) {}
    void start();

private:
    /// Makes jobs of what was written with the changes.
    void flush();
    void call(const LogoutCall& wanted);
    std::string tokenFor(const OAuthClient& client, const SignIn& signIn) const;

    Core& _core;
};

} // namespace portico::identity
