#include "permissions/PlatformPower.h"

#include "records/SecurityPolicy.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity::platform_power
{

namespace
{

constexpr std::string_view providerWord = "idp:";

/// Policies of the admin organization, as far as the person is an active member there.
std::vector<SecurityPolicy> adminPolicies(Session& session, const UserId& user)
{
    std::vector<SecurityPolicy> policies;
    for (const auto& text :
         session.values<std::string>("SELECT o.security_policy FROM memberships m "
                                     "JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 "
                                     "AND m.status = 'active' AND o.kind = 'admin' AND o.status = 'active' ORDER BY o.id",
                                     user))
        policies.push_back(fromStoredJson<SecurityPolicy>(text));
    return policies;
}

PlatformPower judgedBy(const SecurityPolicy& policy, const SignInProof& proof)
{
    const auto until = proof.authTime + std::chrono::hours(policy.maxSessionHours);
    if (!allowsMethod(policy, proof.amr)) return {PowerFault::LoginMethod};
    if (policy.mfaRequired && !hasSecondFactor(proof.amr, proof.acr)) return {PowerFault::SecondFactor};
    if (until <= proof.now) return {PowerFault::Age};
    return {PowerFault::None, until, policy.ipAllowList};
}

} // namespace

PlatformPower judge(Session& session, const User& user, const std::optional<SignInProof>& proof)
{
    if (!user.platformRole) return {PowerFault::NoRole};
    const auto policies = adminPolicies(session, user.id);
    if (policies.empty()) return {PowerFault::OutsideAdminOrganization};
    if (!proof) return {PowerFault::None, std::nullopt, policies.front().ipAllowList};
    if (scopeOf(session, proof->amr).limited) return {PowerFault::OrganizationProvider};
    PlatformPower power;
    for (const auto& policy : policies)
        if (power = judgedBy(policy, *proof); power.effective()) break;
    return power;
}

SignInScope scopeOf(Session& session, const std::vector<std::string>& amr)
{
    const auto word = std::ranges::find_if(amr, [](const std::string& one) { return one.starts_with(providerWord); });
    if (word == amr.end()) return {};
    const auto provider = std::string_view(*word).substr(providerWord.size());
    auto rows = session.query("SELECT organization_id FROM identity_providers WHERE id = $1", provider);
    const auto row = rows.next();
    if (!row) return {.limited = true};
    auto organization = row->get<std::optional<OrganizationId>>(0);
    return {.limited = organization.has_value(), .organization = std::move(organization)};
}

} // namespace portico::identity::platform_power
