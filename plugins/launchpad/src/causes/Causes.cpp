#include "causes/Causes.h"

#include "portico/Json.h"

#include <optional>
#include <string>

namespace portico::launchpad
{

namespace
{
/// The members of `details` that events about API keys have.
struct KeyDetails
{
    std::string name;
    std::string ownerType;
    std::string ownerId;
    std::optional<Instant> expiresAt;
};

constexpr auto schemaOf(const KeyDetails*)
{
    return describe(field<&KeyDetails::name>(), field<&KeyDetails::ownerType>("owner_type"), field<&KeyDetails::ownerId>("owner_id"),
                    field<&KeyDetails::expiresAt>());
}

constexpr ActionKind keyKinds[] = {ActionKind::ApiKeyExpiring, ActionKind::ApiKeyScopeRemoved, ActionKind::LeakedKey};

std::string causeOf(ActionKind kind, const std::string& id) { return std::string(toString(kind)) + ':' + id; }

std::string titleOf(ActionKind kind, const std::string& name)
{
    const auto key = name.empty() ? std::string("An API key") : "API key \"" + name + '"';
    if (kind == ActionKind::LeakedKey) return key + " was published: replace it";
    return key + (kind == ActionKind::ApiKeyExpiring ? " expires soon" : " has lost scopes");
}

/// The owner of an action about a key: the organization, or the person for a key in personal context. Empty if the event names neither.
std::string ownerOf(const Event& event, const KeyDetails& key)
{
    if (!event.organizationId.empty()) return event.organizationId;
    return UserId::parse(key.ownerId) ? key.ownerId : std::string();
}
} // namespace

Causes::Causes(PluginContext& context, ActionQueue& queue) : _context(context), _queue(queue)
{
    ActionEffect lasting;
    lasting.dismissible = false;
    for (const auto kind : {ActionKind::RecoveryEmailUnverified, ActionKind::LeakedKey}) _queue.on(kind, lasting);
}

void Causes::start()
{
    auto& events = _context.events();
    events.subscribe("identity.api_key.expiring", [this](const Event& event) { keyNeedsCare(event, ActionKind::ApiKeyExpiring); });
    events.subscribe("identity.api_key.leaked", [this](const Event& event) { keyNeedsCare(event, ActionKind::LeakedKey); });
    events.subscribe("identity.api_key.scopes_removed",
                     [this](const Event& event) { keyNeedsCare(event, ActionKind::ApiKeyScopeRemoved); });
    events.subscribe("identity.api_key.revoked", [this](const Event& event) { keyEnded(event); });
    for (const auto* type : {"identity.user.recovery_email_set", "identity.user.recovery_email_removed"})
        events.subscribe(type, [this](const Event& event) { recoveryEmailChanged(event, false); });
    events.subscribe("identity.user.recovery_email_verified", [this](const Event& event) { recoveryEmailChanged(event, true); });
}

void Causes::keyNeedsCare(const Event& event, ActionKind kind) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto key = fromStoredJson<KeyDetails>(change.details.text == "null" ? "{}" : change.details.text);
    const auto owner = ownerOf(event, key);
    if (owner.empty() || change.id.empty()) return;
    const bool ofPerson = key.ownerType == "user" || owner.starts_with("usr_");
    Action action;
    action.kind = kind;
    action.severity = kind == ActionKind::LeakedKey ? Severity::Critical : Severity::Warning;
    action.title = titleOf(kind, key.name);
    action.source = {"identity", "api_key", change.id};
    action.assigneeType = ofPerson ? AssigneeType::User : AssigneeType::Role;
    action.assigneeId = ofPerson ? key.ownerId : "admin";
    action.href = "/settings/api-keys";
    action.dueAt = key.expiresAt;
    action.expiresAt = key.expiresAt;
    action.dedupeKey = causeOf(kind, change.id);
    _context.database().transact([&](Transaction& transaction) { _queue.open(transaction, Tenant::fromStored(owner), action, "system"); });
}

void Causes::keyEnded(const Event& event) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto key = fromStoredJson<KeyDetails>(change.details.text == "null" ? "{}" : change.details.text);
    const auto owner = ownerOf(event, key);
    if (owner.empty()) return;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto kind : keyKinds)
                _queue.close(transaction, Tenant::fromStored(owner), causeOf(kind, change.id), "The key was revoked.");
        });
}

void Causes::recoveryEmailChanged(const Event& event, bool verified) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto person = UserId::parse(change.id.empty() ? change.actor.id : change.id);
    if (!person) return;
    const auto cause = causeOf(ActionKind::RecoveryEmailUnverified, person->text());
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (verified)
            {
                _queue.close(transaction, *person, cause, "The address was verified.");
                return;
            }
            Action action;
            action.kind = ActionKind::RecoveryEmailUnverified;
            action.severity = Severity::Warning;
            action.title = "Verify your recovery e-mail address";
            action.source = {"identity", "recovery_email", person->text()};
            action.assigneeType = AssigneeType::User;
            action.assigneeId = person->text();
            action.href = "/settings/recovery-email";
            action.dedupeKey = cause;
            _queue.open(transaction, *person, std::move(action), "system");
        });
}

} // namespace portico::launchpad
