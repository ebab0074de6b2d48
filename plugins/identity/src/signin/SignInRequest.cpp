#include "signin/SignInRequest.h"

namespace portico::identity
{

std::string pagesOf(std::string_view serviceId) { return std::string(serviceId) + "-web"; }

SignInRequest SignInRequest::fromBrowser(std::string_view serviceId, const BrowserSession& browser, Client from)
{
    SignInRequest wanted;
    wanted.serviceId = serviceId;
    wanted.client = std::move(from);
    wanted.amr = browser.amr;
    wanted.acr = browser.acr;
    wanted.authTime = browser.authTime;
    wanted.lifetime = OfBrowser(browser);
    return wanted;
}

SignInRequest SignInRequest::forClient(const OAuthClient& client, const BrowserSession& browser, Client from)
{
    auto wanted = fromBrowser(client.serviceId ? std::string_view(*client.serviceId) : identityServiceId, browser, std::move(from));
    wanted.thirdParty = !client.serviceId;
    wanted.clientId = client.clientId;
    return wanted;
}

SignInRequest SignInRequest::handedOff(const SignInGrant& grant, Client from)
{
    SignInRequest wanted;
    wanted.serviceId = grant.serviceId;
    wanted.client = std::move(from);
    wanted.clientId = pagesOf(grant.serviceId);
    wanted.in(grant.organizationId);
    wanted.amr = grant.amr;
    wanted.acr = grant.acr;
    wanted.authTime = grant.authTime;
    wanted.until = grant.until;
    return wanted;
}

SignInRequest SignInRequest::impersonating(std::string serviceId, SignIn own, std::chrono::seconds life, Client from)
{
    SignInRequest wanted;
    wanted.clientId = pagesOf(serviceId);
    wanted.serviceId = std::move(serviceId);
    wanted.remember = false;
    wanted.amr = own.amr;
    wanted.acr = own.acr;
    wanted.client = std::move(from);
    wanted.impersonation = life;
    wanted.impersonator = std::move(own);
    return wanted;
}

void SignInRequest::in(const std::optional<OrganizationId>& context)
{
    organizationId = context;
    personal = !context;
}

} // namespace portico::identity
