#include "scim/DirectoryAccount.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "common/Names.h"
#include "scim/Provisioning.h"
#include "users/OneTimeTokens.h"

#include "portico/Http.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity::scim
{

namespace
{

bool isAddress(std::string_view text) noexcept
{
    const auto at = text.find('@');
    const bool shaped = text.size() <= 254 && at != std::string_view::npos && at > 0 && text.rfind('@') == at;
    return shaped && std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

Problem addressNeeded() { return Problem::badRequest("invalidValue", "A person needs an e-mail address: in emails, or as the userName."); }

} // namespace

std::string addressIn(const boost::json::object& resource)
{
    std::string primary;
    std::string usual;
    std::string any;
    if (const auto* emails = resource.if_contains("emails"); emails != nullptr && emails->is_array())
        for (const auto& one : emails->get_array())
        {
            if (!one.is_object()) continue;
            const std::string value(trim(textOf(one.get_object(), "value")));
            if (value.empty()) continue;
            const auto* flag = one.get_object().if_contains("primary");
            if (flag != nullptr && flag->is_bool() && flag->get_bool()) primary = value;
            const auto type = textOf(one.get_object(), "type");
            if (usual.empty() && (type.empty() || equalsIgnoreCase(type, "work"))) usual = value;
            if (any.empty()) any = value;
        }
    const std::string name(trim(textOf(resource, "userName")));
    if (!primary.empty()) return primary;
    if (!usual.empty()) return usual;
    if (isAddress(name)) return name;
    return any;
}

std::string requireAddress(const boost::json::object& resource)
{
    auto address = addressIn(resource);
    if (!isAddress(address)) throw addressNeeded();
    return address;
}

bool isOwnDomain(Session& session, const OrganizationId& organization, std::string_view email)
{
    const auto key = emailKey(email);
    return session
        .value<std::int64_t>("SELECT 1 FROM organization_domains WHERE organization_id = $1 AND domain = $2 AND status = 'verified'",
                             organization, key.substr(key.rfind('@') + 1))
        .has_value();
}

AccountNames::AccountNames(const boost::json::object& resource)
    : display(names::cleanName(textOf(resource, "displayName"), 120)),
      given(names::cleanName(textOf(resource, "name", "givenName"), 80)),
      family(names::cleanName(textOf(resource, "name", "familyName"), 80))
{
    if (display.empty()) display = names::cleanName(textOf(resource, "name", "formatted"), 120);
    if (display.empty()) display = names::cleanName(given + ' ' + family, 120);
}

std::string AccountNames::displayOr(std::string_view email) const
{
    return display.empty() ? std::string(firstCharacters(email.substr(0, email.find('@')), 120)) : display;
}

void renameAccount(Transaction& transaction, const Person& person, const AccountNames& names, Instant now)
{
    const auto& display = names.display.empty() ? person.displayName : names.display;
    const bool silent = names.given.empty() && names.family.empty();
    const auto& given = silent ? person.givenName : names.given;
    const auto& family = silent ? person.familyName : names.family;
    if (display == person.displayName && given == person.givenName && family == person.familyName) return;
    userTable.set(transaction, person.id, {now}, &User::displayName, display, &User::foldedName, fold(display), &User::givenName, given,
                  &User::familyName, family, &User::revision, increment);
}

void moveAccount(Transaction& transaction, const Call& call, const AccountMails& mails, const Person& person, const std::string& address,
                 Instant now)
{
    const auto key = emailKey(address);
    if (key == emailKey(person.email)) return;
    if (!isAddress(address)) throw addressNeeded();
    // The address opens the account, which may rank higher in another organization (decision 41).
    if (!isWithinReach(transaction, person) || memberships::highestRank(transaction, person.id) >= rank(Role::SuperAdmin))
        throw Problem::forbidden("outranked", "Directories do not change the address of super admins and owners: those do it themselves.");
    if (!isOwnDomain(transaction, call.organization, person.email) || !isOwnDomain(transaction, call.organization, address))
        throw Problem::badRequest("invalidValue", "The account keeps its address: the old one and the new one must be in domains that the "
                                                  "organization has proved to be its own.");
    if (const auto holder = users::findByEmail(transaction, address))
    {
        // A registration that was never confirmed keeps nothing of the address.
        if (holder->status != UserStatus::PendingVerification || !holder->passwordHash)
            throw Problem::conflict("uniqueness", "Another account has that address.");
        email_proofs::drop(transaction, holder->id, now);
    }
    email_changes::moveRecords(transaction, users::find(transaction, person.id.text()).value(), address, now);
    userTable.set(transaction, person.id, {now}, &User::email, address, &User::emailKey, key, &User::emailVerified, true, &User::revision,
                  increment);
    one_time_tokens::revokeChanges(transaction, person.id, now);
    email_changes::tellOld(transaction, mails, {person.id, person.email, address}, now, now);
    AuditLog::of(call.request, now).record(transaction, "user.email_changed", person.id);
}

} // namespace portico::identity::scim
