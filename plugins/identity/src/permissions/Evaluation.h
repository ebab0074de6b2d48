#pragma once

#include "permissions/Evaluator.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// What decides about one permission.
struct Decision
{
    bool allowed = false;
    bool byBypass = false;
    Obstacle obstacle = Obstacle::None;
    /// Bundles of the role that name it, by their place in `Evaluation::bundles`.
    std::vector<std::size_t> bundles;
    /// Overrides that hold now and cover it.
    std::vector<const PermissionOverride*> allows;
    std::vector<const PermissionOverride*> denies;

    /// `role_bundle`, `user_override_allow`, `platform_bypass`; when refused `user_override_deny`, `not_granted` or the obstacle.
    std::string_view decidedBy() const;
};

/// The judgement of `effectivePermissions`, permission by permission and with what it rests on. Lives no longer than the service and the
/// input that it was made from. Used by one thread.
class Evaluation
{
public:
    Evaluation(const CatalogService& service, const EvaluationInput& input, Instant now);
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;

    const CatalogService& service() const noexcept { return _service; }
    const EvaluationInput& input() const noexcept { return _input; }
    Obstacle obstacle() const noexcept { return _obstacle; }
    /// Those that name the role, as the organization has them.
    const std::vector<RoleBundle>& bundles() const noexcept { return _bundles; }
    /// @param permission one of the service's catalog.
    Decision of(std::string_view permission) const;
    /// What a bundle gives, patterns expanded.
    std::vector<std::string> given(std::size_t bundle) const;

private:
    /// A bundle's names, sorted, and its patterns.
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
