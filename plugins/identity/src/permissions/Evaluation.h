#pragma once

#include "permissions/Evaluator.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Decision about one permission.
struct Decision
{
    bool allowed = false;
    bool byBypass = false;
    Obstacle obstacle = Obstacle::None;
    /// Bundles of the role that contain it, as indexes of `Evaluation::bundles`.
    std::vector<std::size_t> bundles;
    /// Overrides that are valid now and cover it.
    std::vector<const PermissionOverride*> allows;
    std::vector<const PermissionOverride*> denies;

    /// Reason: `role_bundle`, `user_override_allow`, `platform_bypass`; if refused `user_override_deny`, `not_granted` or the obstacle.
    std::string_view decidedBy() const;
};

/// Computes `effectivePermissions` permission by permission, with reasons. Must not outlive the service and the input. Used by one thread.
class Evaluation
{
public:
    Evaluation(const CatalogService& service, const EvaluationInput& input, Instant now);
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;

    const CatalogService& service() const noexcept { return _service; }
    const EvaluationInput& input() const noexcept { return _input; }
    Obstacle obstacle() const noexcept { return _obstacle; }
    /// Returns the bundles that name the role, with the organization's changes.
    const std::vector<RoleBundle>& bundles() const noexcept { return _bundles; }
    /// @param permission in the service's catalog
    Decision of(std::string_view permission) const;
    /// Returns the permissions of a bundle, with expanded patterns.
    std::vector<std::string> given(std::size_t bundle) const;

private:
    /// Sorted names of a bundle, and its patterns.
    struct Index
    {
        std::vector<std::string_view> names;
        std::vector<std::string_view> patterns;
        bool gives(std::string_view permission) const;
    };

    const CatalogService& _service;
    const EvaluationInput& _input;
    Instant _now;
    Obstacle _obstacle;
    std::vector<RoleBundle> _bundles;
    std::vector<Index> _index;
};

} // namespace portico::identity
