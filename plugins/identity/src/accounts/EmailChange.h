#pragma once

#include "accounts/AccountMails.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Change of an address, stored with the token of its mail.
struct EmailChange
{
    UserId userId;
    std::string from;
    std::string to;
    /// Time of the change request, for links that restore the old address. Empty in links of earlier versions.
    std::optional<Instant> requestedAt = {};
};

constexpr auto schemaOf(const EmailChange*)
{
    return describe(members<&EmailChange::userId, &EmailChange::from, &EmailChange::to, &EmailChange::requestedAt>());
}

/// Consequences of a change of an address. Every function works in the given transaction.
namespace email_changes
{
/// Notifies the old address of a change, with a link that restores it for seven days.
void tellOld(Transaction& transaction, const AccountMails& mails, const EmailChange& change, Instant requestedAt, Instant now);
/// Moves the developer's applications from the old address to the new one, so that exports and deletions find them. Does nothing for an
/// unverified old address. A developer record stays if the new address has one already, because each address has at most one.
/// @param before the account with the old address
void moveRecords(Transaction& transaction, const User& before, const std::string& email, Instant now);
} // namespace email_changes

} // namespace portico::identity
