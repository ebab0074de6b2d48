#include "installs/Assignment.h"

#include <algorithm>
#include <tuple>

namespace portico::launchpad
{

bool fits(const Assignment& rule, std::string_view userId, std::string_view role)
{
    switch (rule.subjectType)
    {
    case SubjectType::User:
        return rule.subjectId == userId;
    case SubjectType::Role:
        return rule.subjectId == role;
    default:
        return role != "guest";
    }
}

std::optional<EffectiveRule> strongest(const std::vector<Assignment>& rules, std::string_view userId, std::string_view role)
{
    std::vector<const Assignment*> fitting;
    for (const auto& rule : rules)
        if (fits(rule, userId, role)) fitting.push_back(&rule);
    if (fitting.empty()) return std::nullopt;
    EffectiveRule effective;
    effective.mode = (*std::ranges::max_element(fitting, {}, [](const Assignment* rule) { return rule->mode; }))->mode;
    std::erase_if(fitting, [&](const Assignment* rule) { return rule->mode != effective.mode; });
    std::ranges::sort(fitting, {}, [](const Assignment* rule) { return std::pair(rule->subjectType, rule->id.text()); });
    for (const auto* rule : fitting) effective.because.push_back(rule->id.text());
    return effective;
}

} // namespace portico::launchpad
