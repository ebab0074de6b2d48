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

/// Codes for one use. Unused codes are in the StateStore. A use is recorded in a row for hours, so that a second use is detected and what
/// the first one created can be revoked (RFC 6749, 4.1.2). Only hashes are stored. Thread-safe.
class OneTimeCodes
{
public:
    /// @param use namespace in the StateStore: `sso-code`
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
        /// Identifies the client that used it; the caller defines the form.
        std::string presenter;
        Instant at{};
    };

    std::string issue(std::string_view payload, std::chrono::seconds life) const;
    /// Returns the content of a code without using it. Expired codes are returned for some minutes.
    std::optional<Entry> look(std::string_view code) const;
    std::optional<Used> used(std::string_view code) const;
    /// Call it in the transaction of the code's effect. Returns false if another request was first.
    bool use(Transaction& transaction, std::string_view code, const SignIn& signIn, std::string_view presenter) const;
    /// Call it after that transaction: the row suffices from then on.
    void forget(std::string_view code) const;

    /// Deletes expired rows.
    static void sweep(Transaction& transaction, Instant now);

private:
    Core& _core;
    OneTimeSecrets<std::string> _waiting;
};

} // namespace portico::identity
