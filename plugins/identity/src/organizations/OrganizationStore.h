#pragma once

#include "organizations/Organization.h"

#include "portico/Database.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Rows of organizations, memberships and of which services an organization may use.
namespace organizations
{
/// 2 to 40 lower-case letters, digits and single hyphens between them.
bool isSlug(std::string_view text) noexcept;

std::optional<Organization> find(Session& session, std::string_view id);
std::optional<Organization> findBySlug(Session& session, std::string_view slug);
/// The organization whose members alone can hold a platform role.
std::optional<Organization> findAdmin(Session& session);
void insert(Session& session, const Organization& organization);

std::optional<Membership> findMembership(Session& session, std::string_view organizationId, std::string_view userId);
void insertMembership(Session& session, const Membership& membership);
void setRole(Session& session, const Membership& membership, Role role, Instant now);
/// Active memberships in active organizations, by when they began.
std::vector<MyOrganization> ofUser(Session& session, std::string_view userId);
/// Active member of the active admin organization now.
bool isOperator(Session& session, std::string_view userId);

void grantService(Session& session, std::string_view organizationId, std::string_view serviceId, Instant now);
/// Gives a service to all organizations there are.
void grantToAll(Session& session, std::string_view serviceId, Instant now);
bool hasService(Session& session, std::string_view organizationId, std::string_view serviceId);
} // namespace organizations

} // namespace portico::identity
