#pragma once

#include "portico/Plugin.h"
#include "portico/WebPages.h"

#include <filesystem>
#include <string>

namespace acme_notes
{

/// Record of the page.
struct NotesView
{
    /// Path of its script.
    std::string script;
};

constexpr auto schemaOf(const NotesView*)
{
    using namespace portico;
    return describe(members<&NotesView::script>());
}

/// The page of the service, from the files of `web`. They are read once, so page, script and style of a running plugin belong together.
class PageRoutes
{
public:
    /// @throws std::runtime_error that names the file that cannot be read
    PageRoutes(portico::PluginContext& context, const std::filesystem::path& folder);
    void declare(portico::Routes& routes);

    portico::Response page(const portico::Request& request) const;
    portico::Response icon() const;
    /// For further pages of the service.
    const portico::PageFrame& frame() const { return _pages.frame(); }

private:
    portico::PageAssets _assets;
    NotesView _view;
    std::string _icon;
    portico::WebPages _pages;
    portico::WebPage<NotesView> _page;
};

} // namespace acme_notes
