#pragma once

#include "organizations/Memberships.h"
#include "scim/Listing.h"
#include "users/User.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity::scim
{

using GroupId = Id<"grp">;

/// Member of an organization for its directory: account, membership, and the directory's data.
struct Person
{
    UserId id;
    std::string email;
    std::string displayName;
    std::string givenName;
    std::string familyName;
    std::string locale;
    std::string timezone;
    UserStatus userStatus = UserStatus::Active;
    std::optional<PlatformRole> platformRole;
    Role role = Role::Member;
    MembershipStatus membershipStatus = MembershipStatus::Active;
    Instant joinedAt{};
    Instant membershipUpdatedAt{};
    std::optional<std::string> userName;
    std::optional<std::string> externalId;
    std::optional<std::string> attributes;
    std::optional<Instant> profileUpdatedAt;

    bool active() const noexcept { return membershipStatus == MembershipStatus::Active && userStatus == UserStatus::Active; }
};

constexpr auto schemaOf(const Person*)
{
    return describe(members<&Person::id, &Person::email, &Person::displayName, &Person::givenName, &Person::familyName, &Person::locale,
                            &Person::timezone, &Person::userStatus, &Person::platformRole, &Person::role, &Person::membershipStatus,
                            &Person::joinedAt, &Person::membershipUpdatedAt, &Person::userName, &Person::externalId, &Person::attributes,
                            &Person::profileUpdatedAt>())
        .named("ScimPerson");
}

/// Groups of a person: id and name.
using GroupNames = std::vector<std::pair<std::string, std::string>>;

/// Rows of people: members that are persons, active or suspended.
namespace people
{
std::optional<Person> find(Session& session, const OrganizationId& organization, const UserId& id);
/// In the order of their ids.
std::vector<Person> page(Session& session, const OrganizationId& organization, const std::string& behindId, std::int64_t most);
/// From a place in that order.
std::vector<Person> slice(Session& session, const OrganizationId& organization, std::int64_t offset, std::int64_t most);
std::int64_t count(Session& session, const OrganizationId& organization);
/// Finds people by the directory's name, ignoring case.
std::vector<Person> byUserName(Session& session, const OrganizationId& organization, std::string_view userName);
std::vector<Person> byExternalId(Session& session, const OrganizationId& organization, std::string_view externalId);

std::map<std::string, GroupNames, std::less<>> groupsOf(Session& session, const OrganizationId& organization,
                                                        const std::vector<Person>& persons);

/// Stores the directory's data: user name, external id, and the rest of the resource as JSON.
void keep(Transaction& transaction, const OrganizationId& organization, const UserId& id, const boost::json::object& resource, Instant now);

/// The resource of RFC 7643, 4.1, with its entity tag in `meta`.
boost::json::object resource(const Person& person, const GroupNames& groups, std::string_view base);
} // namespace people

/// Returns the entity tag of a resource: `meta.version`.
std::string versionOf(const boost::json::object& resource);
/// Checks an If-Match, or the `version` of a bulk operation. Empty matches. @throws Problem 412
void requireVersion(std::string_view ifMatch, const boost::json::object& resource);

} // namespace portico::identity::scim
