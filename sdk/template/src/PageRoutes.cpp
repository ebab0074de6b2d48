#include "PageRoutes.h"

namespace acme_notes
{

using namespace portico;

PageRoutes::PageRoutes(PluginContext& context, const std::filesystem::path& folder)
    : _view{_assets.add("notes.js", readPageFile(folder / "notes.js"))},
      _icon(readPageFile(folder / "notes.svg")),
      _pages(context.host(), Templates(folder, context.logger()),
             {.stylesheet = _assets.add("notes.css", readPageFile(folder / "notes.css"))}),
      _page(_pages.bind<NotesView>("notes"))
{
}

void PageRoutes::declare(Routes& routes)
{
    // Everyone may see the page; what it shows comes from the API, with the caller's own rights.
    routes.get("/", access::open(), &PageRoutes::page, this, {.summary = "Page of the service", .undocumented = true})
        .get("/notes.svg", access::open(), &PageRoutes::icon, this, {.undocumented = true, .cacheControl = "no-cache"});
    _assets.declare(routes);
}

Response PageRoutes::page(const Request& request) const
{
    return _page.render(request, _view, {.policy = {.scripts = {"'self'"}, .connections = {"'self'"}}});
}

Response PageRoutes::icon() const
{
    Response response;
    response.contentType = "image/svg+xml";
    response.body = _icon;
    return response;
}

} // namespace acme_notes
