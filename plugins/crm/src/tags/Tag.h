#pragma once

#include "Ids.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Tag in use. Tags are texts of contacts, without separate records: a tag exists as long as a contact has it. Comparison is exact: `vip`
/// and `VIP` are two tags.
struct Tag
{
    std::string name;
    std::int64_t contactCount = 0;
    bool operator==(const Tag&) const = default;
};

constexpr auto schemaOf(const Tag*)
{
    return describe(field<&Tag::name>().required().maxLength(50), field<&Tag::contactCount>().readOnly());
}

/// Query of GET /api/tags.
struct TagFilter
{
    std::string q;
};

constexpr auto schemaOf(const TagFilter*)
{
    return describe(field<&TagFilter::q>().maxLength(200).description("Part of the name, without regard to case and accents"));
}

// Tags that only deleted contacts have are left out.

/// Tags by name, regardless of case and accents; ties by bytes.
Page<Tag> listTags(Session& session, Tenant tenant, const TagFilter& filter, const Paging& paging);
/// Counts the contacts with a tag.
std::int64_t countTag(Session& session, Tenant tenant, const std::string& name);
/// Returns the next contacts with a tag after one of them, including deleted ones.
std::vector<ContactId> contactsWithTag(Session& session, Tenant tenant, std::string_view tag, std::string_view after, std::int64_t limit);

} // namespace portico::crm
