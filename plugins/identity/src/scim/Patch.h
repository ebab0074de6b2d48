#pragma once

#include "audit/Audit.h"
#include "scim/Resource.h"

#include <functional>

namespace portico::identity::scim
{

/// Cost of a request's patches, and the paths that were skipped. Each operation on a list evaluates its filter for every value. Not
/// thread-safe: belongs to one request.
class PatchBudget
{
public:
    /// @throws Problem 400 `tooMany`
    void spend(std::size_t looks);
    /// Records a path that was skipped.
    void passOver(std::string_view path);
    void forgetNotes() noexcept { _passedOver.clear(); }
    /// Returns details for the audit log: `{"ignored":[…]}` with the skipped paths, or an empty object.
    AuditDetails details() const;

private:
    std::size_t _left = 2'000'000;
    std::vector<std::string> _passedOver;
};

/// Applies the operations of a PATCH (RFC 7644, 3.5.2) in order. If it throws, the resource must be discarded.
/// Also accepts common deviations of large providers: `Add`, booleans as texts, members named like paths, a list of values to remove beside
/// the path, and a change of a missing value, which adds it.
/// Skips and records a valid path without a target. A PATCH that sets `active` to false skips every operation that cannot be applied: a
/// wrong mapping must not keep a person active. @param patch the body: `Operations`. @throws Problem 400 `invalidSyntax`, `invalidPath`,
/// `invalidValue`, `noTarget`, `mutability`, `invalidFilter`, `tooMany`
void applyPatch(boost::json::object& resource, const boost::json::object& patch, const ResourceKind& kind, PatchBudget& budget);

/// Function that applies a request to a resource.
using Edit = std::function<boost::json::object(const boost::json::object& before)>;
/// PUT: replaces the resource by the normalized input.
Edit replacement(const boost::json::object& sent, const ResourceKind& kind);
/// PATCH: applies the operations, and normalizes the result. Must not outlive `sent` and `budget`.
Edit patching(const boost::json::object& sent, const ResourceKind& kind, PatchBudget& budget);

} // namespace portico::identity::scim
