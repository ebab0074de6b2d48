#pragma once

#include "records/Contact.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string_view>
#include <vector>

namespace portico::crm
{

/// Another contact, and the probability that it is the same person, 0.6 to 1.
struct DuplicateMatch
{
    PossibleDuplicate contact;
    double score = 0;

    /// Returns true for the same e-mail, phone or external id. This suffices to reject a new contact or to return the old one; a name never
    /// does.
    bool certain() const noexcept { return score >= 0.9; }
};

/// Maximum contacts of an e-mail domain. A domain with more of them is ignored, like a public mail host.
constexpr std::int64_t maxOfOneDomain = 200;

/// Minimum Jaro-Winkler similarity of two names that are similar.
constexpr double alikeNames = 0.93;

/// Result of comparing two contacts; score 0: no similarity.
struct Likeness
{
    double score = 0;
    /// Best reason first, like in PossibleDuplicate.
    std::vector<std::string> matchedOn;
};

/// Compares two contacts by the rules of `findDuplicates`, but without counting contacts of a domain.
Likeness compareContacts(const Contact& left, const Contact& right);

/// Returns a fingerprint of everything that two contacts have in common: it changes when any of it changes. Names are in the order of the
/// arguments. Empty if `compareContacts` finds nothing.
std::string whatTheyShare(const Contact& left, const Contact& right);

/// Return the keys by which contacts are compared; sorted, without duplicates.
std::vector<std::string> emailKeysOf(const Contact& contact);
std::vector<std::string> e164NumbersOf(const Contact& contact);
/// Excludes public mail hosts.
std::vector<std::string> mailDomainsOf(const Contact& contact);
bool isPublicMailHost(std::string_view domain);

/// Returns contacts of the organization that may be the same person, best first. Scores: same e-mail or external id 1, phone 0.9, name and
/// company 0.7, similar name and the same non-public e-mail domain 0.6.
std::vector<DuplicateMatch> findDuplicates(Session& session, Tenant tenant, const Contact& contact);

} // namespace portico::crm
