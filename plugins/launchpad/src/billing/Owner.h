#pragma once

#include "common/Ids.h"

#include "portico/Plugin.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::launchpad
{

enum class OwnerType : std::uint8_t
{
    User,
    Organization,
    Household
};

constexpr auto schemaOf(const OwnerType*)
{
    using enum OwnerType;
    return portico::choices<OwnerType>({{"user", User}, {"organization", Organization}, {"household", Household}});
}

/// Owner of a checkout or a subscription. Both texts are empty before it is claimed.
struct Owner
{
    std::string type;
    std::string id;

    bool known() const noexcept { return !id.empty(); }
    bool isOrganization() const noexcept { return type == toString(OwnerType::Organization); }
    bool operator==(const Owner&) const = default;
};

/// Owner from two texts; an unknown one if the ID is not an ID of the type.
Owner ownerOf(std::string_view type, std::string_view id);

/// Rights of a caller on an owner's purchases.
enum class OwnerRight : std::uint8_t
{
    Read,
    Manage
};

/// Returns whether a caller has a right on an owner: a person on what belongs to them, members with the permission on their active
/// organization, managers on their households.
bool mayBill(PluginContext& context, const Caller& caller, const Owner& owner, OwnerRight right);
/// @throws Problem 403 `billing_permission_required`
void requireBilling(PluginContext& context, const Caller& caller, const Owner& owner, OwnerRight right);
/// Returns the default owner of a caller: the active organization, or the user.
Owner activeOwner(const Caller& caller);
/// The organization whose actions an owner's administrators see, or the person. Unknown for a household.
Owner actionOwner(const Owner& owner);

} // namespace portico::launchpad
