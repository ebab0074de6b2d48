#include "billing/Owner.h"

#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view householdManager = "manager";

std::string_view permissionOf(OwnerRight right)
{
    return right == OwnerRight::Read ? "launchpad.billing:read" : "launchpad.billing:manage";
}

bool managesHousehold(PluginContext& context, const Caller& caller, const std::string& household, OwnerRight right)
{
    const auto directory = context.services().find<interfaces::Directory>();
    if (!directory || !UserId::parse(caller.principalId)) return false;
    const auto households = directory->householdsOf(caller.principalId);
    return std::ranges::any_of(households, [&](const interfaces::DirectoryHousehold& each)
                               { return each.id == household && (right == OwnerRight::Read || each.role == householdManager); });
}
} // namespace

Owner ownerOf(std::string_view type, std::string_view id)
{
    const auto kind = parseEnum<OwnerType>(type);
    const bool fits = (kind == OwnerType::User && UserId::parse(id)) || (kind == OwnerType::Organization && OrganizationId::parse(id)) ||
                      (kind == OwnerType::Household && HouseholdId::parse(id));
    return fits ? Owner{std::string(type), std::string(id)} : Owner{};
}

bool mayBill(PluginContext& context, const Caller& caller, const Owner& owner, OwnerRight right)
{
    switch (parseEnum<OwnerType>(owner.type).value_or(OwnerType::Household))
    {
    case OwnerType::User:
        return owner.id == caller.principalId && caller.impersonatorId.empty();
    case OwnerType::Organization:
        return owner.id == caller.organizationId && caller.may(permissionOf(right));
    case OwnerType::Household:
        return managesHousehold(context, caller, owner.id, right);
    }
    return false;
}

void requireBilling(PluginContext& context, const Caller& caller, const Owner& owner, OwnerRight right)
{
    if (!mayBill(context, caller, owner, right))
        throw Problem::forbidden("billing_permission_required", "Only members who manage the owner's billing can do this.");
}

Owner activeOwner(const Caller& caller)
{
    if (caller.organizationId.empty()) return ownerOf(toString(OwnerType::User), caller.principalId);
    return ownerOf(toString(OwnerType::Organization), caller.organizationId);
}

Owner actionOwner(const Owner& owner) { return owner.type == toString(OwnerType::Household) ? Owner{} : owner; }

} // namespace portico::launchpad
