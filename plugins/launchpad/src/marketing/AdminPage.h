#pragma once

#include "checkout/CheckoutService.h"
#include "marketing/AdminRoutes.h"
#include "marketing/MarketingPages.h"

#include <string>
#include <vector>

namespace portico::launchpad
{

/// Sets the status of one row.
struct StatusForm
{
    /// `wtl_…`, `dmo_…` or `chk_…`.
    std::string id;
    std::string status;
};

constexpr auto schemaOf(const StatusForm*)
{
    return describe(field<&StatusForm::id>().required().maxLength(40), field<&StatusForm::status>().required().maxLength(40));
}

/// A status that may follow, with the text of its button.
struct NextStatus
{
    std::string value;
    std::string label;
};

constexpr auto schemaOf(const NextStatus*) { return describe(members<&NextStatus::value, &NextStatus::label>()); }

/// One row of a list, with the statuses that may follow.
struct LeadRow
{
    std::string id;
    ShownTime time;
    std::string email;
    std::string name;
    std::string company;
    /// Time of a demo.
    ShownTime slot;
    std::string text;
    std::string status;
    std::vector<NextStatus> next;
};

constexpr auto schemaOf(const LeadRow*)
{
    return describe(members<&LeadRow::id, &LeadRow::time, &LeadRow::email, &LeadRow::name, &LeadRow::company, &LeadRow::slot,
                            &LeadRow::text, &LeadRow::status, &LeadRow::next>());
}

/// One row of the checkouts.
struct CheckoutRow
{
    std::string id;
    ShownTime time;
    std::string email;
    std::string package;
    std::string seats;
    std::string amount;
    /// Text of the type, and ID; empty before it is claimed.
    std::string owner;
    std::string status;
    /// True if an operator decides whether it is paid.
    bool markable = false;
};

constexpr auto schemaOf(const CheckoutRow*)
{
    return describe(members<&CheckoutRow::id, &CheckoutRow::time, &CheckoutRow::email, &CheckoutRow::package, &CheckoutRow::seats,
                            &CheckoutRow::amount, &CheckoutRow::owner, &CheckoutRow::status, &CheckoutRow::markable>());
}

struct AdminView
{
    std::string person;
    /// Path of the script that writes the times.
    std::string script;
    std::vector<LeadRow> waitlist;
    std::vector<LeadRow> demos;
    std::vector<CheckoutRow> checkouts;
    /// False for an empty list: a template cannot test a list without a loop over its rows.
    bool hasWaitlist = false;
    bool hasDemos = false;
    bool hasCheckouts = false;
    PageForm<StatusForm> form;
};

constexpr auto schemaOf(const AdminView*)
{
    return describe(members<&AdminView::person, &AdminView::script, &AdminView::waitlist, &AdminView::demos, &AdminView::checkouts,
                            &AdminView::hasWaitlist, &AdminView::hasDemos, &AdminView::hasCheckouts, &AdminView::form>());
}

/// `/admin/marketing`: the lists, their states and exports, for operators. Thread-safe.
class AdminPage
{
public:
    AdminPage(PluginContext& context, const PageShelf& shelf, const AdminSessions& sessions, const AdminRoutes& changes,
              const CheckoutService& checkouts);
    void declare(Routes& routes);

    Response show(const Request& request) const;
    Response change(const Request& request, const Form<StatusForm>& form) const;

private:
    AdminView viewFor(const Request& request, const Caller& person) const;

    PluginContext& _context;
    const PageShelf& _shelf;
    const AdminSessions& _sessions;
    const AdminRoutes& _changes;
    const CheckoutService& _checkouts;
    const FormPage<AdminView, StatusForm, SiteFrame> _page;
};

} // namespace portico::launchpad
