#pragma once

#include "portico/Blobs.h"
#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/Problem.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// Thrown if there is no response: 502 `upstream_failed` (connection, TLS, time, size) or 400 `address_not_allowed`.
class PORTICO_API HttpFailure final : public Problem
{
public:
    enum class Sent : std::uint8_t
    {
        NotSent,    ///< no byte of the request left this host: it is safe to send it again
        PerhapsSent ///< the other server may have processed it
    };
    HttpFailure(int status, std::string_view code, std::string_view detail, Sent sent);
    HttpFailure(const HttpFailure&);
    ~HttpFailure() override;
    Sent sent() const noexcept { return _sent; }

private:
    Sent _sent;
};

/// Outbound HTTP with limits. Private addresses are rejected unless the operator allows them. The check applies after name resolution, to
/// the connected address of each redirect hop. Blocks. Thread-safe.
class PORTICO_API HttpClient
{
public:
    /// One part of a form (`multipart/form-data`, RFC 7578): a text or a file.
    struct FormPart
    {
        std::string name;
        std::string text{};
        /// Sent instead of `text`; outlives the call.
        const FileBody* file = nullptr;
        std::string fileName{};
        /// Empty: the part has none.
        std::string contentType{};
    };
    struct Request
    {
        std::string method = "GET";
        std::string url;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
        /// Limit of the whole exchange, redirects included.
        std::chrono::milliseconds timeout{10'000};
        /// A longer response is a failure.
        std::uint64_t maxResponseBytes = 1'048'576;
        /// Maximum number of followed redirects (301, 302, 303, 307, 308 with a Location); a further redirect is the response. 303, and 301
        /// and 302 to a POST, continue as GET without a body. Another origin receives only Accept, Accept-Language, Content-Type,
        /// Content-Language and User-Agent: no credentials. A redirect from https to http fails.
        int maxRedirects = 0;
        /// Body instead of `body`, streamed from a file such as a blob (`Blobs::open`). Must outlive the call.
        const FileBody* bodyFile = nullptr;
        /// Body instead of `body` and `bodyFile`: a form whose files are streamed, regardless of their size. The client sets
        /// Content-Type.
        std::vector<FormPart> form{};
        /// Receives the body of a 2xx response instead of `Response::body`. Must outlive the call. The caller commits it. After a failure
        /// it contains a part of the body: discard it.
        Blobs::Writer* bodyInto = nullptr;
        /// Ends the exchange like a timeout when a stop is requested.
        std::stop_token stop{};
    };
    struct PORTICO_API Response
    {
        int status = 0;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
        /// Size of the body, also if it was written elsewhere.
        std::uint64_t bodyBytes = 0;
        /// Final URL after redirects.
        std::string url;
        int redirects = 0;

        /// Returns the first header with this name; null if there is none.
        const std::string* header(std::string_view name) const noexcept;
        /// Retry-After as a duration from `now`, from seconds or a date (RFC 9110, 10.2.3). Empty if absent or unreadable.
        std::optional<std::chrono::seconds> retryAfter(Instant now) const;
    };
    virtual ~HttpClient();
    /// @throws HttpFailure; Problem 413 if `bodyInto` exceeds its quota; std::invalid_argument for an invalid request (a header that the
    /// client sets itself, two bodies).
    virtual Response send(const Request& request) = 0;
    /// Checks an address entered long before it is used. Rejects what `send` would reject without name resolution: schemes other than http
    /// and https, credentials, and literal private addresses or `localhost`. `send` checks the address again.
    /// @throws HttpFailure 400 `address_not_allowed`
    virtual void requireAllowed(std::string_view url) const = 0;
    /// True if the operator has named the address of a URL (`outbound.allowedNetworks`, `outbound.allowedAddresses`). Asks no name server:
    /// false for every name but `localhost`. For services that accept plain http in the operator's own networks only.
    virtual bool isAllowedByOperator(std::string_view url) const = 0;
};

} // namespace portico
