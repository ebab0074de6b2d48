#include "portico/Results.h"

#include <algorithm>

namespace portico
{

std::string attachmentDisposition(std::string_view fileName)
{
    constexpr std::string_view hex = "0123456789ABCDEF";
    const auto isPlain = [](unsigned char c)
    { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_'; };
    std::string ascii, encoded;
    for (const char c : fileName)
    {
        const auto byte = static_cast<unsigned char>(c);
        ascii += byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' ? c : '_';
        if (isPlain(byte))
            encoded += c;
        else
            ((encoded += '%') += hex[byte >> 4]) += hex[byte & 15];
    }
    return "attachment; filename=\"" + ascii + "\"; filename*=UTF-8''" + encoded;
}

namespace detail
{

namespace
{

/// A record's version is its entity tag, so that what was read can be written back under If-Match.
void setVersionTag(Response& response, const Type& type, const void* record)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (member.name != "version" || member.type->kind != Kind::Integer) continue;
        response.etag = '"' + std::to_string(member.type->getInteger(member.reach(const_cast<void*>(record)))) + '"';
    }
}

} // namespace

void writeRecord(Response& response, int status, const Type& type, const void* record, const FieldSelection* fields)
{
    response.status = status;
    response.contentType = "application/json";
    writeJson(response.body, type, record, fields);
    setVersionTag(response, type, record);
}

void writePage(Response& response, const Request& request, const Type& item, const std::vector<const void*>& items,
               const std::optional<std::string>& next, const std::optional<std::int64_t>& total, const FieldSelection& fields,
               const Type* extraType, const void* extra)
{
    response.contentType = "application/json";
    std::string& out = response.body;
    out += "{\"items\":[";
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        if (i > 0) out += ',';
        writeJson(out, item, items[i], &fields);
    }
    out += "],\"nextCursor\":";
    if (next)
        appendJsonString(out, signPageCursor(request, *next));
    else
        out += "null";
    if (total) out += ",\"total\":" + std::to_string(*total);
    std::string beside;
    if (extraType != nullptr) writeJson(beside, *extraType, extra);
    // Its members without its braces.
    if (beside.size() > 2) out.append(",").append(beside, 1, beside.size() - 2);
    out += '}';
}

void writeHtml(Response& response, Html&& html)
{
    response.status = html.status;
    response.contentType = "text/html; charset=utf-8";
    response.body = std::move(html.text);
    response.addHeader("Content-Security-Policy", html.contentSecurityPolicy);
    for (const auto& cookie : html.cookies) response.addCookie(cookie);
}

} // namespace detail

} // namespace portico
