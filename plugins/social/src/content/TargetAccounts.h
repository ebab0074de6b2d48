#pragma once

#include "content/Post.h"

#include "portico/Faults.h"

namespace portico::social
{

/// A page or group of an account, as far as a target needs it.
struct TargetPage
{
    std::string externalId;
    std::string name;
    bool eligible = true;
    std::string ineligibleReason;
};
constexpr auto schemaOf(const TargetPage*)
{
    return describe(members<&TargetPage::externalId, &TargetPage::name, &TargetPage::eligible, &TargetPage::ineligibleReason>());
}

/// The members of an integration that content reads.
struct TargetAccount
{
    IntegrationId integrationId;
    BrandId brandId;
    Platform platform = Platform::Bluesky;
    std::string accountType;
    std::string externalId;
    std::string displayName;
    std::string handle;
    std::string avatarUrl;
    /// `connected`, `reconnect_required` or `disconnected`.
    std::string connectionState;
    std::vector<TargetPage> pages;
    std::vector<TargetPage> groups;
};
constexpr auto schemaOf(const TargetAccount*)
{
    using A = TargetAccount;
    return describe(field<&A::integrationId>().column("id"),
                    members<&A::brandId, &A::platform, &A::accountType, &A::externalId, &A::displayName, &A::handle, &A::avatarUrl,
                            &A::connectionState, &A::pages, &A::groups>());
}

/// For reading only.
inline constexpr Table targetAccountTable{"integration", &TargetAccount::brandId, &TargetAccount::integrationId};

/// Checks the object members of a target, and fills in their missing values.
void checkTarget(Target& target, const std::string& path, std::vector<FieldError>& errors);

/// Fills a target from its account. Adds faults to `errors`, with the prefix `path` (`targets[0]`).
void resolveTarget(Session& session, Tenant tenant, const BrandId& brand, Target& target, const std::string& path,
                   std::vector<FieldError>& errors);

/// Returns the account for a suggestion of a platform: the named one, or otherwise the only connected one.
/// @return empty when there is none.
/// @throws Problem 400 `validation_failed`, `ambiguous_target`
std::optional<TargetAccount> accountFor(Session& session, Tenant tenant, const BrandId& brand, Platform platform,
                                        const std::optional<IntegrationId>& named);

} // namespace portico::social
