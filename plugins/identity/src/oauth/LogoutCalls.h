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

/// Job that calls the client of an ended sign-in.
struct LogoutCall
{
    std::string sessionId;
};

constexpr auto schemaOf(const LogoutCall*) { return describe(field<&LogoutCall::sessionId>()); }

/// Notifies clients by OpenID Connect Back-Channel Logout shortly after the change. Retries with backoff for some hours. Each call has a
/// new token, valid for two minutes. Thread-safe.
class LogoutCalls
{
public:
    explicit LogoutCalls(Core& core) : _core(core) {}
    void start();

private:
    /// Enqueues jobs for the calls that changes have recorded.
    void flush();
    void call(const LogoutCall& wanted);
    std::string tokenFor(const OAuthClient& client, const SignIn& signIn) const;

    Core& _core;
};

} // namespace portico::identity
