#pragma once

#include "audit/Audit.h"
#include "scim/Resource.h"

#include <functional>

namespace portico::identity::scim
{

/// What the patches of one request cost, and what of them was passed over. Each operation on a list looks at every value of it, as often as
/// its filter has parts. Not thread-safe: it belongs to one request.
class PatchBudget
{
public:
    /// @throws Problem 400 `tooMany`
    void spend(std::size_t looks);
    /// Notes a path that has no effect here.
    void passOver(std::string_view path);
    void forgetNotes() noexcept { _passedOver.clear(); }
    /// For the audit trail: `{"ignored":[…]}` with the paths that were passed over, or an empty object.
    AuditDetails details() const;

private:
    std::size_t _left = 2'000'000;
    std::vector<std::string> _passedOver;
};

/// Applies the operations of a PATCH (RFC 7644, 3.5.2) to a resource, in their order. All or none: what it throws leaves a resource that is
/// thrown away.
/// Reads also what large providers send beside the standard: `Add`, booleans as texts, values under names that are paths, a list of what
/// to remove beside the path, and a change of a value that does not exist yet, which makes it.
/// Passes over a path of the right form that names nothing here, and notes it. A PATCH that sets `active` to false passes over every
/// operation that cannot be applied: a wrong mapping must not keep a person active.
/// @param patch the body: `Operations`.
/// @throws Problem 400 `invalidSyntax`, `invalidPath`, `invalidValue`, `noTarget`, `mutability`, `invalidFilter`, `tooMany`
void applyPatch(boost::json::object& resource, const boost::json::object& patch, const ResourceKind& kind, PatchBudget& budget);

/// What a request makes of a resource.
using Edit = std::function<boost::json::object(const boost::json::object& before)>;
/// PUT: what was sent, in the form in which it is kept.
Edit replacement(const boost::json::object& sent, const ResourceKind& kind);
/// PATCH: what the operations make of it, read as what is sent. Lives no longer than `sent` and `budget`.
Edit patching(const boost::json::object& sent, const ResourceKind& kind, PatchBudget& budget);

} // namespace portico::identity::scim
