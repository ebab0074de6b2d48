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
    return describe(field<&ConnectBody::brandId>().maxLength(64),
                    field<&ConnectBody::returnUrl>().maxLength(2000).description(
                        "Path or URL of this origin to which the browser returns; required for networks with a sign-in page"),
                    field<&ConnectBody::instanceUrl>().trimmed().maxLength(2000).description(
                        "Mastodon: the account's server; Bluesky: its PDS, which is found by the identifier"),
                    field<&ConnectBody::identifier>().trimmed().maxLength(320).description(
                        "Bluesky: handle or DID; LinkedIn: number of an organization; Facebook: name or number of a page"),
                    field<&ConnectBody::appPassword>().writeOnly().maxLength(500).description(
                        "Bluesky: an app password. Without one the user signs in at the server, which requires https on this server"),
                    field<&ConnectBody::url>().trimmed().maxLength(2000).description("Webhook: URL that receives posts"),
                    field<&ConnectBody::secret>().writeOnly().maxLength(500).description(
                        "Webhook: signing secret; default: generated and returned once"));
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
    return describe(field<&ConnectAnswer::integration>().omitEmpty(),
                    field<&ConnectAnswer::secret>().omitEmpty().description("Webhook: the generated signing secret; returned only once"),
                    field<&ConnectAnswer::authorizationUrl>().omitEmpty().description("URL at which the user grants access"),
                    field<&ConnectAnswer::state>().omitEmpty(), field<&ConnectAnswer::expiresAt>().omitEmpty());
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
    return describe(members<&NotConnectable::platform, &NotConnectable::readiness, &NotConnectable::reasons>());
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
    /// Sealed data that the connector needs to finish.
    std::string keep;
};

constexpr auto schemaOf(const StartedConnect*)
{
    return describe(members<&StartedConnect::organizationId, &StartedConnect::brandId, &StartedConnect::platform, &StartedConnect::userId,
                            &StartedConnect::displayName, &StartedConnect::browser, &StartedConnect::returnUrl, &StartedConnect::keep>());
}

} // namespace portico::social
