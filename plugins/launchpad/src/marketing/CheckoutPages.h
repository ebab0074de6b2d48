#pragma once

#include "checkout/CheckoutService.h"
#include "marketing/MarketingPages.h"

#include "portico/RateLimit.h"

#include <memory>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// The choice of a buyer.
struct CheckoutForm
{
    Package package = Package::Three;
    std::vector<std::string> apps;
    /// Interval and currency, `month/USD`.
    std::string offer;
    std::int64_t seats = 1;
    /// Amount per seat as typed; empty: the minimum.
    std::string amount;
    std::string email;
    /// Owner that the page named, `type/id`; empty for a visitor.
    std::string owner;
};

constexpr auto schemaOf(const CheckoutForm*)
{
    return describe(field<&CheckoutForm::package>().required(), field<&CheckoutForm::apps>().maxItems(100),
                    field<&CheckoutForm::offer>().required().maxLength(20), field<&CheckoutForm::seats>().range(1, maxSeats),
                    field<&CheckoutForm::amount>().trimmed().maxLength(20), field<&CheckoutForm::email>().trimmed().email(),
                    field<&CheckoutForm::owner>().maxLength(80));
}

struct AppChoice
{
    std::string id;
    std::string name;
    bool checked = false;
};

constexpr auto schemaOf(const AppChoice*) { return describe(members<&AppChoice::id, &AppChoice::name, &AppChoice::checked>()); }

struct OfferChoice
{
    std::string value;
    /// Formatted minimum price of a seat; one of the two is empty.
    std::string monthly;
    std::string yearly;
    bool checked = false;
};

constexpr auto schemaOf(const OfferChoice*)
{
    return describe(members<&OfferChoice::value, &OfferChoice::monthly, &OfferChoice::yearly, &OfferChoice::checked>());
}

struct CheckoutView
{
    std::string package;
    /// Number of apps to choose; empty: all.
    std::string size;
    /// Name of the owner; empty for a visitor.
    std::string owner;
    /// The owner as `type/id`; empty for a visitor.
    std::string ownerValue;
    bool canceled = false;
    bool testMode = false;
    /// The buyer has no right on the owner's billing.
    bool mayNot = false;
    /// The owner has a plan already.
    bool subscribed = false;
    bool unavailable = false;
    std::vector<AppChoice> choices;
    std::vector<OfferChoice> offers;
    PageForm<CheckoutForm> form;

    bool closed() const noexcept { return mayNot || subscribed; }
};

constexpr auto schemaOf(const CheckoutView*)
{
    return describe(members<&CheckoutView::package, &CheckoutView::size, &CheckoutView::owner, &CheckoutView::ownerValue,
                            &CheckoutView::canceled, &CheckoutView::testMode, &CheckoutView::mayNot, &CheckoutView::subscribed,
                            &CheckoutView::unavailable, &CheckoutView::choices, &CheckoutView::offers, &CheckoutView::form>());
}

/// The page that leads on to the payment processor.
struct PaymentView
{
    std::string url;
};

constexpr auto schemaOf(const PaymentView*) { return describe(members<&PaymentView::url>()); }

struct PackageQuery
{
    std::string package;
    std::string canceled;
};

constexpr auto schemaOf(const PackageQuery*) { return describe(members<&PackageQuery::package, &PackageQuery::canceled>()); }

/// `/checkout`: a form that opens a checkout, for a visitor or for the active owner of the person who is signed in. It needs no scripts.
/// Thread-safe.
class CheckoutPages
{
public:
    CheckoutPages(PluginContext& context, const PageShelf& shelf, const Registry& registry, const PriceList& prices,
                  const BillingSettings& billing, const CheckoutService& service);
    void declare(Routes& routes);

    Response show(const Request& request, const Query<PackageQuery>& query) const;
    Response open(const Request& request, const Form<CheckoutForm>& form) const;

private:
    CheckoutView viewFor(const Request& request, const CheckoutForm& form, const Caller* buyer) const;
    Response opened(const Request& request, const CheckoutForm& form, const Caller* buyer) const;

    PluginContext& _context;
    const PageShelf& _shelf;
    const Registry& _registry;
    const PriceList& _prices;
    const BillingSettings& _billing;
    const CheckoutService& _service;
    const RateLimit _perAddress;
    const FormPage<CheckoutView, CheckoutForm, SiteFrame> _page;
    const WebPage<PaymentView, SiteFrame> _payment;
};

} // namespace portico::launchpad
