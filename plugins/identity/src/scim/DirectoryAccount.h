#pragma once

#include "accounts/EmailChange.h"
#include "scim/People.h"

namespace portico::identity::scim
{

/// Returns the address of a directory's person: the primary one; else the first for work or without a type; else the userName if it is an
/// address; else the first one. Empty: none.
std::string addressIn(const boost::json::object& resource);
/// Does the same for a person who must have one. @throws Problem 400 `invalidValue`
std::string requireAddress(const boost::json::object& resource);

/// Returns true if the address is in a domain that the organization has verified.
bool isOwnDomain(Session& session, const OrganizationId& organization, std::string_view email);

/// Names of an account from the directory.
struct AccountNames
{
    explicit AccountNames(const boost::json::object& resource);
    std::string displayOr(std::string_view email) const;

    std::string display;
    std::string given;
    std::string family;
};

/// Sets the account's names if there are any and they differ.
void renameAccount(Transaction& transaction, const Person& person, const AccountNames& names, Instant now);

/// Sets an address that the directory has changed. Both addresses must be in verified domains of the organization. Invalidates pending
/// mails to the old address for a new password or address, and notifies it by a mail that can restore it.
/// @throws Problem 400 `invalidValue`, 403 `outranked` for super admins and owners of any organization, 409 `uniqueness` for the address of
/// another account
void moveAccount(Transaction& transaction, const Call& call, const AccountMails& mails, const Person& person, const std::string& address,
                 Instant now);

} // namespace portico::identity::scim
