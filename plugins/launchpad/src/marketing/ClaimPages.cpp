#include "marketing/ClaimPages.h"

#include "common/SignedIn.h"

#include "portico/Url.h"
#include "portico/interfaces/Directory.h"

namespace portico::launchpad
{

namespace
{
constexpr std::string_view claimPath = "/checkout/claim", signInPath = "/claim", billingPath = "/settings/billing",
                           dashboardPath = "/dashboard", managerRole = "manager";
/// Number of automatic reloads of the page, every two seconds. Events of the processor usually arrive within moments.
constexpr std::int64_t maxLooks = 15;

std::string valueOf(const Owner& owner) { return owner.type + '/' + owner.id; }

Owner ownerNamed(const std::string& value)
{
    const auto slash = value.find('/');
    const auto owner = slash == std::string::npos ? Owner{} : ownerOf(value.substr(0, slash), value.substr(slash + 1));
    if (!owner.known()) throw Problem::invalid("owner", "invalid_choice", "Choose one of the owners");
    return owner;
}
} // namespace

ClaimPages::ClaimPages(PluginContext& context, const PageShelf& shelf, const BillingSettings& billing, const CheckoutService& service)
    : _context(context),
      _billing(billing),
      _service(service),
      _returned(shelf.pages.bind<ReturnView>("returned")),
      _claim(shelf.signedInPages.bind("claim", &ClaimView::form))
{
}

void ClaimPages::declare(Routes& routes)
{
    routes.get(checkoutReturnPath, access::open(), &ClaimPages::returned, this, {.summary = "Page after a payment", .undocumented = true})
        .get(claimPath, access::open(), &ClaimPages::show, this,
             {.summary = "Page that links a checkout to an owner", .undocumented = true})
        .post(claimPath, access::open(), &ClaimPages::claim, this,
              {.summary = "Submit the form that claims a checkout", .idempotencyKey = false, .undocumented = true});
}

std::optional<ClaimPages::Opened> ClaimPages::find(const CheckoutCookie& cookie, const Caller* person, bool toClaim) const
{
    std::optional<Opened> newest;
    auto session = _context.database().snapshot();
    for (const auto& each : cookie.all())
    {
        auto checkout = checkouts::find(session, each.id);
        if (!checkout) continue;
        const bool own = CheckoutService::isClaimToken(*checkout, each.claimToken);
        const bool asOwner =
            !toClaim && person && checkout->owner().known() && mayBill(_context, *person, checkout->owner(), OwnerRight::Read);
        const bool lost = toClaim && (checkout->owner().known() || checkout->status == CheckoutStatus::Expired ||
                                      checkout->status == CheckoutStatus::Canceled);
        if ((!own && !asOwner) || lost) continue;
        const bool isPaid = checkout->status == CheckoutStatus::Paid;
        if (isPaid || !newest) newest = Opened{*std::move(checkout), each.claimToken};
        if (isPaid) break;
    }
    return newest;
}

Response ClaimPages::returned(const Request& request, const Query<ReturnQuery>& query) const
{
    const CheckoutCookie cookie(_context.host(), request);
    const auto person = personBehind(_context, request);
    const auto found = find(cookie, person.get(), false);
    ReturnView view;
    view.testMode = _billing.testMode();
    view.loginUrl = signInPath;
    const auto& host = _context.host();
    if (const auto identity = host.origins.find("identity"); identity != host.origins.end())
        view.registerUrl = withQuery(identity->second + "/register", {{"return_to", host.origin + std::string(signInPath)}});
    const auto status = found ? found->checkout.status : CheckoutStatus::Open;
    const bool claimed = found && found->checkout.owner().known();
    if (claimed && status == CheckoutStatus::Paid && person) return redirectTo(billingPath);
    view.none = cookie.all().empty();
    view.claimed = claimed && status == CheckoutStatus::Paid;
    view.paid = found && !claimed && status == CheckoutStatus::Paid;
    view.over = found && (status == CheckoutStatus::Expired || status == CheckoutStatus::Canceled);
    view.confirming = found && status == CheckoutStatus::Open && found->checkout.processor == ProcessorKind::Manual;
    // The browser omits the sign-in cookie when it arrives from another site. The next reload sends it.
    const bool unknown = !view.none && !view.claimed && !view.paid && !view.over && !view.confirming;
    view.late = unknown && query->look >= maxLooks;
    view.waiting = unknown && !view.late;
    PageOptions options;
    if (view.waiting)
    {
        view.again = withQuery(checkoutReturnPath, {{"look", std::to_string(query->look + 1)}});
        options.headers.emplace_back("Refresh", "2; url=" + view.again);
    }
    return _returned.render(request, view, options);
}

std::vector<OwnerChoice> ClaimPages::ownersOf(const Caller& person) const
{
    std::vector<OwnerChoice> owners;
    const auto active = activeOwner(person);
    if (active.isOrganization() && mayBill(_context, person, active, OwnerRight::Manage))
        owners.push_back({valueOf(active), person.organizationName.empty() ? active.id : person.organizationName});
    owners.push_back({valueOf(ownerOf(toString(OwnerType::User), person.principalId)), {}});
    if (const auto directory = _context.services().find<interfaces::Directory>())
        for (const auto& household : directory->householdsOf(person.principalId))
            if (household.role == managerRole)
                owners.push_back({valueOf(ownerOf(toString(OwnerType::Household), household.id)), household.name});
    owners.front().checked = true;
    return owners;
}

ClaimView ClaimPages::viewFor(const Caller& person, bool none) const
{
    ClaimView view;
    view.none = none;
    view.testMode = _billing.testMode();
    view.person = person.displayName;
    view.owners = ownersOf(person);
    return view;
}

std::shared_ptr<const Caller> ClaimPages::requirePerson(const Request& request) const
{
    auto person = behindCookie(_context, request);
    if (!person->impersonatorId.empty())
        throw Problem::forbidden("permission_denied", "A subscription cannot be claimed while impersonating a user.");
    return person;
}

Response ClaimPages::show(const Request& request, const Query<ClaimQuery>& query) const
{
    std::shared_ptr<const Caller> person;
    try
    {
        person = requirePerson(request);
    }
    catch (const Problem& problem)
    {
        // A page of the app signs the person in, without a question if identity knows them, and leads back.
        if (problem.status() != 401 || !query->signedIn.empty()) throw;
        return redirectTo(signInPath);
    }
    const auto found = find(CheckoutCookie(_context.host(), request), person.get(), true);
    return _claim.show(request, viewFor(*person, !found));
}

Response ClaimPages::claim(const Request& request, const Form<ClaimForm>& form) const
{
    const auto person = requirePerson(request);
    CheckoutCookie cookie(_context.host(), request);
    const auto found = find(cookie, person.get(), true);
    auto view = viewFor(*person, !found);
    for (auto& owner : view.owners) owner.checked = owner.value == form.sent().owner;
    const auto act = [&](const ClaimForm& sent)
    {
        if (!found) throw Problem::conflict("already_claimed", "There is no subscription to claim in this browser.");
        const auto id = found->checkout.id.text();
        _service.claim(*person, id, found->claimToken, ownerNamed(sent.owner));
        return redirectTo(dashboardPath, {cookie.remove(id)});
    };
    return _claim.submit(request, form, std::move(view), act);
}

} // namespace portico::launchpad
