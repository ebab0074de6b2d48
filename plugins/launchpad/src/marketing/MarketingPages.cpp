#include "marketing/MarketingPages.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view currenciesWithoutCents[] = {"JPY", "KRW", "CLP", "ISK", "VND"};
constexpr std::int64_t centsOfUnit = 100;

std::string shownPrice(const PackagePrice* price)
{
    if (!price) return {};
    if (std::ranges::find(currenciesWithoutCents, price->currency) != std::end(currenciesWithoutCents))
        return std::to_string(price->amount) + ' ' + price->currency;
    const auto cents = std::to_string(centsOfUnit + price->amount % centsOfUnit).substr(1);
    return std::to_string(price->amount / centsOfUnit) + '.' + cents + ' ' + price->currency;
}

/// Pages with forms run the script that solves the challenge of this origin.
PageOptions withScript()
{
    PageOptions options;
    options.policy.scripts = {"'self'"};
    options.policy.connections = {"'self'"};
    return options;
}

std::optional<HumanProof> proofOf(const std::string& payload)
{
    if (payload.empty()) return {};
    return HumanProof{"pow", payload};
}

std::string stylesOf(const Templates::Files& files) { return std::string(tokenStyles()) + files.at("styles/pages.css"); }
} // namespace

PageShelf::PageShelf(PluginContext& context)
    : pages(context.host(), Templates(pageFiles(), context.logger()), {.stylesheet = assets.add("pages.css", stylesOf(pageFiles()))}),
      script(assets.add("forms.js", pageFiles().at("scripts/forms.js")))
{
}

MarketingPages::MarketingPages(PluginContext& context, PageShelf& shelf, const Registry& registry, const PriceList& prices,
                               const Leads& leads, const DemoCalendar& calendar)
    : _context(context),
      _shelf(shelf),
      _registry(registry),
      _prices(prices),
      _leads(leads),
      _calendar(calendar),
      _home(shelf.pages.bind<HomeView>("home")),
      _pricing(shelf.pages.bind<PricingView>("pricing")),
      _portfolio(shelf.pages.bind<PortfolioView>("portfolio")),
      _developers(shelf.pages.bind<DevelopersView>("developers")),
      _waitlist(shelf.pages.bind("waitlist", &WaitlistView::form)),
      _demo(shelf.pages.bind("demo", &DemoView::form))
{
}

void MarketingPages::declare(Routes& routes)
{
    const auto page = [](std::string_view summary) -> RouteOptions { return {.summary = summary, .undocumented = true}; };
    const auto form = [](std::string_view summary) -> RouteOptions
    { return {.summary = summary, .idempotencyKey = false, .undocumented = true}; };
    _shelf.assets.declare(routes);
    routes.get("/", access::open(), &MarketingPages::home, this, page("Home page"))
        .get("/pricing", access::open(), &MarketingPages::pricing, this, page("Prices of packages"))
        .get("/portfolio", access::open(), &MarketingPages::portfolio, this, page("Apps of the platform"))
        .get("/developers", access::open(), &MarketingPages::developers, this, page("For developers"))
        .get("/developers/signup", access::open(), &MarketingPages::developerSignUp, this,
             {.summary = "Continue to the sign-up of the developer application", .undocumented = true, .statuses = {302}})
        .get("/waitlist", access::open(), &MarketingPages::waitlist, this, page("Form of the waitlist"))
        .post("/waitlist", access::open(), &MarketingPages::join, this, form("Join the waitlist by the form"))
        .get("/demo", access::open(), &MarketingPages::demo, this, page("Form for a demo"))
        .post("/demo", access::open(), &MarketingPages::requestDemo, this, form("Request a demo by the form"))
        .get("/sales", access::open(), &MarketingPages::sales, this, page("Form for sales"))
        .post("/sales", access::open(), &MarketingPages::requestSales, this, form("Contact sales by the form"));
}

Response MarketingPages::home(const Request& request) const
{
    HomeView view;
    const auto apps = _registry.apps();
    for (const auto& app : apps->all())
        if (app.listed) view.apps.push_back(app.shown.name);
    return _home.render(request, view);
}

Response MarketingPages::pricing(const Request& request) const
{
    PricingView view;
    for (const auto package : pricedPackages)
    {
        const auto count = appCountOf(package);
        view.packages.push_back({std::string(toString(package)), count ? std::to_string(*count) : "",
                                 shownPrice(_prices.shown(package, BillingInterval::Month)),
                                 shownPrice(_prices.shown(package, BillingInterval::Year))});
    }
    return _pricing.render(request, view);
}

Response MarketingPages::portfolio(const Request& request) const
{
    PortfolioView view;
    const auto apps = _registry.apps();
    for (const auto& app : apps->all())
        if (app.listed)
            view.apps.push_back(
                {app.shown.name, app.shown.tagline.empty() ? app.shown.description : app.shown.tagline, app.shown.publisher.name});
    return _portfolio.render(request, view);
}

Response MarketingPages::developers(const Request& request) const { return _developers.render(request, {}); }

Redirect MarketingPages::developerSignUp() const
{
    const auto& application = _context.config().url("launchpad.developerAppUrl");
    if (!application.empty()) return {.location = application + "/signup", .status = 302};
    // Without a developer application developers register as everybody does.
    const auto identity = _context.host().origins.find("identity");
    if (identity == _context.host().origins.end()) throw Problem::notFound("There is no developer application.");
    return {.location = identity->second + "/register", .status = 302};
}

Response MarketingPages::waitlist(const Request& request, const Query<SentQuery>& query) const
{
    return _waitlist.show(request, {!query->sent.empty(), _shelf.script, {}}, withScript());
}

Response MarketingPages::join(const Request& request, const Form<WaitlistForm>& form) const
{
    const auto send = [&](const WaitlistForm& sent) -> Redirect
    {
        _leads.join(request, {sent.email, sent.name, sent.company, sent.interest, "page", sent.consent, proofOf(sent.proof)});
        return {"/waitlist?sent=1"};
    };
    return _waitlist.submit(request, form, {false, _shelf.script, {}}, send, withScript());
}

DemoView MarketingPages::demoView(const Request& request, bool sales, bool sent) const
{
    DemoView view{.sent = sent, .sales = sales, .action = sales ? "/sales" : "/demo", .script = _shelf.script, .times = {}, .form = {}};
    if (sales || sent) return view;
    for (const auto& time : _calendar.freeTimes(request)) view.times.push_back({toString(time), toString(time)});
    return view;
}

Response MarketingPages::demo(const Request& request, const Query<SentQuery>& query) const
{
    return _demo.show(request, demoView(request, false, !query->sent.empty()), withScript());
}

Response MarketingPages::sales(const Request& request, const Query<SentQuery>& query) const
{
    return _demo.show(request, demoView(request, true, !query->sent.empty()), withScript());
}

Response MarketingPages::requestDemo(const Request& request, const Form<DemoForm>& form) const { return send(request, form, false); }

Response MarketingPages::requestSales(const Request& request, const Form<DemoForm>& form) const { return send(request, form, true); }

Response MarketingPages::send(const Request& request, const Form<DemoForm>& form, bool sales) const
{
    const auto act = [&](const DemoForm& sent) -> Redirect
    {
        DemoInput input{sent.name,          sent.email, sent.company, sent.teamSize, sent.message, {}, sales ? "enterprise" : "",
                        proofOf(sent.proof)};
        if (sent.slot && !sales) input.slot = DemoSlot{*sent.slot, sent.timezone.empty() ? "UTC" : sent.timezone};
        _leads.requestDemo(request, input);
        return {sales ? "/sales?sent=1" : "/demo?sent=1"};
    };
    return _demo.submit(request, form, demoView(request, sales, false), act, withScript());
}

} // namespace portico::launchpad
