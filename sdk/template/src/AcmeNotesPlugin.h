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
    explicit AcmeNotesPlugin(portico::PluginContext& context) : _context(context) {}
    void start() override { portico::checkTables(_context.database(), notes); }
    void declare(portico::Routes& routes) override;

private:
    portico::PluginContext& _context;
    NoteRoutes _notes{_context};
    WidgetRoutes _widget{_context};
    PageRoutes _page{_context, std::filesystem::path(_context.host().pluginDirectory) / "web"};
};

} // namespace acme_notes
