#pragma once

#include "portico/Schema.h"

#include <string_view>

namespace portico::identity
{

/// Base of inputs that differ from their record: members that only answers have may be sent, and are ignored.
struct IgnoredOnInput
{
    Json shown;
};

/// Describes members of an answer that inputs ignore.
template <class Input, class... Names>
constexpr auto readBack(Names... names)
{
    return describe(field(names, static_cast<Json Input::*>(&Input::shown)).readOnly()...);
}

/// Does the same for records with versions.
template <class Input, class... Names>
constexpr auto readBackVersioned(Names... names)
{
    return readBack<Input>(names..., "createdAt", "updatedAt", "version");
}

} // namespace portico::identity
