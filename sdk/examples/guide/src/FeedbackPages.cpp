#include "FeedbackPages.h"

namespace acme_notes
{

using namespace portico;

FeedbackPages::FeedbackPages(PluginContext& context, const Templates& texts, const PageFrame& frame)
    : _context(context), _pages(context.host(), texts, frame), _page(_pages.bind("feedback", &FeedbackView::form))
{
}

void FeedbackPages::declare(Routes& routes)
{
    routes.get("/feedback", access::open(), &FeedbackPages::show, this, {.summary = "Feedback page", .undocumented = true})
        .post("/feedback", access::open(), &FeedbackPages::send, this,
              {.summary = "Send feedback by the page's form", .bodyLimit = 16 * 1024, .idempotencyKey = false, .undocumented = true});
}

Response FeedbackPages::show(const Request& request) const { return _page.show(request, {}); }

Response FeedbackPages::send(const Request& request, const Form<Feedback>& form) const
{
    return _page.submit(request, form, {},
                        [&](const Feedback& feedback)
                        {
                            Mail mail{"team@example.org", "Feedback", feedback.text, ""};
                            mail.replyTo = feedback.email;
                            _context.database().transact([&](Transaction& transaction) { _context.mailer().send(transaction, mail); });
                            FeedbackView thanks;
                            thanks.sent = true;
                            return _page.show(request, thanks);
                        });
}

} // namespace acme_notes
