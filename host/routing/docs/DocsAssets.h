#pragma once

#include <span>
#include <string_view>

namespace portico::host::routing
{

/// One file of the documentation page, compiled in from host/routing/builtin/docs.
struct DocsAsset
{
    std::string_view path;
    std::string_view contentType;
    std::string_view content;
    /// With its quotes.
    std::string_view etag;
};

/// All of them; the page itself is `/docs`.
std::span<const DocsAsset> docsAssets() noexcept;

} // namespace portico::host::routing
