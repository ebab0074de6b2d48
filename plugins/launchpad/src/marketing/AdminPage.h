#pragma once

#include "marketing/AdminRoutes.h"
#include "marketing/MarketingPages.h"

#include <string>
#include <vector>

namespace portico::launchpad
{

/// Sets the status of one row.
struct StatusForm
{
    /// `wtl_…` or `dmo_…`.
    std::string id;
    std::string status;
};

constexpr auto schemaOf(const StatusForm*)
{
    return describe(field<&StatusForm::id>().required().maxLength(40), field<&StatusForm::status>().required().maxLength(40));
}

/// One row of a list, with the statuses that may follow.
struct LeadRow
{
    std::string id;
    std::string time;
    std::string email;
    std::string name;
    std::string company;
    std::string text;
    std::string status;
    std::vector<std::string> next;
};

constexpr auto schemaOf(const LeadRow*)
{
    return describe(members<&LeadRow::id, &LeadRow::time, &LeadRow::email, &LeadRow::name, &LeadRow::company, &LeadRow::text,
                            &LeadRow::status, &LeadRow::next>());
}

struct AdminView
{
    std::string person;
    std::vector<LeadRow> waitlist;
    std::vector<LeadRow> demos;
    PageForm<StatusForm> form;
};

constexpr auto schemaOf(const AdminView*)
{
    return describe(members<&AdminView::person, &AdminView::waitlist, &AdminView::demos, &AdminView::form>());
}

/// `/admin/marketing`: the lists, their states and exports, for operators. Thread-safe.
class AdminPage
{
public:
    AdminPage(PluginContext& context, const PageShelf& shelf, const AdminSessions& sessions, const AdminRoutes& changes);
    void declare(Routes& routes);

    Response show(const Request& request) const;
    Response change(const Request& request, const Form<StatusForm>& form) const;

private:
    AdminView viewFor(const Caller& person) const;

    PluginContext& _context;
    const AdminSessions& _sessions;
    const AdminRoutes& _changes;
    const FormPage<AdminView, StatusForm> _page;
};

} // namespace portico::launchpad
