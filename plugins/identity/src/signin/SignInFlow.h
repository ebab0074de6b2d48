#pragma once

#include "audit/EventName.h"
#include "mails/Mails.h"
#include "signin/SignInService.h"

#include "portico/Results.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Mail to a user whose sign-in was ended because its credential was probably stolen.
struct SignedOutMail
{
    std::string device;
};

constexpr auto schemaOf(const SignedOutMail*) { return describe(field<&SignedOutMail::device>()); }

/// Starts the sign-ins of users who prove who they are in the request, and answers every sign-in with a token and the cookies that the
/// request may have. Thread-safe.
class SignInFlow
{
public:
    explicit SignInFlow(Core& core) : _core(core), _service(core), _signedOut(core.mails.bind<SignedOutMail>("signed-out")) {}

    /// A sign-in at a service. `clientId` empty: by the service's pages; otherwise by a native app of the service.
    /// @throws Problem 403 `csrf_rejected`, 400 `service_mismatch`, `invalid_dpop_proof`, 400 `validation_failed` for an unknown client
    SignInRequest atService(const Request& request, std::string_view serviceId, std::string_view clientId = {}) const;
    /// A sign-in at identity itself by one of its pages, which has checked its form: with cookies.
    SignInRequest onPage(const Request& request) const;
    /// @throws Problem 403 as `SignInService::start`
    Reply<TokenResponse> complete(const Request& request, const User& user, const SignInRequest& wanted);
    /// The answer for a sign-in. An app that has proved a key gets its refresh token in the body, a page in a cookie.
    Reply<TokenResponse> answer(const Request& request, SignedIn signedIn) const;
    /// Call it only for a user who has proved who they are: to all others the state of an account is secret.
    /// @throws Problem 403 `email_not_verified`, `account_suspended`, 401 `refusal` for accounts that are gone
    static void requireActive(const User& user, std::string_view refusal);

    /// Ends a sign-in whose code or refresh handle was used twice, and records the event as refused. Does nothing if it has ended already.
    /// @param together runs in the same transaction if this call ended the sign-in
    /// @param serviceId of the audit entry; empty: that of the sign-in
    void endReused(std::string_view sessionId, EventName event, const Client& client, const InTransaction& together = {},
                   std::string_view serviceId = {});
    /// Does the same for a refresh handle, and sends the user a mail.
    void endReusedHandle(std::string_view sessionId, const Client& client);

    SignInService& service() noexcept { return _service; }

private:
    Core& _core;
    SignInService _service;
    MailTemplate<SignedOutMail> _signedOut;
};

} // namespace portico::identity
