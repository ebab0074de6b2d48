#pragma once

#include "contacts/Contact.h"

#include "portico/Database.h"

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

/// Contacts of the organization that may be the same as this one, best first: same e-mail 1, external id 1, phone 0.9, name and company
/// 0.7, similar name and the same e-mail domain, unless everybody may have an address there, 0.6.
std::vector<DuplicateMatch> findDuplicates(Session& session, std::string_view organizationId, const Contact& contact);

} // namespace portico::crm
