#include "AcmeNotesPlugin.h"

namespace acme_notes
{

void AcmeNotesPlugin::declare(portico::Routes& routes)
{
    _notes.declare(routes);
    _widget.declare(routes);
    _page.declare(routes);
}

} // namespace acme_notes

PORTICO_PLUGIN(acme_notes::AcmeNotesPlugin);
