#pragma once

#include "scim/Filter.h"

#include "portico/Problem.h"

#include <optional>
#include <string_view>

namespace portico::identity::scim
{

/// What a path of a PATCH leads to: `emails[type eq "work"].value` (RFC 7644, 3.5.2).
struct PatchTarget
{
    AttributePath path;
    std::optional<Filter> filter;
    /// Behind the brackets, or behind the dot.
    const Attribute* part = nullptr;

    const Attribute& last() const noexcept { return part != nullptr ? *part : *path.attribute; }
    /// Whether the attribute, or the part of it, is read-only.
    bool isReadOnly() const noexcept;
    /// Whether the server alone sets it: `id`, `meta`, `schemas`.
    bool isOfServer() const noexcept;
};

/// A path as it was read. A value.
struct PatchPath
{
    enum class Form : std::uint8_t
    {
        Known,
        /// Written as a path, of an attribute or an extension that the kind does not have.
        Unknown,
        Malformed
    };
    Form form = Form::Malformed;
    /// Of a known one.
    PatchTarget target = {};

    /// @throws Problem 400 `invalidFilter` for what the brackets of a known attribute contain
    static PatchPath parse(std::string_view text, const ResourceKind& kind);
    /// 400 `invalidPath`
    static Problem invalid();
};

} // namespace portico::identity::scim
