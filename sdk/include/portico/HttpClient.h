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

/// Why there is no answer: 502 `upstream_failed` (connection, TLS, time, size) or 400 `address_not_allowed`.
class PORTICO_API HttpFailure final : public Problem
{
public:
    enum class Sent : std::uint8_t
    {
        NotSent,    ///< no byte of the request left this host: it can be sent again, whatever it does there
        PerhapsSent ///< the other server may have carried it out
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
        /// An answer that is longer is a failure.
        std::uint64_t maxResponseBytes = 1'048'576;
        /// Maximum number of followed redirects (301, 302, 303, 307, 308 with a Location); a further redirect is the answer. 303, and 301
        /// and 302 to a POST, continue as GET without a body. Another origin receives only Accept, Accept-Language, Content-Type,
        /// Content-Language and User-Agent: no credentials. A redirect from https to http fails.
        int maxRedirects = 0;
        /// The body instead of `body`, sent as it is read: that of a blob (`Blobs::open`). Outlives the call.
        const FileBody* bodyFile = nullptr;
        /// The body instead of `body` and `bodyFile`: a form, sent as its files are read, whatever their size. The client sets
        /// Content-Type.
        std::vector<FormPart> form{};
        /// Where the body of a 2xx answer is written as it comes in, instead of `Response::body`; outlives the call, and is the caller's to
        /// commit. After a failure it holds a part: drop it.
        Blobs::Writer* bodyInto = nullptr;
        /// Ends the exchange when a stop is requested, as if its time were over.
        std::stop_token stop{};
    };
    struct PORTICO_API Response
    {
        int status = 0;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
        /// Size of the body, wherever it was written.
        std::uint64_t bodyBytes = 0;
        /// Final URL after redirects.
        std::string url;
        int redirects = 0;

        /// The first of that name; null if there is none.
        const std::string* header(std::string_view name) const noexcept;
        /// Retry-After as a duration from `now`, from seconds or a date (RFC 9110, 10.2.3). Empty if absent or unreadable.
        std::optional<std::chrono::seconds> retryAfter(Instant now) const;
    };
    virtual ~HttpClient();
    /// @throws HttpFailure; Problem 413 when `bodyInto` goes over its quota; std::invalid_argument for what cannot be sent (a header that
    /// is the client's own, two bodies).
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
