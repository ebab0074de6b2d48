#include "PageRoutes.h"

#include "portico/WebPages.h"

namespace acme_notes
{

using namespace portico;

namespace
{

Response answer(std::string contentType, const std::string& content)
{
    Response response;
    response.contentType = std::move(contentType);
    response.body = content;
    return response;
}

} // namespace

PageRoutes::PageRoutes(const std::filesystem::path& folder)
    : _page(readPageFile(folder / "index.html")),
      _script(readPageFile(folder / "notes.js")),
      _style(readPageFile(folder / "notes.css")),
      _icon(readPageFile(folder / "notes.svg"))
{
}

void PageRoutes::declare(Routes& routes)
{
    // Everyone may see the page; what it shows comes from the API, with the caller's own rights.
    const RouteOptions file{.undocumented = true, .cacheControl = "no-cache"};
    routes.get("/", access::open(), &PageRoutes::page, this, file)
        .get("/notes.js", access::open(), &PageRoutes::script, this, file)
        .get("/notes.css", access::open(), &PageRoutes::style, this, file)
        .get("/notes.svg", access::open(), &PageRoutes::icon, this, file);
}

Response PageRoutes::script() const { return answer("text/javascript; charset=utf-8", _script); }

Response PageRoutes::style() const { return answer("text/css; charset=utf-8", _style); }

Response PageRoutes::icon() const { return answer("image/svg+xml", _icon); }

} // namespace acme_notes
