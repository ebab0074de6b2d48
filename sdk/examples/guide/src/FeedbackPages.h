#pragma once

#include "portico/Plugin.h"
#include "portico/WebPages.h"

#include <string>

namespace acme_notes
{

struct Feedback
{
    std::string email;
    std::string text;
};

constexpr auto schemaOf(const Feedback*)
{
    using namespace portico;
    return describe(field<&Feedback::email>().required().trimmed().email(), field<&Feedback::text>().required().maxLength(2000));
}

/// Record of the page: its form, and whether it was sent.
struct FeedbackView
{
    portico::PageForm<Feedback> form;
    bool sent = false;
};

constexpr auto schemaOf(const FeedbackView*)
{
    using namespace portico;
    return describe(members<&FeedbackView::form, &FeedbackView::sent>());
}

/// `/feedback`: a page for everyone, which works without scripts.
class FeedbackPages
{
public:
    FeedbackPages(portico::PluginContext& context, const portico::Templates& texts, const portico::PageFrame& frame = {});
    void declare(portico::Routes& routes);

    portico::Response show(const portico::Request& request) const;
    portico::Response send(const portico::Request& request, const portico::Form<Feedback>& form) const;

private:
    portico::PluginContext& _context;
    portico::WebPages _pages;
    portico::FormPage<FeedbackView, Feedback> _page;
};

} // namespace acme_notes
