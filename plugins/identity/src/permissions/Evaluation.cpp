#include "permissions/Evaluation.h"

#include <algorithm>

namespace portico::identity
{

std::string_view Decision::decidedBy() const
{
    if (obstacle != Obstacle::None) return toString(obstacle);
    if (byBypass) return "platform_bypass";
    if (!denies.empty()) return "user_override_deny";
    if (!bundles.empty()) return "role_bundle";
    return allows.empty() ? "not_granted" : "user_override_allow";
}

bool Evaluation::Index::gives(std::string_view permission) const
{
    return std::ranges::binary_search(names, permission) ||
           std::ranges::any_of(patterns, [&](std::string_view pattern) { return covers(pattern, permission); });
}

Evaluation::Evaluation(const CatalogService& service, const EvaluationInput& input, Instant now)
    : _service(service), _input(input), _now(now), _obstacle(identity::obstacle(service, input)), _bundles(bundlesIn(service, input))
{
    std::erase_if(_bundles, [&](const RoleBundle& bundle) { return std::ranges::find(bundle.roles, input.role) == bundle.roles.end(); });
    for (const auto& bundle : _bundles)
    {
        auto& index = _index.emplace_back();
        for (const auto& name : bundle.permissions) (name.find('*') == std::string::npos ? index.names : index.patterns).push_back(name);
        std::ranges::sort(index.names);
    }
}

Decision Evaluation::of(std::string_view permission) const
{
    Decision decision;
    decision.obstacle = _obstacle;
    for (std::size_t i = 0; i < _index.size(); ++i)
        if (_index[i].gives(permission)) decision.bundles.push_back(i);
    for (const auto& entry : _input.userOverrides)
        if (entry.holds(_now) && entry.concerns(permission))
            (entry.effect == Effect::Allow ? decision.allows : decision.denies).push_back(&entry);
    decision.byBypass = _input.platformBypass;
    const bool given = (!decision.bundles.empty() || !decision.allows.empty()) && decision.denies.empty();
    decision.allowed = _obstacle == Obstacle::None && (decision.byBypass || given);
    return decision;
}

std::vector<std::string> Evaluation::given(std::size_t bundle) const
{
    std::vector<std::string> found;
    for (const auto& permission : _service.all())
        if (_index[bundle].gives(permission)) found.push_back(permission);
    return found;
}

} // namespace portico::identity
