#pragma once

#include "scim/People.h"

namespace portico::identity::scim
{

/// The address that a directory gives a person: the primary one; else the first that is for work or for no stated use; else the userName
/// when it is an address; else the first of all. Empty: none.
std::string addressIn(const boost::json::object& resource);
/// The same of a person who needs one. @throws Problem 400 `invalidValue`
std::string requireAddress(const boost::json::object& resource);

/// Whether the address is in a domain that the organization has proved.
bool isOwnDomain(Session& session, const OrganizationId& organization, std::string_view email);

/// Names of the account as the directory has them.
struct AccountNames
{
    explicit AccountNames(const boost::json::object& resource);
    std::string displayOr(std::string_view email) const;

    std::string display;
    std::string given;
    std::string family;
};

/// Gives the account these names, where there are any and they differ.
void renameAccount(Transaction& transaction, const Person& person, const AccountNames& names, Instant now);

/// Gives the account the address that the directory has changed. Both addresses must be in proved domains of the organization. Mails that
/// went to the old address for a new password or address become useless.
/// @throws Problem 400 `invalidValue`, 403 `outranked`, 409 `uniqueness` for the address of another account
void moveAccount(Transaction& transaction, const Call& call, const Person& person, const std::string& address, Instant now);

} // namespace portico::identity::scim
