#include "marketing/AdminPage.h"

#include "common/SignedIn.h"
#include "plans/Money.h"

namespace portico::launchpad
{

namespace
{
constexpr std::string_view adminPath = "/admin/marketing";
/// Newest rows that the page shows; the export contains all.
constexpr std::int64_t shownRows = 200;

constexpr std::string_view statusTexts = "pages.admin.statuses.", markTexts = "pages.admin.marks.", packageTexts = "pages.admin.packages.",
                           intervalTexts = "pages.admin.intervals.", ownerTexts = "pages.admin.owners.";

/// Texts of stored words in the language of a page.
struct AdminTexts
{
    const Templates& templates;
    std::string language;

    std::string operator()(std::string_view group, std::string_view word) const
    {
        return templates.text(std::string(group) + std::string(word), language).value_or(std::string(word));
    }
};

template <class S>
std::vector<NextStatus> following(S status, const AdminTexts& texts)
{
    std::vector<NextStatus> next;
    for (const auto& [word, other] : schemaOf(static_cast<const S*>(nullptr)))
        if (other != status && follows(other, status)) next.push_back({std::string(word), texts(markTexts, word)});
    return next;
}

LeadRow rowOf(const WaitlistEntry& entry, const AdminTexts& texts)
{
    return {entry.id.text(),
            ShownTime::of(entry.createdAt),
            entry.email,
            entry.name,
            entry.company,
            {},
            entry.interest,
            texts(statusTexts, toString(entry.status)),
            following(entry.status, texts)};
}

LeadRow rowOf(const DemoBooking& demo, const AdminTexts& texts)
{
    std::string text = demo.package ? texts(packageTexts, toString(*demo.package)) : std::string();
    if (!demo.message.empty()) text += (text.empty() ? "" : ": ") + demo.message;
    return {demo.id.text(),
            ShownTime::of(demo.createdAt),
            demo.email,
            demo.name,
            demo.company,
            demo.slotStart ? ShownTime::of(*demo.slotStart) : ShownTime(),
            std::move(text),
            texts(statusTexts, toString(demo.status)),
            following(demo.status, texts)};
}

CheckoutRow rowOf(const Checkout& checkout, const AdminTexts& texts)
{
    const bool paid = checkout.kind == PlanKind::Paid;
    return {checkout.id.text(),
            ShownTime::of(checkout.createdAt),
            checkout.email,
            texts(packageTexts, paid ? toString(checkout.package) : toString(checkout.kind)),
            std::to_string(checkout.seats),
            shownAmount(checkout.amountPerSeat, checkout.currency, texts.language) + " / " +
                texts(intervalTexts, toString(checkout.interval)),
            checkout.owner().known() ? texts(ownerTexts, checkout.ownerType) + ' ' + checkout.ownerId : std::string(),
            texts(statusTexts, toString(checkout.status)),
            isMarkable(checkout)};
}

PageOptions withTimes()
{
    PageOptions options;
    options.policy.scripts = {"'self'"};
    return options;
}

template <class I, class S>
void setStatusOf(const AdminRoutes& changes, const StatusForm& form)
{
    const auto id = I::parse(form.id);
    const auto status = parseEnum<S>(form.status);
    if (!id) throw Problem::notFound();
    if (!status) throw Problem::invalid("status", "invalid_choice", "Choose one of the statuses");
    changes.setStatus(*id, *status, IfMatch(std::string_view()));
}

void markCheckout(const CheckoutService& checkouts, const StatusForm& form)
{
    const auto status = parseEnum<CheckoutStatus>(form.status);
    if (!status) throw Problem::invalid("status", "invalid_choice", "Choose one of the statuses");
    checkouts.mark(form.id, *status, IfMatch(std::string_view()));
}
} // namespace

AdminPage::AdminPage(PluginContext& context, const PageShelf& shelf, const AdminSessions& sessions, const AdminRoutes& changes,
                     const CheckoutService& checkouts)
    : _context(context),
      _shelf(shelf),
      _sessions(sessions),
      _changes(changes),
      _checkouts(checkouts),
      _page(shelf.signedInPages.bind("admin", &AdminView::form))
{
    for (const auto group : {statusTexts, markTexts, packageTexts, intervalTexts, ownerTexts}) shelf.pages.templates().expect(group);
}

void AdminPage::declare(Routes& routes)
{
    routes
        .get(adminPath, access::open(), &AdminPage::show, this,
             {.summary = "Admin page of the waitlist, requests and checkouts", .undocumented = true})
        .post(adminPath, access::open(), &AdminPage::change, this,
              {.summary = "Submit the status form of the admin page", .idempotencyKey = false, .undocumented = true});
}

AdminView AdminPage::viewFor(const Request& request, const Caller& person) const
{
    AdminView view;
    view.person = person.displayName;
    view.script = _shelf.script;
    const AdminTexts texts{_shelf.pages.templates(), _shelf.pages.localeOf(request)};
    auto session = _context.database().session();
    for (const auto& each : waitlistTable.select(installation).orderBy(descending(&WaitlistEntry::createdAt)).all(session, shownRows))
        view.waitlist.push_back(rowOf(each, texts));
    for (const auto& each : demoTable.select(installation).orderBy(descending(&DemoBooking::createdAt)).all(session, shownRows))
        view.demos.push_back(rowOf(each, texts));
    for (const auto& each : checkouts::newest(session, shownRows)) view.checkouts.push_back(rowOf(each, texts));
    view.hasWaitlist = !view.waitlist.empty();
    view.hasDemos = !view.demos.empty();
    view.hasCheckouts = !view.checkouts.empty();
    return view;
}

Response AdminPage::show(const Request& request) const
{
    std::shared_ptr<const Caller> person;
    auto options = withTimes();
    try
    {
        person = behindCookie(_context, request);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 401) throw;
        return redirectTo("/login?return_to=" + std::string(adminPath));
    }
    if (!managesMarketing(*person))
        throw Problem::forbidden("permission_denied",
                                 "It is for operators of the platform and members with the permission to manage marketing.");
    try
    {
        _sessions.require(request);
    }
    catch (const Problem&)
    {
        options.cookies.push_back(_sessions.begin(*person).cookie);
    }
    return _page.show(request, viewFor(request, *person), std::move(options));
}

Response AdminPage::change(const Request& request, const Form<StatusForm>& form) const
{
    std::shared_ptr<const Caller> person;
    try
    {
        person = _sessions.require(request);
    }
    catch (const Problem&)
    {
        // The page starts a new session, or says why there is none.
        return redirectTo(adminPath);
    }
    const auto act = [&](const StatusForm& sent) -> Redirect
    {
        if (sent.id.starts_with(WaitlistId::prefix))
            setStatusOf<WaitlistId, WaitlistStatus>(_changes, sent);
        else if (sent.id.starts_with(CheckoutId::prefix))
            markCheckout(_checkouts, sent);
        else
            setStatusOf<DemoId, DemoStatus>(_changes, sent);
        return {std::string(adminPath)};
    };
    return _page.submit(request, form, viewFor(request, *person), act, withTimes());
}

} // namespace portico::launchpad
