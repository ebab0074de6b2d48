#pragma once

#include "tags/Tag.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What the contacts' tags say. Every statement names the organization, and a tag that only deleted contacts have is not there. Holds SQL
/// only, so one object serves all threads.
class TagStore
{
public:
    /// Tags by name, regardless of case and accents; ties by bytes.
    Page<Tag> list(Session& session, Tenant tenant, const TagFilter& filter, const Paging& paging) const;
    std::int64_t count(Session& session, Tenant tenant, const std::string& tag) const;
    /// The next contacts that have a tag, deleted ones as well, after one of them.
    std::vector<std::string> contactsAfter(Session& session, Tenant tenant, std::string_view tag, std::string_view contactId,
                                           std::int64_t limit) const;

private:
    using Counts = std::map<std::string, std::int64_t>;
    std::vector<std::string> names(Session& session, Tenant tenant) const;
    Counts counts(Session& session, Tenant tenant, const std::vector<std::string>& tags) const;
};

} // namespace portico::crm
