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

/// Kind of value that a group of possible duplicates shares, most reliable first.
enum class DuplicateReason : std::uint8_t
{
    Email,
    Phone,
    NameAndCompany,
    MailDomain
};

/// Value that a group shares: an address, a number, a domain, or a folded name with the folded company.
using GroupKey = std::array<std::string, 2>;

/// Contact of a group.
struct GroupMember
{
    ContactId id;
    std::string foldedName;
};

/// Finds groups of contacts that share a value. Uses indexes that are sorted by these values: a full walk reads each index once. Ignores
/// deleted contacts. Has no state.
class DuplicateGroups
{
public:
    DuplicateGroups(Session& session, Tenant tenant) : _session(session), _tenant(tenant) {}

    /// Returns the next values, after one, that at least two contacts may have. Deleted contacts are counted here.
    std::vector<GroupKey> keysAfter(DuplicateReason reason, const GroupKey& key, std::int64_t limit) const;
    /// Returns contacts with the value, by id, after one of them.
    std::vector<GroupMember> membersAfter(DuplicateReason reason, const GroupKey& key, std::string_view contactId,
                                          std::int64_t limit) const;
    /// Returns the statement: $1 tenant, $2 and $3 key, $4 contact, $5 limit. It reads only contacts of the group.
    static std::string membersStatement(DuplicateReason reason);
    /// Returns false for mail domains of public hosts, and for those that many contacts share.
    bool isTelling(const std::string& domain) const;

private:
    Session& _session;
    Tenant _tenant;
};

} // namespace portico::crm
