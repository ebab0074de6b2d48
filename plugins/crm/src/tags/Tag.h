#pragma once

#include "portico/Schema.h"

#include <string>

namespace portico::crm
{

/// A tag in use. Tags are texts of the contacts, not records of their own: one exists as long as a contact has it. They are compared as
/// they are: `vip` and `VIP` are two.
struct Tag
{
    std::string name;
    std::int64_t contactCount = 0;
    bool operator==(const Tag&) const = default;
};

constexpr auto schemaOf(const Tag*)
{
    return describe(field("name", &Tag::name).required().maxLength(50), field("contactCount", &Tag::contactCount).readOnly());
}

/// Query of GET /api/tags.
struct TagFilter
{
    std::string q;
};

constexpr auto schemaOf(const TagFilter*)
{
    return describe(field("q", &TagFilter::q).maxLength(200).description("A part of the name, in which case and accents do not matter"));
}

/// Answer of DELETE /api/tags/{tag}.
struct DeletedTag
{
    std::string name;
    bool deleted = true;
};

constexpr auto schemaOf(const DeletedTag*) { return describe(field("name", &DeletedTag::name), field("deleted", &DeletedTag::deleted)); }

} // namespace portico::crm
