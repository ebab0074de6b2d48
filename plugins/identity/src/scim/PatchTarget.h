#pragma once

#include "scim/Filter.h"

#include "portico/Problem.h"

#include <optional>
#include <string_view>

namespace portico::identity::scim
{

/// Target of a PATCH path: `emails[type eq "work"].value` (RFC 7644, 3.5.2).
struct PatchTarget
{
    AttributePath path;
    std::optional<Filter> filter;
    /// Sub-attribute after the brackets or the dot.
    const Attribute* part = nullptr;

    const Attribute& last() const noexcept { return part != nullptr ? *part : *path.attribute; }
    /// Returns true if the attribute or its sub-attribute is read-only.
    bool isReadOnly() const noexcept;
    /// Returns true for attributes that only the server sets: `id`, `meta`, `schemas`.
    bool isOfServer() const noexcept;
};

/// Parsed path. A value.
struct PatchPath
{
    enum class Form : std::uint8_t
    {
        Known,
        /// Well-formed path of an attribute or an extension that the kind does not have.
        Unknown,
        Malformed
    };
    Form form = Form::Malformed;
    /// Set for a known path.
    PatchTarget target = {};

    /// @throws Problem 400 `invalidFilter` for an invalid filter in the brackets of a known attribute
    static PatchPath parse(std::string_view text, const ResourceKind& kind);
    /// Returns 400 `invalidPath`.
    static Problem invalid();
};

} // namespace portico::identity::scim
