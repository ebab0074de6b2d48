#pragma once

#include "portico/Request.h"
#include "portico/Response.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::http
{

enum class ContentCoding : std::uint8_t
{
    Identity,
    Gzip,
    Brotli
};

/// What Accept-Encoding allows, best first: `br` before `gzip` at equal weight (RFC 9110, 12.5.3).
struct AcceptedCodings
{
    /// In thousandths; 0: not acceptable.
    int gzip = 0;
    int brotli = 0;

    explicit AcceptedCodings(const Request& request);
    ContentCoding best() const noexcept;
};

/// The coding's name in Content-Encoding.
std::string_view name(ContentCoding coding) noexcept;

/// Text of one kind or another, which shrinks.
bool isCompressible(std::string_view contentType) noexcept;

/// Compresses a body that comes in pieces. Each piece can be read by the client once it is written.
class Encoder
{
public:
    virtual ~Encoder() = default;
    /// Appends to `out`. @throws std::runtime_error when there is no memory.
    virtual void encode(std::string_view in, bool last, std::string& out) = 0;
    /// Not for `Identity`.
    static std::unique_ptr<Encoder> make(ContentCoding coding);
};

/// A body source that compresses what another one produces.
class EncodedSource final : public BodySource
{
public:
    EncodedSource(std::unique_ptr<BodySource> inner, ContentCoding coding);
    bool read(std::string& out, std::size_t wanted) override;

private:
    std::unique_ptr<BodySource> _inner;
    std::unique_ptr<Encoder> _encoder;
    std::string _piece;
};

} // namespace portico::host::http
