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

/// Query of GET /api/tags.
struct TagFilter
{
    std::string q;
};

/// Answer of DELETE /api/tags/{tag}.
struct DeletedTag
{
    std::string name;
    bool deleted = true;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::Tag>
{
    using T = portico::crm::Tag;
    static constexpr auto fields =
        describe(field("name", &T::name).required().maxLength(50), field("contactCount", &T::contactCount).readOnly());
};

template <>
struct portico::Schema<portico::crm::TagFilter>
{
    using T = portico::crm::TagFilter;
    static constexpr auto fields =
        describe(field("q", &T::q).maxLength(200).description("A part of the name, in which case and accents do not matter"));
};

template <>
struct portico::Schema<portico::crm::DeletedTag>
{
    using T = portico::crm::DeletedTag;
    static constexpr auto fields = describe(field("name", &T::name), field("deleted", &T::deleted));
};
