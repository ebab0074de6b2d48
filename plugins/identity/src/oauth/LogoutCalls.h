#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "sessions/SignIn.h"

#include "portico/Jobs.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Job: a call to the client of a sign-in that has ended.
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
