#include "portico/detail/FormBody.h"

#include "portico/Crypto.h"

#include <string_view>
#include <utility>

namespace portico::detail
{

namespace
{

std::string quotedName(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name)
    {
        if (c == '"')
            text += "%22";
        else if (c == '\r')
            text += "%0D";
        else if (c == '\n')
            text += "%0A";
        else
            text += c;
    }
    return text + '"';
}

/// A content type cannot end its header line.
std::string oneLine(std::string_view text) { return std::string(text.substr(0, text.find_first_of("\r\n"))); }

std::string headOf(const HttpClient::FormPart& part, const std::string& boundary)
{
    auto head = "--" + boundary + "\r\nContent-Disposition: form-data; name=" + quotedName(part.name);
    if (part.file != nullptr || !part.fileName.empty()) head += "; filename=" + quotedName(part.fileName);
    if (!part.contentType.empty()) head += "\r\nContent-Type: " + oneLine(part.contentType);
    return head + "\r\n\r\n";
}

} // namespace

FormBody formBody(const std::vector<HttpClient::FormPart>& parts)
{
    const auto boundary = "portico-" + randomToken(24);
    FormBody body;
    body.contentType = "multipart/form-data; boundary=" + boundary;
    std::string text;
    for (const auto& part : parts)
    {
        text += headOf(part, boundary);
        if (part.file == nullptr)
            text += part.text;
        else
            body.pieces.push_back({std::exchange(text, {}), part.file});
        text += "\r\n";
    }
    body.pieces.push_back({text + "--" + boundary + "--\r\n", nullptr});
    for (const auto& piece : body.pieces) body.size += piece.text.size() + (piece.file == nullptr ? 0 : piece.file->size);
    return body;
}

} // namespace portico::detail
