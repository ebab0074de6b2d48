#include "portico/Response.h"

#include "portico/Cookie.h"
#include "portico/Http.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace portico
{

namespace
{

/// A response that could say these itself could contradict what the host sends, and so cut or join messages on the connection.
constexpr std::array<std::string_view, 7> framingHeaders{"Connection", "Content-Length", "Content-Type",     "Date",
                                                         "Keep-Alive", "Trailer",        "Transfer-Encoding"};

bool isHeaderNameCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool isValueCharacter(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

[[noreturn]] void refuseHeader(std::string_view name, std::string_view why)
{
    throw std::invalid_argument("response header \"" + std::string(name) + "\" cannot be sent: " + std::string(why));
}

void checkHeader(std::string_view name, std::string_view value)
{
    if (name.empty() || !std::all_of(name.begin(), name.end(), isHeaderNameCharacter))
        refuseHeader(name, "its name is not a token of RFC 9110");
    if (!std::all_of(value.begin(), value.end(), isValueCharacter)) refuseHeader(name, "its value holds a control character");
    const auto same = [name](std::string_view other) { return equalsIgnoreCase(name, other); };
    if (std::any_of(framingHeaders.begin(), framingHeaders.end(), same))
        refuseHeader(name, "the host sends it; use the members of Response");
}

} // namespace

BodySource::~BodySource() = default;

FileBody::FileBody(FileBody&& other) noexcept : descriptor(std::exchange(other.descriptor, -1)), size(other.size), modified(other.modified)
{
}

FileBody& FileBody::operator=(FileBody&& other) noexcept
{
    std::swap(descriptor, other.descriptor);
    std::swap(size, other.size);
    std::swap(modified, other.modified);
    return *this;
}

FileBody::~FileBody()
{
    if (descriptor >= 0) ::close(descriptor);
}

Response::Response() = default;
Response::Response(Response&&) noexcept = default;
Response& Response::operator=(Response&&) noexcept = default;
Response::~Response() = default;

void Response::addHeader(std::string_view name, std::string_view value)
{
    checkHeader(name, value);
    _headerBlock.reserve(_headerBlock.size() + name.size() + value.size() + 4);
    _headerBlock.append(name).append(": ").append(value).append("\r\n");
}

void Response::addCookie(const SetCookie& cookie) { addHeader("Set-Cookie", cookie.text()); }

bool Response::hasHeader(std::string_view name) const noexcept
{
    std::string_view rest = _headerBlock;
    while (!rest.empty())
    {
        const auto end = rest.find("\r\n");
        if (rest.size() > name.size() && rest[name.size()] == ':' && equalsIgnoreCase(rest.substr(0, name.size()), name)) return true;
        rest.remove_prefix(end + 2);
    }
    return false;
}

void Response::json(int code, std::string text)
{
    status = code;
    contentType = "application/json";
    body = std::move(text);
}

void Response::clear()
{
    status = 200;
    contentType.clear();
    body.clear();
    source.reset();
    file.reset();
    live.reset();
    cacheControl.clear();
    etag.clear();
    _headerBlock.clear();
}

} // namespace portico
