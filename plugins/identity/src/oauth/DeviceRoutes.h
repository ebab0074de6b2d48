#pragma once

#include "oauth/AuthorizeRoutes.h"
#include "oauth/ClientAuthentication.h"
#include "signin/BrowserGate.h"
#include "signin/SignInFlow.h"
#include "web/Fields.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <chrono>
#include <optional>
#include <string>

namespace portico::identity
{

enum class DeviceState : std::uint8_t
{
    Pending,
    Approved,
    Denied
};

constexpr auto schemaOf(const DeviceState*)
{
    using enum DeviceState;
    return portico::choices<DeviceState>({{"pending", Pending}, {"approved", Approved}, {"denied", Denied}});
}

/// Device that waits for a user's decision, in the StateStore under the hash of its device code.
struct DeviceRequest : SignInGrant
{
    DeviceState state = DeviceState::Pending;
    std::string userCode;
    Instant expiresAt{};
    Instant polledAt{};
};

constexpr auto schemaOf(const DeviceRequest*)
{
    return describe(members<&DeviceRequest::clientId, &DeviceRequest::scope, &DeviceRequest::state, &DeviceRequest::userCode,
                            &DeviceRequest::expiresAt, &DeviceRequest::polledAt, &DeviceRequest::userId>(),
                    field<&DeviceRequest::browserSessionId>().omitEmpty(), field<&DeviceRequest::organizationId>());
}

/// The requests of devices (RFC 8628). Thread-safe.
class DeviceRequests
{
public:
    explicit DeviceRequests(Core& core) : _core(core) {}

    struct Started
    {
        std::string deviceCode;
        std::string userCode;
    };
    Started start(const OAuthClient& client, const std::string& scope) const;
    /// Accepts lower case, spaces and hyphens in a typed code.
    std::optional<DeviceRequest> findByUserCode(std::string_view typed) const;
    /// Stores the decision. Returns false if there is one already, or if the request has expired.
    bool decide(const DeviceRequest& decided) const;
    /// Returns the allowed request of a polling device.
    /// @throws OAuthError `authorization_pending`, `slow_down`, `access_denied`, `expired_token`
    DeviceRequest poll(const std::string& deviceCode, const OAuthClient& client) const;
    void forget(const std::string& deviceCode) const;

private:
    void put(const std::string& key, const DeviceRequest& request) const;

    Core& _core;
};

/// The form of the page.
struct DeviceInput
{
    std::string userCode;
    ConsentAnswer decision = ConsentAnswer::Deny;
};

constexpr auto schemaOf(const DeviceInput*)
{
    return describe(field<&DeviceInput::userCode>("user_code").required(), field<&DeviceInput::decision>().required());
}

/// Data of the page; one of the five states is set.
struct DevicePage
{
    PageForm<DeviceInput> form;
    std::string clientName;
    std::string email;
    bool enter = false;
    bool confirm = false;
    bool allowed = false;
    bool denied = false;
    /// True if the device is not allowed in the user's organization.
    bool refused = false;
    /// Requested scopes.
    bool profile = false;
    bool mail = false;
    bool organizations = false;
    bool offline = false;
};

constexpr auto schemaOf(const DevicePage*)
{
    return describe(members<&DevicePage::form, &DevicePage::clientName, &DevicePage::email, &DevicePage::enter, &DevicePage::confirm,
                            &DevicePage::allowed, &DevicePage::denied, &DevicePage::refused, &DevicePage::profile, &DevicePage::mail,
                            &DevicePage::organizations, &DevicePage::offline>());
}

/// Sign-in on a device without a browser, by a code that the user enters on another device (RFC 8628). Thread-safe.
class DeviceRoutes
{
public:
    DeviceRoutes(Core& core, const Pages& pages, SignInFlow& flow);
    void declare(Routes& routes);

    Response authorization(const Request& request, const RawBody& body);
    Response show(const Request& request, const RawQuery& query);
    Response decide(const Request& request, const Form<DeviceInput>& form);

private:
    /// Returns the page with the field for the code, the entered text, and the error.
    Response unknownCode(const Request& request, std::string_view typed) const;
    static DevicePage confirmPage(const DeviceRequest& waiting, const OAuthClient& client, const std::string& email);
    /// Approves the request of the device as the user of the browser. If the client or the organization rejects it, nothing is changed.
    /// @return the response to a rejection: the redirect to the sign-in if a newer one is required, else the page
    std::optional<Response> approve(const Request& request, DeviceRequest& waiting, const OAuthClient& client,
                                    const SignedInBrowser& browser) const;
    std::optional<OAuthClient> clientOf(const DeviceRequest& request) const;

    Core& _core;
    SignInFlow& _flow;
    ClientAuthentication _clients;
    DeviceRequests _requests;
    BrowserGate _gate;
    FormPage<DevicePage, DeviceInput> _page;
    RateLimit _guesses;
    RateLimit _anonymous;
};

} // namespace portico::identity
