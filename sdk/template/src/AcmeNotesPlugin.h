#pragma once

#include "NoteRoutes.h"
#include "PageRoutes.h"
#include "WidgetRoutes.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// Ties the parts together; the host makes one for each generation.
class AcmeNotesPlugin : public portico::Plugin
{
public:
    explicit AcmeNotesPlugin(portico::PluginContext& context);
    void declare(portico::Routes& routes) override;

private:
    NoteRoutes _notes;
    WidgetRoutes _widget;
    PageRoutes _page;
};

} // namespace acme_notes
