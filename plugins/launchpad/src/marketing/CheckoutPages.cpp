#include "marketing/CheckoutPages.h"

#include "billing/Selection.h"
#include "common/RateLimits.h"
#include "common/SignedIn.h"
#include "marketing/CheckoutCookie.h"
#include "plans/Money.h"

#include "portico/Url.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view checkoutPath = "/checkout", pricingPath = "/pricing";
constexpr int processorFailed = 502;

std::string offerOf(const PackagePrice& price) { return std::string(toString(price.interval)) + '/' + price.currency; }

/// Value of the form's `owner`.
std::string ownerValue(const Caller* buyer)
{
    if (!buyer) return {};
    const auto owner = activeOwner(*buyer);
    return owner.type + '/' + owner.id;
}

/// Returns the price that a form names. @throws Problem 400 `invalid_choice` for one that the package does not have
PackagePrice chosenPrice(const PriceList& prices, const CheckoutForm& form)
{
    for (auto& each : prices.of(form.package))
        if (offerOf(each) == form.offer) return each;
    throw Problem::invalid("offer", "invalid_choice", "Choose one of the prices");
}

CheckoutInput inputOf(const CheckoutForm& form, const PackagePrice& price)
{
    CheckoutInput input;
    input.package = form.package;
    if (appCountOf(form.package)) input.selectedServiceIds = form.apps;
    input.seats = form.seats;
    input.interval = price.interval;
    input.currency = price.currency;
    input.email = form.email;
    if (!form.amount.empty())
    {
        input.amountPerSeat = parseAmount(form.amount, price.currency);
        if (!input.amountPerSeat || *input.amountPerSeat > maxSeatAmount)
            throw Problem::invalid("amount", "invalid_amount", "Expected an amount such as 49 or 49.50");
    }
    input.successUrl = checkoutReturnPath;
    input.cancelUrl = withQuery(checkoutPath, {{"package", std::string(toString(form.package))}, {"canceled", "1"}});
    return input;
}
} // namespace

CheckoutPages::CheckoutPages(PluginContext& context, const PageShelf& shelf, const Registry& registry, const PriceList& prices,
                             const BillingSettings& billing, const CheckoutService& service)
    : _context(context),
      _shelf(shelf),
      _registry(registry),
      _prices(prices),
      _billing(billing),
      _service(service),
      _perAddress(perHour(context, "checkout", checkoutsPerHour)),
      _page(shelf.pages.bind("checkout", &CheckoutView::form)),
      _payment(shelf.pages.bind<PaymentView>("payment"))
{
}

void CheckoutPages::declare(Routes& routes)
{
    routes.get(checkoutPath, access::open(), &CheckoutPages::show, this, {.summary = "Page that buys a package", .undocumented = true})
        .post(checkoutPath, access::open(), &CheckoutPages::open, this,
              {.summary = "Submit the form that buys a package", .idempotencyKey = false, .undocumented = true});
}

CheckoutView CheckoutPages::viewFor(const Request& request, const CheckoutForm& form, const Caller* buyer) const
{
    CheckoutView view;
    const auto language = _shelf.pages.localeOf(request);
    view.package = toString(form.package);
    view.testMode = _billing.testMode();
    view.ownerValue = ownerValue(buyer);
    if (const auto size = appCountOf(form.package))
    {
        view.size = std::to_string(*size);
        const auto apps = _registry.apps();
        for (const auto* app : selection::choices(*apps))
            view.choices.push_back(
                {app->shown.serviceId, app->shown.name, std::ranges::find(form.apps, app->shown.serviceId) != form.apps.end()});
    }
    for (const auto& price : _prices.of(form.package))
    {
        const auto shown = shownAmount(price.amount, price.currency, language);
        const bool monthly = price.interval == BillingInterval::Month;
        view.offers.push_back({offerOf(price), monthly ? shown : "", monthly ? "" : shown, offerOf(price) == form.offer});
    }
    if (buyer)
    {
        const auto owner = activeOwner(*buyer);
        view.owner = owner.isOrganization() ? buyer->organizationName : buyer->displayName;
        if (view.owner.empty()) view.owner = owner.id;
        view.mayNot = !mayBill(_context, *buyer, owner, OwnerRight::Manage);
        auto session = _context.database().session();
        view.subscribed = !view.mayNot && subscriptions::current(session, PlanKind::Paid, owner.id).has_value();
    }
    view.form.show(form);
    return view;
}

Response CheckoutPages::show(const Request& request, const Query<PackageQuery>& query) const
{
    const auto package = parseEnum<Package>(query->package);
    if (package == Package::Enterprise) return redirectTo("/sales");
    if (!package || !_billing.sells()) return redirectTo(pricingPath);
    CheckoutForm form;
    form.package = *package;
    const auto prices = _prices.of(*package);
    if (prices.empty()) return redirectTo(pricingPath);
    form.offer = offerOf(prices.front());
    auto view = viewFor(request, form, personBehind(_context, request).get());
    if (static_cast<std::int64_t>(view.choices.size()) < appCountOf(*package).value_or(0)) return redirectTo(pricingPath);
    view.canceled = !query->canceled.empty();
    return _page.show(request, std::move(view));
}

Response CheckoutPages::open(const Request& request, const Form<CheckoutForm>& form) const
{
    const auto buyer = personBehind(_context, request);
    auto view = viewFor(request, form.sent(), buyer.get());
    try
    {
        return _page.submit(request, form, view, [&](const CheckoutForm& sent) { return opened(request, sent, buyer.get()); });
    }
    catch (const Problem& problem)
    {
        if (problem.status() != processorFailed) throw;
        view.unavailable = true;
        return _page.show(request, std::move(view), {.status = processorFailed});
    }
}

Response CheckoutPages::opened(const Request& request, const CheckoutForm& form, const Caller* buyer) const
{
    // Another tab may have switched the workspace since the page named the owner.
    if (form.owner != ownerValue(buyer)) throw Problem::conflict("owner_changed", "The page named another owner");
    _perAddress.require(networkOf(request.clientAddress));
    const auto made = _service.open(inputOf(form, chosenPrice(_prices, form)), buyer, {});
    CheckoutCookie cookie(_context.host(), request);
    PageOptions options;
    options.cookies.push_back(cookie.add({made.checkout.id.text(), made.claimToken}));
    const auto& url = made.checkout.checkoutUrl;
    if (url.starts_with(_context.host().origin + '/')) return redirectTo(url, std::move(options.cookies));
    // A page and no redirect: browsers compare where a redirect ends, at the processor, with the form's `form-action`.
    auto page = _payment.render(request, {url}, options);
    page.addHeader("Refresh", "0; url=" + url);
    return page;
}

} // namespace portico::launchpad
