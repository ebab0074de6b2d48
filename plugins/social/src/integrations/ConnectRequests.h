#pragma once

#include "integrations/Integration.h"

#include <optional>
#include <string>

namespace portico::social
{

/// Body of POST /api/integrations/{platform}/connect.
struct ConnectBody
{
    std::optional<std::string> brandId;
    std::optional<std::string> returnUrl;
    std::string instanceUrl;
    std::string identifier;
    std::string appPassword;
    std::string url;
    std::string secret;
};

constexpr auto schemaOf(const ConnectBody*)
{
    return describe(field("brandId", &ConnectBody::brandId).maxLength(64),
                    field("returnUrl", &ConnectBody::returnUrl)
                        .maxLength(2000)
                        .description("A path or URL of this origin to which the browser returns; needed where a network asks the person"),
                    field("instanceUrl", &ConnectBody::instanceUrl)
                        .trimmed()
                        .maxLength(2000)
                        .description("Mastodon: the account's server; Bluesky: its PDS, which is found by the identifier"),
                    field("identifier", &ConnectBody::identifier).trimmed().maxLength(320).description("Bluesky: handle or DID"),
                    field("appPassword", &ConnectBody::appPassword).writeOnly().maxLength(500).description("Bluesky: an app password"),
                    field("url", &ConnectBody::url).trimmed().maxLength(2000).description("Webhook: where posts are sent"),
                    field("secret", &ConnectBody::secret)
                        .writeOnly()
                        .maxLength(500)
                        .description("Webhook: what signs requests; default: one is made and shown once"));
}

/// Answer of a connect: an account, or where the browser has to go.
struct ConnectAnswer
{
    std::optional<Integration> integration;
    std::optional<std::string> secret;
    std::optional<std::string> authorizationUrl;
    std::optional<std::string> state;
    std::optional<Instant> expiresAt;
};

constexpr auto schemaOf(const ConnectAnswer*)
{
    return describe(
        field("integration", &ConnectAnswer::integration).omitEmpty(),
        field("secret", &ConnectAnswer::secret).omitEmpty().description("Webhook: the signing secret that was made; not shown again"),
        field("authorizationUrl", &ConnectAnswer::authorizationUrl).omitEmpty().description("Where the person allows the access"),
        field("state", &ConnectAnswer::state).omitEmpty(), field("expiresAt", &ConnectAnswer::expiresAt).omitEmpty());
}

/// Why a network cannot be connected; `details` of 409 `provider_not_connectable`.
struct NotConnectable
{
    Platform platform = Platform::Webhook;
    Readiness readiness = Readiness::Planned;
    std::vector<ReadinessReason> reasons;
};

constexpr auto schemaOf(const NotConnectable*)
{
    return describe(field("platform", &NotConnectable::platform), field("readiness", &NotConnectable::readiness),
                    field("reasons", &NotConnectable::reasons));
}

/// A person on the way to a network and back, in the state store.
struct StartedConnect
{
    std::string organizationId;
    BrandId brandId;
    Platform platform = Platform::Webhook;
    std::string userId;
    std::string displayName;
    /// Hash of the cookie of the browser that may come back.
    std::string browser;
    std::string returnUrl;
    /// What the connector needs to finish, sealed.
    std::string keep;
};

constexpr auto schemaOf(const StartedConnect*)
{
    return describe(field("organizationId", &StartedConnect::organizationId), field("brandId", &StartedConnect::brandId),
                    field("platform", &StartedConnect::platform), field("userId", &StartedConnect::userId),
                    field("displayName", &StartedConnect::displayName), field("browser", &StartedConnect::browser),
                    field("returnUrl", &StartedConnect::returnUrl), field("keep", &StartedConnect::keep));
}

} // namespace portico::social
