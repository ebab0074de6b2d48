#include "AcmeNotesPlugin.h"

namespace acme_notes
{

AcmeNotesPlugin::AcmeNotesPlugin(portico::PluginContext& context)
    : _notes(context), _widget(context), _page(std::filesystem::path(context.host().pluginDirectory) / "web")
{
}

void AcmeNotesPlugin::declare(portico::Routes& routes)
{
    _notes.declare(routes);
    _widget.declare(routes);
    _page.declare(routes);
}

} // namespace acme_notes

PORTICO_PLUGIN(acme_notes::AcmeNotesPlugin);
