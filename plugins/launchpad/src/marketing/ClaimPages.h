#pragma once

#include "checkout/CheckoutService.h"
#include "marketing/CheckoutCookie.h"
#include "marketing/MarketingPages.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// The page after the payment. At most one state is set; none: this browser has opened no checkout.
struct ReturnView
{
    bool waiting = false;
    /// The page has used up its automatic reloads.
    bool late = false;
    /// Paid by a visitor, who registers and claims.
    bool paid = false;
    /// Opened by a visitor; an operator confirms the payment.
    bool confirming = false;
    /// Expired or canceled.
    bool over = false;
    bool claimed = false;
    bool none = false;
    bool testMode = false;
    std::string registerUrl;
    std::string loginUrl;
    std::string again;
};

constexpr auto schemaOf(const ReturnView*)
{
    return describe(members<&ReturnView::waiting, &ReturnView::late, &ReturnView::paid, &ReturnView::confirming, &ReturnView::over,
                            &ReturnView::claimed, &ReturnView::none, &ReturnView::testMode, &ReturnView::registerUrl, &ReturnView::loginUrl,
                            &ReturnView::again>());
}

struct ReturnQuery
{
    std::int64_t look = 0;
};

constexpr auto schemaOf(const ReturnQuery*) { return describe(field<&ReturnQuery::look>().range(0, 100)); }

struct ClaimQuery
{
    /// Set by the app after a sign-in.
    std::string signedIn;
};

constexpr auto schemaOf(const ClaimQuery*) { return describe(members<&ClaimQuery::signedIn>()); }

struct ClaimForm
{
    /// Type and ID, `organization/org_…`.
    std::string owner;
};

constexpr auto schemaOf(const ClaimForm*) { return describe(field<&ClaimForm::owner>().required().maxLength(80)); }

struct OwnerChoice
{
    std::string value;
    /// Empty: the person.
    std::string name;
    bool checked = false;
};

constexpr auto schemaOf(const OwnerChoice*) { return describe(members<&OwnerChoice::value, &OwnerChoice::name, &OwnerChoice::checked>()); }

struct ClaimView
{
    /// Nothing to claim in this browser.
    bool none = false;
    bool testMode = false;
    std::string person;
    std::vector<OwnerChoice> owners;
    PageForm<ClaimForm> form;
};

constexpr auto schemaOf(const ClaimView*)
{
    return describe(members<&ClaimView::none, &ClaimView::testMode, &ClaimView::person, &ClaimView::owners, &ClaimView::form>());
}

/// `/checkout/return`, to which the payment processor redirects, and `/checkout/claim`, where a visitor who has registered links the paid
/// subscription to an owner. Thread-safe.
class ClaimPages
{
public:
    ClaimPages(PluginContext& context, const PageShelf& shelf, const BillingSettings& billing, const CheckoutService& service);
    void declare(Routes& routes);

    Response returned(const Request& request, const Query<ReturnQuery>& query) const;
    Response show(const Request& request, const Query<ClaimQuery>& query) const;
    Response claim(const Request& request, const Form<ClaimForm>& form) const;

private:
    struct Opened
    {
        Checkout checkout;
        std::string claimToken;
    };
    /// Returns the browser's relevant checkout: a paid one, or the newest. One with an owner only if the user may read its billing.
    std::optional<Opened> find(const CheckoutCookie& cookie, const Caller* person, bool toClaim) const;
    /// @throws Problem 403 for an operator who acts as a person, and for a person without access; 401 without a sign-in
    std::shared_ptr<const Caller> requirePerson(const Request& request) const;
    std::vector<OwnerChoice> ownersOf(const Caller& person) const;
    ClaimView viewFor(const Caller& person, bool none) const;

    PluginContext& _context;
    const BillingSettings& _billing;
    const CheckoutService& _service;
    const WebPage<ReturnView, SiteFrame> _returned;
    const FormPage<ClaimView, ClaimForm, SiteFrame> _claim;
};

} // namespace portico::launchpad
