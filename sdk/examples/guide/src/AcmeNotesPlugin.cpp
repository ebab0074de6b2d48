#include "AcmeNotesPlugin.h"

#include "portico/interfaces/Directory.h"

namespace acme_notes
{

AcmeNotesPlugin::AcmeNotesPlugin(portico::PluginContext& context)
    : _context(context),
      _notes(context),
      _assignments(context),
      _topics{context},
      _reminders(context),
      _greeter(context),
      _widget(context),
      _page(context, std::filesystem::path(context.host().pluginDirectory) / "web"),
      _feedback(context, _reminders.texts(), _page.frame())
{
}

void AcmeNotesPlugin::start()
{
    portico::checkTables(_context.database(), notes, assignments, topic::topics);
    _reminders.start();
    _greeter.start();
    _context.services().provide<NoteCounter>(*this);
}

void AcmeNotesPlugin::declare(portico::Routes& routes)
{
    _notes.declare(routes);
    _assignments.declare(routes);
    _topics.declare(routes);
    routes.get("/api/changes", portico::access::bearer("notes:read"), &portico::Changes::follow, &_changes, {.summary = "Stream changes"});
    _widget.declare(routes);
    _page.declare(routes);
    _feedback.declare(routes);
}

std::vector<portico::HealthCheck> AcmeNotesPlugin::health()
{
    portico::HealthCheck directory{"identity.directory"};
    directory.healthy = static_cast<bool>(_context.services().find<portico::interfaces::Directory>());
    return {directory};
}

std::int64_t AcmeNotesPlugin::count(portico::Tenant organization)
{
    auto session = _context.database().session();
    return notes.count(session, organization);
}

} // namespace acme_notes

PORTICO_PLUGIN(acme_notes::AcmeNotesPlugin);
