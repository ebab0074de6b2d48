#pragma once

#include "NoteStore.h"
#include "Widget.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// `GET /api/widget`: the service's tile on the launchpad.
class WidgetRoutes
{
public:
    WidgetRoutes(portico::Context& context, const NoteStore& notes) : _context(context), _notes(notes) {}
    void declare(portico::Routes& routes);

    Widget show(const portico::Caller& caller, const portico::Query<WidgetQuery>& query) const;

private:
    portico::Context& _context;
    const NoteStore& _notes;
};

} // namespace acme_notes
