#include "host/http/ContentCoding.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <Poco/DeflatingStream.h>
#include <brotli/encode.h>

namespace portico::host::http
{

namespace
{

/// `q=0.5` in thousandths; a malformed weight is 0, so that a broken header gets the uncompressed text.
int parseWeight(std::string_view text) noexcept
{
    if (text.size() < 3 || text.size() > 7 || lowerCase(text[0]) != 'q' || text[1] != '=') return 0;
    const auto weight = parseNumber<double>(text.substr(2));
    const bool form = (text[2] == '0' || text[2] == '1') && (text.size() == 3 || text[3] == '.') &&
                      text.find_first_not_of("0123456789", 4) == std::string_view::npos;
    return weight && form ? static_cast<int>(std::lround(std::min(*weight, 1.0) * 1000)) : 0;
}

/// Compresses a body that comes in pieces.
class Encoder
{
public:
    virtual ~Encoder() = default;
    /// Appends to `out`. @throws std::runtime_error when there is no memory.
    virtual void encode(std::string_view in, bool last, std::string& out) = 0;
};

class GzipEncoder final : public Encoder
{
public:
    void encode(std::string_view in, bool last, std::string& out) override
    {
        _stream.write(in.data(), static_cast<std::streamsize>(in.size()));
        if (last)
            _stream.close();
        else
            _stream.flush();
        if (!_stream || !_out) throw std::runtime_error("gzip: broken state");
        out += _out.view();
        _out.str({});
    }

private:
    std::ostringstream _out;
    Poco::DeflatingOutputStream _stream{_out, Poco::DeflatingStreamBuf::STREAM_GZIP, 5};
};

class BrotliEncoder final : public Encoder
{
public:
    BrotliEncoder() : _state(::BrotliEncoderCreateInstance(nullptr, nullptr, nullptr), ::BrotliEncoderDestroyInstance)
    {
        if (!_state) throw std::runtime_error("brotli: no memory");
        // About as fast as gzip at its default level, with smaller output.
        ::BrotliEncoderSetParameter(_state.get(), BROTLI_PARAM_QUALITY, 4);
        ::BrotliEncoderSetParameter(_state.get(), BROTLI_PARAM_LGWIN, 18);
    }

    void encode(std::string_view in, bool last, std::string& out) override
    {
        auto available = in.size();
        const auto* next = reinterpret_cast<const std::uint8_t*>(in.data());
        const auto operation = last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH;
        do {
            std::size_t none = 0;
            if (::BrotliEncoderCompressStream(_state.get(), operation, &available, &next, &none, nullptr, nullptr) == BROTLI_FALSE)
                throw std::runtime_error("brotli: broken state");
            std::size_t size = 0;
            const auto* data = ::BrotliEncoderTakeOutput(_state.get(), &size);
            out.append(reinterpret_cast<const char*>(data), size);
        } while (available > 0 || ::BrotliEncoderHasMoreOutput(_state.get()) == BROTLI_TRUE);
    }

private:
    std::unique_ptr<BrotliEncoderState, void (*)(BrotliEncoderState*)> _state;
};

std::unique_ptr<Encoder> makeEncoder(ContentCoding coding)
{
    if (coding == ContentCoding::Gzip) return std::make_unique<GzipEncoder>();
    return std::make_unique<BrotliEncoder>();
}

class EncodedSource final : public BodySource
{
public:
    EncodedSource(std::unique_ptr<BodySource> inner, ContentCoding coding) : _inner(std::move(inner)), _encoder(makeEncoder(coding)) {}
    bool read(std::string& out, std::size_t wanted) override
    {
        _piece.clear();
        const bool more = _inner->read(_piece, wanted);
        if (!more || !_piece.empty()) _encoder->encode(_piece, !more, out);
        return more;
    }

private:
    const std::unique_ptr<BodySource> _inner;
    const std::unique_ptr<Encoder> _encoder;
    std::string _piece;
};

} // namespace

AcceptedCodings::AcceptedCodings(const Request& request)
{
    std::optional<int> namedGzip;
    std::optional<int> namedBrotli;
    int others = 0;
    for (const auto& field : request.headers)
    {
        if (!equalsIgnoreCase(field.name, "Accept-Encoding")) continue;
        for (auto list = field.value; !list.empty();)
        {
            auto element = takeElement(list);
            const auto coding = takeElement(element, ';');
            const int weight = element.empty() ? 1000 : parseWeight(trimmed(element));
            if (equalsIgnoreCase(coding, "gzip")) namedGzip = weight;
            if (equalsIgnoreCase(coding, "br")) namedBrotli = weight;
            if (coding == "*") others = weight;
        }
    }
    gzip = namedGzip.value_or(others);
    brotli = namedBrotli.value_or(others);
}

ContentCoding AcceptedCodings::best() const noexcept
{
    if (gzip == 0 && brotli == 0) return ContentCoding::Identity;
    return brotli >= gzip ? ContentCoding::Brotli : ContentCoding::Gzip;
}

std::string_view name(ContentCoding coding) noexcept
{
    return coding == ContentCoding::Gzip ? "gzip" : coding == ContentCoding::Brotli ? "br" : "identity";
}

bool isCompressible(std::string_view contentType) noexcept
{
    const auto type = trimmed(contentType.substr(0, contentType.find(';')));
    constexpr std::array<std::string_view, 5> whole{"application/json", "application/javascript", "application/xml", "application/x-ndjson",
                                                    "application/wasm"};
    const auto same = [type](std::string_view other) { return equalsIgnoreCase(type, other); };
    // Events are small and must not be delayed.
    if (same("text/event-stream")) return false;
    if (equalsIgnoreCase(type.substr(0, 5), "text/") || std::any_of(whole.begin(), whole.end(), same)) return true;
    const auto suffix = type.substr(std::min(type.rfind('+'), type.size()));
    return equalsIgnoreCase(suffix, "+json") || equalsIgnoreCase(suffix, "+xml");
}

std::string compressed(std::string_view text, ContentCoding coding)
{
    std::string out;
    makeEncoder(coding)->encode(text, true, out);
    return out;
}

std::unique_ptr<BodySource> compressed(std::unique_ptr<BodySource> source, ContentCoding coding)
{
    return std::make_unique<EncodedSource>(std::move(source), coding);
}

} // namespace portico::host::http
