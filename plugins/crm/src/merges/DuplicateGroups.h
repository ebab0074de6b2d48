#pragma once

#include "contacts/ContactStore.h"

#include "portico/Tenant.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What a group of possible duplicates has in common, the surest first.
enum class DuplicateReason : std::uint8_t
{
    Email,
    Phone,
    NameAndCompany,
    MailDomain
};

/// The value that a group shares: an address, a number, a domain, or a folded name with the folded company.
using GroupKey = std::array<std::string, 2>;

/// A contact of a group.
struct GroupMember
{
    ContactId id;
    std::string foldedName;
};

/// The groups of contacts with a value in common, by indexes that are sorted by these values: walking through all of them reads each index
/// once. Deleted contacts are in no group. Holds SQL only.
class DuplicateGroups
{
public:
    DuplicateGroups(Session& session, Tenant tenant) : _session(session), _tenant(tenant) {}

    /// The next values, after one, that at least two contacts may have (deleted ones are counted here).
    std::vector<GroupKey> keysAfter(DuplicateReason reason, const GroupKey& key, std::int64_t limit) const;
    /// Contacts that have the value, by id, after one of them.
    std::vector<GroupMember> membersAfter(DuplicateReason reason, const GroupKey& key, std::string_view contactId,
                                          std::int64_t limit) const;
    /// Its statement: $1 tenant, $2 and $3 key, $4 contact, $5 limit. Reads no contact that is not of the group.
    static std::string membersStatement(DuplicateReason reason);
    /// Whether sharing that mail domain says anything: not with a public host, nor with one that many contacts have.
    bool isTelling(const std::string& domain) const;

private:
    Session& _session;
    Tenant _tenant;
};

} // namespace portico::crm
