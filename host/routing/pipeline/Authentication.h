#pragma once

#include "host/routing/pipeline/SentCredential.h"
#include "host/routing/table/RouteTable.h"

#include "portico/Caller.h"
#include "portico/Logger.h"
#include "portico/Services.h"
#include "portico/interfaces/Credentials.h"

#include <functional>
#include <memory>
#include <string_view>

namespace portico::host::routing
{

/// Finds the provider of `portico::interfaces::Credentials`; called for each protected request, on many threads at once.
using CredentialsFinder = std::function<Leased<interfaces::Credentials>()>;

/// The stage that answers who calls. The host has no opinion of its own about a credential: it asks the provider each time, and refuses
/// when it cannot ask (fail closed). Thread-safe.
class Authentication
{
public:
    Authentication(CredentialsFinder find, Logger& log) : _find(std::move(find)), _log(log) {}

    /// The credential that the request sends, where the route takes it: what can be said without asking anybody. Of kind `None` if its
    /// cookies are its credential. @throws Problem 400, 401 and 403.
    static SentCredential find(const Request& request, const RouteEntry& entry, const RouteTable& table);

    /// Who sends it: `Caller::nobody` for cookies. @throws Problem 401, 403 and 503 `validation_unavailable`.
    std::shared_ptr<const Caller> authenticate(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                               const Site& site) const;

    /// The same where the answer is known without waiting for anything; null otherwise, also for all that would be refused.
    std::shared_ptr<const Caller> validateCached(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                 const Site& site) const noexcept;

    /// The service that a token must be for.
    static std::string_view audience(const Request& request, const RouteEntry& entry, const Site& site) noexcept;

    /// What the provider is asked.
    static interfaces::Credential question(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                           const Site& site) noexcept;
    /// Asks it. @throws as authenticate @param requestId For the log, if it fails.
    std::shared_ptr<const Caller> validate(const interfaces::Credential& credential, std::string_view requestId) const;

private:
    CredentialsFinder _find;
    Logger& _log;
};

} // namespace portico::host::routing
