#pragma once

#include "host/routing/table/RouteTable.h"

#include "portico/Caller.h"
#include "portico/Crypto.h"
#include "portico/Logger.h"
#include "portico/Request.h"
#include "portico/Services.h"
#include "portico/system/Credentials.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace portico::host::routing
{

/// The explicit credential of a request: what `Authorization` or `X-Api-Key` carries. A query string or a body is never looked at.
struct SentCredential
{
    CredentialKind kind = CredentialKind::None;
    std::string_view value;
    /// Null until the dispatcher has it.
    const Digest* digest = nullptr;
    /// Sent under the scheme DPoP: with a proof that the sender has the key that it is bound to.
    bool bound = false;
    /// That proof was accepted earlier in the same request. It is valid once and is not checked again.
    bool proven = false;
};

/// SHA-256 of the last credential, so that a repeated credential is not hashed again: hashing costs more than all other checks of a known
/// caller. The time of the comparison may reveal the first differing block of 16 bytes or more; an attacker cannot guess that much of a
/// signature or a key. Used by one thread at a time.
class CredentialDigest
{
public:
    const Digest& of(std::string_view credential)
    {
        if (!_text.empty() && credential == _text) return _digest;
        _text.clear();
        _digest = sha256(credential);
        _text = credential;
        return _digest;
    }

private:
    std::string _text;
    Digest _digest;
};

/// Finds the provider of `portico::interfaces::Credentials`; called for each protected request, on many threads at once.
using CredentialsFinder = std::function<Leased<interfaces::Credentials>()>;

/// The stage that authenticates the caller. The host does not judge a credential: it asks the provider each time, and rejects the request
/// when it cannot ask (fail closed). Thread-safe.
class Authentication
{
public:
    Authentication(CredentialsFinder find, Logger& log) : _find(std::move(find)), _log(log) {}

    /// Returns the request's credential if the route accepts its kind, without asking the provider. Of kind `None` if its cookies are its
    /// credential. @throws Problem 400, 401 and 403.
    static SentCredential find(const Request& request, const RouteEntry& entry, const RouteTable& table);

    /// Returns the caller; an anonymous one for cookies. @throws Problem 401, 403 and 503 `validation_unavailable`.
    std::shared_ptr<const Caller> authenticate(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                               const Site& site) const;

    /// The same where the answer is known without waiting for anything; null otherwise, also for all that would be refused.
    std::shared_ptr<const Caller> validateCached(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                                 const Site& site) const noexcept;

    /// Builds the question for the provider.
    static interfaces::Credential question(const SentCredential& sent, const Request& request, const RouteEntry& entry,
                                           const Site& site) noexcept;
    /// Asks it. @throws as authenticate
    std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) const;

    /// @throws Problem 403 `step_up_required`, 503 `validation_unavailable`
    void requireFreshProof(const Caller& caller) const;

private:
    /// Calls a function with the provider, and answers 503 if there is none or if it fails.
    template <class Question>
    auto ask(Question&& question) const -> std::invoke_result_t<Question, interfaces::Credentials&>;

    CredentialsFinder _find;
    Logger& _log;
};

} // namespace portico::host::routing
