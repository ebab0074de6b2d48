#pragma once

#include "records/Contact.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string_view>
#include <vector>

namespace portico::crm
{

/// Another contact and how sure we are that it is the same person, 0.6 to 1.
struct DuplicateMatch
{
    PossibleDuplicate contact;
    double score = 0;

    /// Same e-mail, phone or external id: sure enough to refuse a new contact, or to give the old one instead. A name never is.
    bool certain() const noexcept { return score >= 0.9; }
};

/// What an e-mail domain, shared by more contacts than that, says about them: nothing, as with a public mail host.
constexpr std::int64_t mostOfOneDomain = 200;

/// Names that are alike: Jaro-Winkler similarity from there on.
constexpr double alikeNames = 0.93;

/// Why two contacts may be the same person, and how sure that is: 0 when nothing says so.
struct Likeness
{
    double score = 0;
    /// Best reason first, as in PossibleDuplicate.
    std::vector<std::string> matchedOn;
};

/// Compares two contacts by the rules of `findDuplicates`, except that it does not know how many share a domain.
Likeness compareContacts(const Contact& left, const Contact& right);

/// All by which two contacts are alike, as a text that is another one when any of it is another; the names in the order of the arguments.
/// Empty where `compareContacts` finds nothing.
std::string whatTheyShare(const Contact& left, const Contact& right);

/// What contacts are compared by; sorted, none twice.
std::vector<std::string> emailKeysOf(const Contact& contact);
std::vector<std::string> e164NumbersOf(const Contact& contact);
/// Without public mail hosts.
std::vector<std::string> mailDomainsOf(const Contact& contact);
bool isPublicMailHost(std::string_view domain);

/// Contacts of the organization that may be the same as this one, best first: same e-mail 1, external id 1, phone 0.9, name and company
/// 0.7, similar name and the same e-mail domain, unless everybody may have an address there, 0.6.
std::vector<DuplicateMatch> findDuplicates(Session& session, Tenant tenant, const Contact& contact);

} // namespace portico::crm
