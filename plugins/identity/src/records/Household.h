#pragma once

#include "common/Ids.h"
#include "common/Names.h"
#include "common/OneTimeRows.h"

#include "portico/Arguments.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

enum class HouseholdRole : std::uint8_t
{
    Manager,
    Adult,
    Child,
    Viewer
};

constexpr auto schemaOf(const HouseholdRole*)
{
    using enum HouseholdRole;
    return portico::choices<HouseholdRole>({{"manager", Manager}, {"adult", Adult}, {"child", Child}, {"viewer", Viewer}});
}

/// A household as one of its members sees it in lists, and as the one that they have chosen.
struct MyHousehold
{
    HouseholdId id;
    std::string name;
    HouseholdRole myRole = HouseholdRole::Viewer;
};

constexpr auto schemaOf(const MyHousehold*) { return describe(members<&MyHousehold::id, &MyHousehold::name, &MyHousehold::myRole>()); }

struct HouseholdMember : Versioned
{
    UserId userId;
    std::string displayName;
    HouseholdRole role = HouseholdRole::Adult;
    std::string status = "active";
    Instant joinedAt{};
};

constexpr auto schemaOf(const HouseholdMember*)
{
    return describe(field<&HouseholdMember::userId>().readOnly(), field<&HouseholdMember::displayName>().readOnly().transient(),
                    field<&HouseholdMember::role>(), field<&HouseholdMember::status>().readOnly(),
                    field<&HouseholdMember::joinedAt>().readOnly(), versioned<HouseholdMember>());
}

inline constexpr Table householdMemberTable{"household_members", {.tenant = "household_id"}, &HouseholdMember::userId};

/// People who live together and share what services keep for households.
struct Household : Versioned
{
    HouseholdId id;
    std::string name;
    UserId ownerUserId;
    std::string status = "active";

    /// Filled in for whom it is shown to.
    HouseholdRole myRole = HouseholdRole::Viewer;
    std::int64_t memberCount = 0;
    std::vector<HouseholdMember> members;
};

constexpr auto schemaOf(const Household*)
{
    return describe(field<&Household::id>().readOnly(), named(field<&Household::name>().required().trimmed().maxLength(80)),
                    field<&Household::ownerUserId>().readOnly(), field<&Household::status>().readOnly(),
                    field<&Household::myRole>().readOnly().transient(), field<&Household::memberCount>().readOnly().transient(),
                    field<&Household::members>().readOnly().transient(), versioned<Household>());
}

inline constexpr GlobalTable householdTable{"households", {.where = "status = 'active'"}, &Household::id};

/// Invitation to a household. Stores only the hash of the link's token.
struct HouseholdInvitation : Versioned
{
    Id<"inv"> id;
    std::string email;
    HouseholdRole role = HouseholdRole::Adult;
    std::string status = "pending";
    UserId invitedBy;
    Instant expiresAt{};

    HouseholdId householdId;
    std::string emailKey;
    std::string tokenHash;
    /// User who has accepted it.
    std::optional<UserId> userId;
};

constexpr auto schemaOf(const HouseholdInvitation*)
{
    return describe(field<&HouseholdInvitation::id>(), field<&HouseholdInvitation::householdId>().transient(),
                    members<&HouseholdInvitation::email, &HouseholdInvitation::role, &HouseholdInvitation::status,
                            &HouseholdInvitation::invitedBy, &HouseholdInvitation::expiresAt>(),
                    versioned<HouseholdInvitation>(), field<&HouseholdInvitation::emailKey>().columnOnly(),
                    field<&HouseholdInvitation::tokenHash>().columnOnly(), field<&HouseholdInvitation::userId>().columnOnly());
}

inline constexpr Table householdInvitationTable{"household_invitations", {.tenant = "household_id"}, &HouseholdInvitation::id};
inline constexpr OneTimeRows householdInvitationSecrets("household_invitations", "token_hash", &HouseholdInvitation::status, "pending",
                                                        "household_id", &HouseholdInvitation::householdId);

/// Rows of households. Every function works in the session that it is given.
namespace households
{
inline constexpr std::int64_t maxOfOnePerson = 5;

inline Tenant tenantOf(const HouseholdId& id) noexcept { return Tenant::fromStored(id.text()); }
std::vector<MyHousehold> ofUser(Session& session, const UserId& userId);
/// Returns the household that a user has selected in personal context; none if there is none, or if they have left it.
std::optional<MyHousehold> selectedBy(Session& session, const UserId& userId);
/// Returns the household for that user. @throws Problem 404 if they are not a member
Household show(Session& session, const HouseholdId& id, const UserId& userId);
/// Returns true if an account may invite people with any role: an active manager with an active account.
bool mayInvite(Session& session, const HouseholdId& id, const UserId& sender);
/// Changes a member's role under the household's lock. Revokes the invitations of a member who is no longer a manager.
/// @throws Problem 404, 409 `version_conflict`, 409 `last_manager`
HouseholdMember changeMember(Transaction& transaction, const HouseholdId& id, const UserId& userId, const IfMatch& match,
                             const Patch<HouseholdMember>& patch, Instant now);
/// Removes a member, their selection of the household, and their invitations.
void removeMember(Transaction& transaction, const HouseholdId& id, const UserId& userId, Instant now);
/// Removes members, invitations and the name. The row stays, because records of services refer to it.
void dissolve(Transaction& transaction, const HouseholdId& id, Instant now);
/// @throws Problem 409 `last_manager` if there is no other manager
void requireAnotherManager(Session& session, const HouseholdId& id, const UserId& userId);
/// @throws Problem 409 `household_limit_reached`
void requireRoom(Session& session, const UserId& userId);
} // namespace households

} // namespace portico::identity
