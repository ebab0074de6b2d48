#pragma once

#include "portico/Plugin.h"

#include <filesystem>
#include <string>

namespace acme_notes
{

/// The page of the service: the files of `web`, read once, so that page, script and style of a running plugin belong together.
class PageRoutes
{
public:
    /// @throws std::runtime_error that names the file that cannot be read.
    explicit PageRoutes(const std::filesystem::path& folder);
    void declare(portico::Routes& routes);

    portico::Html page() const { return {_page}; }
    portico::Response script() const;
    portico::Response style() const;
    portico::Response icon() const;

private:
    std::string _page;
    std::string _script;
    std::string _style;
    std::string _icon;
};

} // namespace acme_notes
