#include "causes/Reconcile.h"

#include <algorithm>
#include <string>
#include <utility>

namespace portico::launchpad
{

namespace
{
/// Returns whether a waiting action has this cause. An invitation that was sent again expires later, so its action is another one.
bool isSame(const Action& waiting, const Action& wanted)
{
    return waiting.dedupeKey == wanted.dedupeKey && waiting.expiresAt == wanted.expiresAt;
}
} // namespace

void reconcile(PluginContext& context, const ActionQueue& queue, Tenant tenant, const std::vector<ActionKind>& kinds,
               std::string_view assigneeId, std::vector<Action> wanted, std::string_view why)
{
    std::vector<Action> waiting;
    {
        auto session = context.database().session();
        waiting = actionTable.select(tenant)
                      .whereIn(&Action::kind, kinds)
                      .where(&Action::assigneeType, AssigneeType::User)
                      .where(&Action::assigneeId, std::string(assigneeId))
                      .where("status IN ('open', 'snoozed')")
                      .all(session);
    }
    std::vector<std::string> ended;
    for (const auto& action : waiting)
        if (std::ranges::none_of(wanted, [&](const Action& each) { return isSame(action, each); })) ended.push_back(action.dedupeKey);
    std::erase_if(wanted, [&](const Action& action)
                  { return std::ranges::any_of(waiting, [&](const Action& each) { return isSame(each, action); }); });
    if (ended.empty() && wanted.empty()) return;
    context.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& cause : ended) queue.close(transaction, tenant, cause, why);
            for (const auto& action : wanted) queue.open(transaction, tenant, action, "system");
        });
}

} // namespace portico::launchpad
