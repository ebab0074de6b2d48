#pragma once

#include "common/Core.h"
#include "factors/Factors.h"

#include "portico/RateLimit.h"

#include <functional>
#include <string_view>

namespace portico::identity
{

/// Judges what somebody sends as a second factor, under the limits of guessing. Thread-safe.
class SecondFactors
{
public:
    explicit SecondFactors(Core& core);

    /// Whether this code of an app, or of recovery, is right; it is used up by that. Of many that send one code at once, one is right.
    /// @throws Problem 429 `too_many_attempts`
    bool prove(const UserId& user, FactorKind kind, std::string_view code);
    /// Counts a try of the account, whatever looks at it, and gives it back when it was right: what works is not limited.
    /// @throws Problem 429 `too_many_attempts`
    bool limited(const UserId& user, const std::function<bool()>& matches) const;
    /// Lets the account try at once again.
    void unlock(const UserId& user) const;

private:
    bool useTotp(Transaction& transaction, const UserId& user, std::string_view code) const;

    Core& _core;
    RateLimit _ofAccount;
};

} // namespace portico::identity
