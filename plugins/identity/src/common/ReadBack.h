#pragma once

#include "portico/Schema.h"

#include <string_view>

namespace portico::identity
{

/// A base of inputs that are not the record itself: what an answer shows of it may be sent back, and is ignored.
struct ReadBack
{
    Json shown;
};

/// Members of an input that the answer has and nobody sets.
template <class Input, class... Names>
constexpr auto readBack(Names... names)
{
    return describe(field(names, static_cast<Json Input::*>(&Input::shown)).readOnly()...);
}

/// The same of every record that has versions.
template <class Input, class... Names>
constexpr auto readBackVersioned(Names... names)
{
    return readBack<Input>(names..., "createdAt", "updatedAt", "version");
}

} // namespace portico::identity
