#pragma once

#include "portico/Faults.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Requirements of an organization for sign-ins and keys in its context.
struct SecurityPolicy
{
    bool mfaRequired = false;
    std::int64_t maxSessionHours = 720;
    std::int64_t idleHours = 168;
    /// Allowed methods: `password`, `passkey`, or `idp:` and the id of a provider; none: all.
    std::vector<std::string> allowedLoginMethods = {"password", "passkey"};
    std::int64_t apiKeyMaxDays = 365;
    /// Networks from which its context can be used; none: all.
    std::vector<std::string> ipAllowList;
    bool operator==(const SecurityPolicy&) const = default;
};

/// Checks that login methods exist, and that addresses are networks.
void checkPolicy(const SecurityPolicy& policy, Faults& faults, const std::string& path);

constexpr auto schemaOf(const SecurityPolicy*)
{
    return describe(field<&SecurityPolicy::mfaRequired>(), field<&SecurityPolicy::maxSessionHours>().range(1, 2160),
                    field<&SecurityPolicy::idleHours>().range(1, 720), field<&SecurityPolicy::allowedLoginMethods>().maxItems(20),
                    field<&SecurityPolicy::apiKeyMaxDays>().range(1, 3650), field<&SecurityPolicy::ipAllowList>().maxItems(100))
        .checkedBy(checkPolicy);
}

/// Returns true if sign-ins may begin with that method (RFC 8176).
bool allowsMethod(const SecurityPolicy& policy, const std::vector<std::string>& amr);

/// Returns true if a sign-in satisfies `mfaRequired`: it proved two factors here, or at a provider whose word is accepted (RFC 8176).
bool hasSecondFactor(const std::vector<std::string>& amr, std::string_view acr);

/// Checks a sign-in with those methods (RFC 8176), from that address, against the policy.
/// @throws Problem 403 `org_policy_ip_not_allowed`, `login_method_not_allowed`, `use_identity_provider` if only providers are allowed,
/// `org_policy_mfa_required`
void requirePolicy(const SecurityPolicy& policy, const std::vector<std::string>& amr, std::string_view acr, std::string_view address);

} // namespace portico::identity
