#pragma once

#include "content/ContentItem.h"

#include <string>
#include <vector>

namespace portico::social
{

/// Actions that a state allows, in the order in which a client shows them (2.A.4).
enum class Action : std::uint8_t
{
    Edit,
    Approve,
    Reject,
    Schedule,
    PublishNow,
    Submit,
    Reschedule,
    RevertToDraft,
    Cancel,
    ViewOnPlatform,
    MarkPublished,
    Retry,
    Reconnect,
    Duplicate,
    Delete
};
constexpr auto schemaOf(const Action*)
{
    using enum Action;
    return portico::choices<Action>({{"edit", Edit},
                                     {"approve", Approve},
                                     {"reject", Reject},
                                     {"schedule", Schedule},
                                     {"publish_now", PublishNow},
                                     {"submit", Submit},
                                     {"reschedule", Reschedule},
                                     {"revert_to_draft", RevertToDraft},
                                     {"cancel", Cancel},
                                     {"view_on_platform", ViewOnPlatform},
                                     {"mark_published", MarkPublished},
                                     {"retry", Retry},
                                     {"reconnect", Reconnect},
                                     {"duplicate", Duplicate},
                                     {"delete", Delete}});
}

/// Returns the actions that the state of an item allows, independent of the caller.
std::vector<Action> actionsOf(const ContentItem& item);
bool allows(const ContentItem& item, Action action);

/// Returns the word for the state of an item in a refusal: the publish status, or without one the approval state.
std::string stateName(const ContentItem& item);

/// Rights of a caller's credential.
struct Rights
{
    /// Set for approvals; empty: not a person.
    std::string userId;
    /// True for a person's token: routes of posts and accounts.
    bool writesPosts = false;
    bool writesAccounts = false;
    bool writesContent = false;
    bool reschedules = false;
    bool approves = false;
};

struct SafeAction
{
    Action action = Action::Edit;
    std::string method;
    /// Path on this service; for `view_on_platform` the address of the post.
    std::string path;
    /// Required members of the body.
    std::vector<std::string> requirements;
    bool operator==(const SafeAction&) const = default;
};
constexpr auto schemaOf(const SafeAction*)
{
    return describe(members<&SafeAction::action, &SafeAction::method, &SafeAction::path>(),
                    field<&SafeAction::requirements>("requires").omitEmpty().description("Members that the body must have"));
}

/// Returns what the state allows and the caller may do.
std::vector<SafeAction> safeActionsOf(const ContentItem& item, const Rights& rights);

} // namespace portico::social
