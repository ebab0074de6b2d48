#include "outbox/InvitationNews.h"

#include "outbox/WebhookStore.h"

#include "portico/Json.h"

#include <string>
#include <vector>

namespace portico::identity::webhooks
{

namespace
{

struct PendingInvitation
{
    std::string id;
    /// True for an invitation to a household, false for one to an organization.
    bool household = false;
    std::string placeName;
    std::string inviterName;
    std::string role;
    Instant expiresAt{};
};

constexpr auto schemaOf(const PendingInvitation*)
{
    return describe(members<&PendingInvitation::id, &PendingInvitation::household, &PendingInvitation::placeName,
                            &PendingInvitation::inviterName, &PendingInvitation::role, &PendingInvitation::expiresAt>());
}

struct InvitationNews
{
    std::vector<PendingInvitation> pending;
};

constexpr auto schemaOf(const InvitationNews*) { return describe(members<&InvitationNews::pending>()); }

} // namespace

void announceInvitations(Transaction& transaction, Events& events, std::string_view userId, Instant now)
{
    if (userId.empty()) return;
    InvitationNews news;
    const auto address = transaction.value<std::string>("SELECT email_key FROM users WHERE id = $1 AND email_verified", userId);
    if (address)
        for (Row row : transaction.query(
                 "SELECT i.id, o.name, u.display_name, i.role, i.expires_at, FALSE FROM invitations i JOIN organizations o ON o.id = "
                 "i.organization_id JOIN users u ON u.id = i.invited_by WHERE i.email_key = $1 AND i.status = 'pending' AND "
                 "i.expires_at > $2 AND o.status = 'active' UNION ALL "
                 "SELECT i.id, h.name, u.display_name, i.role, i.expires_at, TRUE FROM household_invitations i JOIN households h ON "
                 "h.id = i.household_id JOIN users u ON u.id = i.invited_by WHERE i.email_key = $1 AND i.status = 'pending' AND "
                 "i.expires_at > $2 AND h.status = 'active' ORDER BY 1",
                 *address, now))
            news.pending.push_back({row.get<std::string>(0), row.get<bool>(5), row.get<std::string>(1), row.get<std::string>(2),
                                    row.get<std::string>(3), row.get<Instant>(4)});
    publish(transaction, events, {.type = "user.invitations_changed", .id = std::string(userId), .details = toJson(news)});
}

} // namespace portico::identity::webhooks
