#pragma once

#include "host/plugins/runtime/Contracts.h"

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// A route of another service under a path of this one.
struct ForwardedRoute
{
    std::string pattern;
    const plugins::RouteInfo* route = nullptr;
};

/// The OpenAPI 3.1 document of one service at one moment, put together from what its routes declare about themselves. Rendered when it is
/// first asked for, then kept as long as its route table. Thread-safe.
class ApiDocument
{
public:
    struct Text
    {
        std::string json;
        /// With its quotes.
        std::string etag;
    };
    /// All live at least as long as this, and do not change once it is asked.
    ApiDocument(const plugins::PublishedService& service, const std::string& origin, const std::vector<ForwardedRoute>& forwarded)
        : _service(service), _origin(origin), _forwarded(forwarded)
    {
    }
    const Text& text() const;

private:
    const plugins::PublishedService& _service;
    const std::string& _origin;
    const std::vector<ForwardedRoute>& _forwarded;
    mutable std::once_flag _rendered;
    mutable Text _text;
};

/// One file of the documentation page, compiled in from host/routing/docs/page.
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
