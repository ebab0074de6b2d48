#pragma once

#include "catalog/Completeness.h"
#include "catalog/ServiceView.h"
#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "common/Names.h"
#include "records/AppHandoff.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct AppHandoffInput
{
    AppSubmissionId submissionId;
    OrganizationId organizationId;
    std::string serviceId;
    std::string name;
    std::vector<std::string> redirectUris;
    std::vector<std::string> scopes;
    std::optional<std::int64_t> expiresInHours;
};

constexpr auto schemaOf(const AppHandoffInput*)
{
    return describe(field<&AppHandoffInput::submissionId>().required(), field<&AppHandoffInput::organizationId>().required(),
                    field<&AppHandoffInput::serviceId>("service_id").required().maxLength(40),
                    named(field<&AppHandoffInput::name>().required().trimmed().maxLength(120)),
                    field<&AppHandoffInput::redirectUris>("redirect_uris").required().minItems(1).maxItems(50),
                    field<&AppHandoffInput::scopes>().required().maxItems(50), field<&AppHandoffInput::expiresInHours>().range(1, 168));
}

/// A new handoff; its code is shown this once.
struct IssuedHandoff
{
    AppHandoffId handoffId;
    std::string handoffCode;
    Instant expiresAt{};
    HandoffStatus status = HandoffStatus::Issued;
};

constexpr auto schemaOf(const IssuedHandoff*)
{
    return describe(field<&IssuedHandoff::handoffId>(), field<&IssuedHandoff::handoffCode>("handoff_code"),
                    members<&IssuedHandoff::expiresAt, &IssuedHandoff::status>());
}

struct ConsumeInput
{
    std::string handoffCode;
    Json manifest;
};

constexpr auto schemaOf(const ConsumeInput*)
{
    return describe(field<&ConsumeInput::handoffCode>("handoff_code").required().maxLength(100),
                    field<&ConsumeInput::manifest>().required());
}

/// The client that an app signs people in with; its secret is shown this once.
struct AppClient
{
    std::string clientId;
    std::string clientSecret;
};

constexpr auto schemaOf(const AppClient*)
{
    return describe(field<&AppClient::clientId>("client_id"), field<&AppClient::clientSecret>("client_secret"));
}

struct RegisteredApp
{
    ServiceView service;
    AppClient oauthClient;
    CompletenessReport completeness;
};

constexpr auto schemaOf(const RegisteredApp*)
{
    return describe(members<&RegisteredApp::service, &RegisteredApp::oauthClient, &RegisteredApp::completeness>());
}

/// Registers approved apps as services. An operator or the developer application defines what was approved; the holder of the code
/// registers a manifest within these limits. Thread-safe.
class HandoffRoutes
{
public:
    explicit HandoffRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Created<IssuedHandoff> issue(const Request& request, const Body<AppHandoffInput>& input);
    AppHandoff show(const Path<AppHandoffId>& id) const;
    AppHandoff revoke(const Request& request, const Path<AppHandoffId>& id, const IfMatch& match);
    Created<RegisteredApp> consume(const Caller& caller, const Request& request, const Body<ConsumeInput>& input);

private:
    Core& _core;
};

} // namespace portico::identity
