#pragma once

#include "portico/Caller.h"
#include "portico/Http.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// A body that was received completely before the handler runs. Small bodies are in memory, larger ones in an unlinked temporary file.
/// Lives as long as the request.
class PORTICO_API ReceivedFile
{
public:
    virtual ~ReceivedFile();
    virtual std::uint64_t size() const noexcept = 0;
    /// Fills `buffer` from `offset`; returns the number of bytes, 0 at the end. @throws Problem 500 if the disk fails.
    virtual std::size_t read(std::uint64_t offset, std::span<char> buffer) const = 0;
    /// Descriptor of a file with a prefix of this content, for code that can take a file over; -1 if there is none.
    virtual int descriptor() const noexcept { return -1; }
};

class FormTokens;

namespace system
{
class HostRequest;
}

/// One request, as the host hands it to a handler. All views live until the response is complete. Read by one thread at a time.
class PORTICO_API Request
{
public:
    static constexpr std::size_t maxPathParameters = 6;

    Method method = Method::Get;
    /// Percent-encoded path without the query, and the query without `?`.
    std::string_view path;
    std::string_view query;
    std::span<const HeaderField> headers;
    /// The body of a route with a JSON or small body; otherwise empty.
    std::string_view body;
    /// The body of a route with an upload; otherwise null.
    const ReceivedFile* file = nullptr;

    /// The service whose origin was called. On a gateway route this is not the service that answers.
    std::string_view originService;
    /// Origin that the client called, for example `http://crm.localhost:8080`, behind trusted proxies.
    std::string_view origin;
    /// Client address without port, behind trusted proxies.
    std::string_view clientAddress;
    std::string_view requestId;
    bool secure = false;

    const Caller* caller = &Caller::nobody();
    /// Requests the end of a long response, because the plugin is being replaced or the host is stopping.
    std::stop_token stop;

    /// First header of that name, without regard to case; empty if there is none.
    std::string_view header(std::string_view name) const noexcept;
    bool hasHeader(std::string_view name) const noexcept;
    /// Value of a cookie, empty if absent or sent twice with different values.
    std::string_view cookie(std::string_view name) const noexcept;

    /// Decoded path parameters in the order of the pattern.
    std::span<const std::string> pathParameters() const noexcept { return {_pathParameters.data(), _pathParameterCount}; }

    /// Decoded query parameters in the order sent. @throws Problem 400 `validation_failed` for bad percent-encoding or bad UTF-8.
    const std::vector<std::pair<std::string, std::string>>& queryParameters() const;
    /// The only value of a query parameter. @throws Problem 400 if it is sent twice.
    std::optional<std::string_view> queryParameter(std::string_view name) const;

private:
    friend class system::HostRequest;
    friend class FormTokens;
    friend PORTICO_API std::string signCursor(const Request& request, std::string_view scope, std::string_view payload);
    friend PORTICO_API std::string openCursor(const Request& request, std::string_view scope, std::string_view cursor);

    std::string cursorMac(std::string_view scope, std::string_view payload) const;
    std::string formToken(std::string_view purpose, std::string_view browser) const;

    std::string_view _cursorKey;
    std::string_view _route;
    std::array<std::string, maxPathParameters> _pathParameters;
    std::size_t _pathParameterCount = 0;
    mutable std::vector<std::pair<std::string, std::string>> _queryParameters;
    mutable bool _queryParsed = false;
};

} // namespace portico
