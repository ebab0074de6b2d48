#pragma once

#include "AssignmentRoutes.h"
#include "ContactGreeter.h"
#include "FeedbackPages.h"
#include "NoteCounter.h"
#include "NoteRoutes.h"
#include "PageRoutes.h"
#include "Reminders.h"
#include "Topics.h"
#include "WidgetRoutes.h"

#include "portico/Changes.h"
#include "portico/Plugin.h"

namespace acme_notes
{

/// Ties the parts together; the host makes one for each generation.
class AcmeNotesPlugin : public portico::Plugin, private NoteCounter
{
public:
    explicit AcmeNotesPlugin(portico::PluginContext& context);
    void start() override;
    void declare(portico::Routes& routes) override;
    std::vector<portico::HealthCheck> health() override;

private:
    std::int64_t count(portico::Tenant organization) override;

    portico::PluginContext& _context;
    NoteRoutes _notes;
    AssignmentRoutes _assignments;
    topic::TopicRoutes _topics;
    Reminders _reminders;
    ContactGreeter _greeter;
    portico::Changes _changes{_context.channels()};
    WidgetRoutes _widget;
    PageRoutes _page;
    FeedbackPages _feedback;
};

} // namespace acme_notes
