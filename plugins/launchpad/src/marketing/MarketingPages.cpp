#include "marketing/MarketingPages.h"

#include "billing/Selection.h"
#include "plans/Money.h"

#include "portico/Url.h"

namespace portico::launchpad
{

namespace
{
std::string shownPrice(const PackagePrice* price, std::string_view language)
{
    return price ? shownAmount(price->amount, price->currency, language) : std::string();
}

/// Pages with forms run the script that solves the challenge of this origin, or the provider's widget.
PageOptions withScripts(const FormScripts& scripts)
{
    PageOptions options;
    options.policy.scripts = {"'self'"};
    options.policy.connections = {"'self'"};
    if (scripts.widget.empty()) return options;
    options.policy.scripts.push_back(originOf(scripts.widget));
    options.policy.frames.push_back(originOf(scripts.widget));
    return options;
}

std::optional<HumanProof> proofOf(const std::string& provider, const std::string& payload)
{
    if (payload.empty()) return {};
    return HumanProof{provider.empty() ? "pow" : provider, payload};
}

std::string stylesOf(const Templates::Files& files) { return std::string(tokenStyles()) + files.at("styles/pages.css"); }
} // namespace

ShownTime ShownTime::of(Instant instant)
{
    const auto at = toString(instant);
    return {at, at.substr(0, 10) + ' ' + at.substr(11, 5) + " UTC"};
}

PageShelf::PageShelf(PluginContext& context)
    : pages(context.host(), Templates(pageFiles(), context.logger()), {.stylesheet = assets.add("pages.css", stylesOf(pageFiles()))}),
      signedInPages(pages.templates(), pages.tokens(), {.stylesheet = pages.frame().stylesheet, .signedIn = true}),
      script(assets.add("forms.js", pageFiles().at("scripts/forms.js")))
{
}

MarketingPages::MarketingPages(PluginContext& context, PageShelf& shelf, const Registry& registry, const PriceList& prices,
                               const BillingSettings& billing, const HumanChecks& humans, const Leads& leads, const DemoCalendar& calendar)
    : _context(context),
      _shelf(shelf),
      _registry(registry),
      _prices(prices),
      _billing(billing),
      _humans(humans),
      _widgetUrl(context.config().url("launchpad.humanVerification.widgetUrl")),
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
    const auto language = _shelf.pages.localeOf(request);
    view.sells = _billing.sells();
    const auto apps = _registry.apps();
    const auto choices = static_cast<std::int64_t>(selection::choices(*apps).size());
    for (const auto package : pricedPackages)
    {
        const auto count = appCountOf(package);
        view.packages.push_back({std::string(toString(package)),
                                 count ? std::to_string(*count) : "",
                                 shownPrice(_prices.shown(package, BillingInterval::Month), language),
                                 shownPrice(_prices.shown(package, BillingInterval::Year), language),
                                 {}});
        const bool offered = view.sells && !_prices.of(package).empty() && choices >= count.value_or(1);
        if (offered) view.packages.back().choose = withQuery("/checkout", {{"package", std::string(toString(package))}});
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
    // Without a developer application, developers use the ordinary registration.
    const auto identity = _context.host().origins.find("identity");
    if (identity == _context.host().origins.end()) throw Problem::notFound("There is no developer application.");
    return {.location = identity->second + "/register", .status = 302};
}

FormScripts MarketingPages::scriptsFor(const Request& request) const
{
    FormScripts scripts{.own = _shelf.script, .widget = {}, .siteKey = _humans.siteKey(request)};
    if (!scripts.siteKey.empty()) scripts.widget = withQuery(_widgetUrl, {{"render", "explicit"}});
    return scripts;
}

Response MarketingPages::waitlist(const Request& request, const Query<SentQuery>& query) const
{
    const auto scripts = scriptsFor(request);
    return _waitlist.show(request, {!query->sent.empty(), scripts, {}}, withScripts(scripts));
}

Response MarketingPages::join(const Request& request, const Form<WaitlistForm>& form) const
{
    const auto scripts = scriptsFor(request);
    const auto send = [&](const WaitlistForm& sent) -> Redirect
    {
        _leads.join(request,
                    {sent.email, sent.name, sent.company, sent.interest, "page", sent.consent, proofOf(sent.provider, sent.proof)});
        return {"/waitlist?sent=1"};
    };
    return _waitlist.submit(request, form, {false, scripts, {}}, send, withScripts(scripts));
}

DemoView MarketingPages::demoView(const Request& request, bool sales, bool sent) const
{
    DemoView view{
        .sent = sent, .sales = sales, .action = sales ? "/sales" : "/demo", .scripts = scriptsFor(request), .times = {}, .form = {}};
    if (sales || sent) return view;
    for (const auto& time : _calendar.freeTimes(request)) view.times.push_back(ShownTime::of(time));
    return view;
}

Response MarketingPages::shown(const Request& request, DemoView view) const
{
    auto options = withScripts(view.scripts);
    return _demo.show(request, std::move(view), std::move(options));
}

Response MarketingPages::demo(const Request& request, const Query<SentQuery>& query) const
{
    return shown(request, demoView(request, false, !query->sent.empty()));
}

Response MarketingPages::sales(const Request& request, const Query<SentQuery>& query) const
{
    return shown(request, demoView(request, true, !query->sent.empty()));
}

Response MarketingPages::requestDemo(const Request& request, const Form<DemoForm>& form) const { return send(request, form, false); }

Response MarketingPages::requestSales(const Request& request, const Form<DemoForm>& form) const { return send(request, form, true); }

Response MarketingPages::send(const Request& request, const Form<DemoForm>& form, bool sales) const
{
    const auto act = [&](const DemoForm& sent) -> Redirect
    {
        DemoInput input{sent.name,
                        sent.email,
                        sent.company,
                        sent.teamSize,
                        sent.message,
                        {},
                        sales ? "enterprise" : "",
                        proofOf(sent.provider, sent.proof)};
        if (sent.slot && !sales) input.slot = DemoSlot{*sent.slot, sent.timezone.empty() ? "UTC" : sent.timezone};
        _leads.requestDemo(request, input);
        return {sales ? "/sales?sent=1" : "/demo?sent=1"};
    };
    auto view = demoView(request, sales, false);
    const auto options = withScripts(view.scripts);
    return _demo.submit(request, form, std::move(view), act, options);
}

} // namespace portico::launchpad
