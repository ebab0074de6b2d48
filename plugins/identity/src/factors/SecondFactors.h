#pragma once

#include "common/Core.h"
#include "factors/Factors.h"

#include "portico/RateLimit.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

class AuditLog;

/// Verifies second factors, with rate limits against guessing. Thread-safe.
class SecondFactors
{
public:
    explicit SecondFactors(Core& core);

    /// Verifies and consumes the code of an app, or a recovery code. Of concurrent requests with the same code, one succeeds.
    /// @throws Problem 429 `too_many_attempts`
    bool prove(const UserId& user, FactorKind kind, std::string_view code);
    /// Counts an attempt of the account for any factor. A successful attempt is not counted. @throws Problem 429 `too_many_attempts`
    bool limited(const UserId& user, const std::function<bool()>& matches) const;
    /// Verifies the first code of an app that is not stored yet, and counts the attempt. Returns the period of the code; none if it is
    /// wrong.
    /// @param secret sealed as in `TotpFactor` @throws Problem 429 `too_many_attempts`
    std::optional<std::int64_t> firstStep(const UserId& user, std::string_view secret, std::string_view code) const;
    /// Stores an app whose first code was verified. Records it, sends the mail, and returns new recovery codes.
    std::vector<std::string> add(Transaction& transaction, const UserId& user, const TotpFactor& app, const AuditLog& log) const;
    /// Resets the account's limit.
    void unlock(const UserId& user) const;

private:
    bool useTotp(Transaction& transaction, const UserId& user, std::string_view code) const;

    Core& _core;
    RateLimit _ofAccount;
};

} // namespace portico::identity
