#pragma once

#include <string_view>

namespace portico::identity
{

/// Lists the events that identity records in the audit trail, each followed by a space. `tests/identity/audit-kinds.txt` lists the details
/// of their entries.
inline constexpr std::string_view auditEvents =
    // clang-format off
    "account.linked account.unlinked "
    "agent.created agent.removed agent.updated "
    "api_key.created api_key.leaked api_key.revoked api_key.rotated api_key.scopes_removed api_key.updated "
    "app.status_changed app.submitted "
    "app_handoff.consumed app_handoff.issued app_handoff.revoked "
    "developer.applied developer.status_changed "
    "household.created household.deleted household.invitation_revoked household.invited household.joined "
    "household.member_changed household.member_removed household.selected household.updated "
    "identity_provider.created identity_provider.removed identity_provider.updated "
    "invitation.accepted invitation.created invitation.declined invitation.resent invitation.revoked "
    "landing_config.changed "
    "membership.changed membership.joined_by_domain membership.joined_by_provider membership.provisioned membership.removed "
    "mfa.factor_removed mfa.recovery_codes_renewed mfa.totp_activated "
    "oauth_client.created oauth_client.deleted oauth_client.secret_rotated oauth_client.updated "
    "oauth_consent.granted oauth_consent.withdrawn "
    "organization.created organization.deleted organization.deletion_planned organization.domain_claimed "
    "organization.domain_given_up organization.domain_lost organization.domain_verified organization.ownership_transferred "
    "organization.updated "
    "passkey.counter_went_back passkey.registered passkey.removed "
    "permission_override.created permission_override.removed permission_override.updated "
    "role_bundle.changed role_bundle.reset "
    "scim.group_created scim.group_deleted scim.group_updated scim.user_updated "
    "service.completed service.incomplete service.manifest_changed service.onboarded service.registered "
    "service.status_changed "
    "service_access.changed service_access.removed "
    "session.code_reuse_detected session.created session.elevated session.ended session.ended_by_provider session.logged_out "
    "session.refresh_reuse_detected session.refused session.revoked "
    "signing_keys.rotated "
    "user.created user.credentials_removed user.data_erased user.deleted user.deletion_cancelled user.deletion_planned "
    "user.email_change_cancelled user.email_change_requested user.email_changed user.email_reverted user.export_requested "
    "user.exported user.impersonated user.joined user.password_changed user.password_reset user.password_reset_requested "
    "user.recovery_email_removed user.recovery_email_set user.recovery_email_verified user.registered "
    "user.registration_expired user.registration_refused user.registration_repeated user.security_changed user.updated "
    "user.verification_refused user.verified "
    "webhook.created webhook.removed webhook.updated "
    "workspace.active workspace.revoked workspace.suspended ";
// clang-format on

/// Name of an event of the audit trail. The compiler rejects a literal that `auditEvents` lacks.
class EventName
{
public:
    consteval EventName(const char* literal) : _text(literal) // NOLINT(google-explicit-constructor): a literal is a name
    {
        for (auto rest = auditEvents; !rest.starts_with(_text) || rest[_text.size()] != ' '; rest.remove_prefix(rest.find(' ') + 1))
            if (rest.empty()) throw "add the name to auditEvents";
    }
    /// For an event of another plugin, which is not checked.
    explicit constexpr EventName(std::string_view text) noexcept : _text(text) {}

    constexpr std::string_view text() const noexcept { return _text; }
    bool operator==(const EventName&) const = default;

private:
    std::string_view _text;
};

} // namespace portico::identity
