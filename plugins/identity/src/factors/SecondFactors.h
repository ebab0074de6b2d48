#pragma once

#include "common/Core.h"
#include "factors/Factors.h"

#include "portico/RateLimit.h"

#include <functional>
#include <string_view>

namespace portico::identity
{

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
    /// Resets the account's limit.
    void unlock(const UserId& user) const;

private:
    bool useTotp(Transaction& transaction, const UserId& user, std::string_view code) const;

    Core& _core;
    RateLimit _ofAccount;
};

} // namespace portico::identity
