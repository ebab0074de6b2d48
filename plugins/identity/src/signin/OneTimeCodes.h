#pragma once

#include "common/Core.h"
#include "common/OneTimeSecrets.h"
#include "sessions/SignIn.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Codes that open one thing once. Until then they are in the StateStore; that they were used is a row, kept for hours, so that who comes
/// second is known for that, and what the first got can be taken away (RFC 6749, 4.1.2). Only hashes are kept. Thread-safe.
class OneTimeCodes
{
public:
    /// @param use of the StateStore: `sso-code`.
    OneTimeCodes(Core& core, std::string_view use) : _core(core), _waiting(core.state, use) {}

    struct Entry
    {
        std::string payload;
        bool expired = false;
        Instant expiresAt{};
    };
    struct Used
    {
        std::string sessionId;
        std::string userId;
        /// Whoever used it, in a form of the caller's: a hash of what it presented.
        std::string presenter;
        Instant at{};
    };

    std::string issue(std::string_view payload, std::chrono::seconds life) const;
    /// What a code stands for; it stays. Codes that ran out are known for some minutes more.
    std::optional<Entry> look(std::string_view code) const;
    std::optional<Used> used(std::string_view code) const;
    /// In the transaction of what it opens. False: somebody else was first.
    bool use(Transaction& transaction, std::string_view code, const SignIn& signIn, std::string_view presenter) const;
    /// After that transaction: the row says it all now.
    void forget(std::string_view code) const;

    /// Drops rows that nobody needs any more.
    static void sweep(Transaction& transaction, Instant now);

private:
    Core& _core;
    OneTimeSecrets<std::string> _waiting;
};

} // namespace portico::identity
