#pragma once

#include "billing/BillingSettings.h"
#include "catalog/Registry.h"
#include "marketing/Leads.h"
#include "marketing/PageFiles.h"
#include "plans/PriceList.h"

#include "portico/WebPages.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct HomeView
{
    std::vector<std::string> apps;
};

constexpr auto schemaOf(const HomeView*) { return describe(members<&HomeView::apps>()); }

struct PackageRow
{
    std::string package;
    /// Number of apps; empty: all.
    std::string apps;
    /// Formatted minimum prices; empty: not sold at that interval.
    std::string monthly;
    std::string yearly;
    /// Page that sells it; empty if it cannot be bought here.
    std::string choose;
};

constexpr auto schemaOf(const PackageRow*)
{
    return describe(members<&PackageRow::package, &PackageRow::apps, &PackageRow::monthly, &PackageRow::yearly, &PackageRow::choose>());
}

struct PricingView
{
    /// True if plans are sold here.
    bool sells = false;
    std::vector<PackageRow> packages;
};

constexpr auto schemaOf(const PricingView*) { return describe(members<&PricingView::sells, &PricingView::packages>()); }

struct PortfolioApp
{
    std::string name;
    std::string description;
    std::string publisher;
};

constexpr auto schemaOf(const PortfolioApp*)
{
    return describe(members<&PortfolioApp::name, &PortfolioApp::description, &PortfolioApp::publisher>());
}

struct PortfolioView
{
    std::vector<PortfolioApp> apps;
};

constexpr auto schemaOf(const PortfolioView*) { return describe(members<&PortfolioView::apps>()); }

struct DevelopersView
{
    std::string signUp = "/developers/signup";
};

constexpr auto schemaOf(const DevelopersView*) { return describe(members<&DevelopersView::signUp>()); }

struct WaitlistForm
{
    std::string email;
    std::string name;
    std::string company;
    std::string interest;
    bool consent = false;
    /// Provider of human verification; empty: a solved challenge of this installation.
    std::string provider;
    std::string proof;
};

constexpr auto schemaOf(const WaitlistForm*)
{
    return describe(field<&WaitlistForm::email>().required().trimmed().email(), field<&WaitlistForm::name>().trimmed().maxLength(120),
                    field<&WaitlistForm::company>().trimmed().maxLength(120), field<&WaitlistForm::interest>().trimmed().maxLength(500),
                    field<&WaitlistForm::consent>(), field<&WaitlistForm::provider>().maxLength(20).writeOnly(),
                    field<&WaitlistForm::proof>().maxLength(4096).writeOnly());
}

/// The forms for demos and for sales.
struct DemoForm
{
    std::string name;
    std::string email;
    std::string company;
    std::optional<std::int64_t> teamSize;
    std::string message;
    std::optional<Instant> slot;
    std::string timezone;
    std::string provider;
    std::string proof;
};

constexpr auto schemaOf(const DemoForm*)
{
    return describe(field<&DemoForm::name>().required().trimmed().maxLength(120), field<&DemoForm::email>().required().trimmed().email(),
                    field<&DemoForm::company>().required().trimmed().maxLength(120), field<&DemoForm::teamSize>().range(1, 1'000'000),
                    field<&DemoForm::message>().trimmed().maxLength(1000), field<&DemoForm::slot>(),
                    field<&DemoForm::timezone>().maxLength(64), field<&DemoForm::provider>().maxLength(20).writeOnly(),
                    field<&DemoForm::proof>().maxLength(4096).writeOnly());
}

/// Scripts of a page with human verification.
struct FormScripts
{
    /// Path of the script of this service.
    std::string own;
    /// Address and site key of the provider's widget; empty without one.
    std::string widget;
    std::string siteKey;
};

constexpr auto schemaOf(const FormScripts*) { return describe(members<&FormScripts::own, &FormScripts::widget, &FormScripts::siteKey>()); }

struct WaitlistView
{
    bool sent = false;
    FormScripts scripts;
    PageForm<WaitlistForm> form;
};

constexpr auto schemaOf(const WaitlistView*)
{
    return describe(members<&WaitlistView::sent, &WaitlistView::scripts, &WaitlistView::form>());
}

/// A time on a page. The script writes it in the zone of the browser.
struct ShownTime
{
    /// RFC 3339; empty without a time.
    std::string at;
    /// Without scripts: `2026-11-23 08:00 UTC`.
    std::string text;

    static ShownTime of(Instant instant);
};

constexpr auto schemaOf(const ShownTime*) { return describe(members<&ShownTime::at, &ShownTime::text>()); }

struct DemoView
{
    bool sent = false;
    bool sales = false;
    std::string action;
    FormScripts scripts;
    std::vector<ShownTime> times;
    PageForm<DemoForm> form;
};

constexpr auto schemaOf(const DemoView*)
{
    return describe(members<&DemoView::sent, &DemoView::sales, &DemoView::action, &DemoView::scripts, &DemoView::times, &DemoView::form>());
}

struct SentQuery
{
    std::string sent;
};

constexpr auto schemaOf(const SentQuery*) { return describe(members<&SentQuery::sent>()); }

/// Frame of all server-rendered pages.
struct SiteFrame
{
    std::string title = {};
    std::string content = {};
    std::string stylesheet = {};
    /// True on pages that only users see: the header then links to the dashboard and not to the sign-in.
    bool signedIn = false;
};

constexpr auto schemaOf(const SiteFrame*)
{
    return describe(members<&SiteFrame::title, &SiteFrame::content, &SiteFrame::stylesheet, &SiteFrame::signedIn>());
}

/// Templates, styles and the script of all server-rendered pages.
struct PageShelf
{
    explicit PageShelf(PluginContext& context);

    PageAssets assets{"/page-assets"};
    BasicWebPages<SiteFrame> pages;
    BasicWebPages<SiteFrame> signedInPages;
    std::string script;
};

/// Pages for visitors, readable without scripts: `/`, `/pricing`, `/portfolio`, `/developers`, and the forms for waitlist, demo and sales.
/// Thread-safe.
class MarketingPages
{
public:
    MarketingPages(PluginContext& context, PageShelf& shelf, const Registry& registry, const PriceList& prices,
                   const BillingSettings& billing, const HumanChecks& humans, const Leads& leads, const DemoCalendar& calendar);
    void declare(Routes& routes);

    Response home(const Request& request) const;
    Response pricing(const Request& request) const;
    Response portfolio(const Request& request) const;
    Response developers(const Request& request) const;
    Redirect developerSignUp() const;
    Response waitlist(const Request& request, const Query<SentQuery>& query) const;
    Response join(const Request& request, const Form<WaitlistForm>& form) const;
    Response demo(const Request& request, const Query<SentQuery>& query) const;
    Response requestDemo(const Request& request, const Form<DemoForm>& form) const;
    Response sales(const Request& request, const Query<SentQuery>& query) const;
    Response requestSales(const Request& request, const Form<DemoForm>& form) const;

private:
    FormScripts scriptsFor(const Request& request) const;
    DemoView demoView(const Request& request, bool sales, bool sent) const;
    Response shown(const Request& request, DemoView view) const;
    Response send(const Request& request, const Form<DemoForm>& form, bool sales) const;

    PluginContext& _context;
    PageShelf& _shelf;
    const Registry& _registry;
    const PriceList& _prices;
    const BillingSettings& _billing;
    const HumanChecks& _humans;
    const std::string _widgetUrl;
    const Leads& _leads;
    const DemoCalendar& _calendar;
    const WebPage<HomeView, SiteFrame> _home;
    const WebPage<PricingView, SiteFrame> _pricing;
    const WebPage<PortfolioView, SiteFrame> _portfolio;
    const WebPage<DevelopersView, SiteFrame> _developers;
    const FormPage<WaitlistView, WaitlistForm, SiteFrame> _waitlist;
    const FormPage<DemoView, DemoForm, SiteFrame> _demo;
};

} // namespace portico::launchpad
