#include "attachments/AttachmentUpload.h"

#include "attachments/FileName.h"

#include "portico/HeaderValue.h"
#include "portico/Http.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t maximumName = 255;
constexpr std::size_t maximumDescription = 500;
constexpr std::size_t maximumDeclaredType = 255;
constexpr std::size_t bytesPerCharacter = 4;

/// @param field named in the problem
std::string acceptName(std::string_view sent, std::string_view field)
{
    auto name = cleanFileName(sent);
    if (!name) throw Problem::invalid(field, "invalid_encoding", "Not UTF-8 text");
    if (name->empty()) throw Problem::invalid(field, "required", "The file has no name");
    if (characterCount(*name) > maximumName) throw Problem::invalid(field, "too_long", "At most 255 characters");
    return *std::move(name);
}

/// Returns none for a type that cannot be displayed.
std::optional<std::string> declaredTypeOf(std::string_view contentType)
{
    const bool plain = std::all_of(contentType.begin(), contentType.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (contentType.empty() || contentType.size() > maximumDeclaredType || !plain) return std::nullopt;
    return std::string(contentType);
}

bool isExtended(std::string_view name) noexcept { return equalsIgnoreCase(name.substr(0, 6), "UTF-8'"); }

std::string nameFromHeader(std::string_view value)
{
    constexpr std::string_view field = "X-File-Name";
    if (!isExtended(value)) return acceptName(value, field);
    const auto decoded = decodeExtendedValue(value);
    if (!decoded) throw Problem::invalid(field, "invalid_encoding", "Not UTF-8 in the form of RFC 8187");
    return acceptName(*decoded, field);
}

} // namespace

AttachmentUpload::AttachmentUpload(const Upload& upload, const std::optional<std::string>& fileNameHeader)
{
    if (isFormData(upload.contentType()))
        readForm(upload);
    else
        readRaw(upload, fileNameHeader);
}

void AttachmentUpload::readForm(const Upload& upload)
{
    _parts = portico::readForm(upload.file(), upload.contentType());
    for (const auto& part : _parts) takePart(part);
    if (!_file.content) throw Problem::invalid("file", "required", "The form has no file in the field \"file\"");
}

void AttachmentUpload::takePart(const FormPart& part)
{
    if (part.name == "file")
    {
        if (!part.fileName || part.fileName->empty()) throw Problem::invalid("file", "required", "The field is not a file with a name");
        if (_file.content) throw Problem::invalid("file", "too_many_values", "One file at a time");
        _file.fileName = acceptName(*part.fileName, "file");
        _file.declaredType = declaredTypeOf(part.contentType);
        _file.content = &part.content;
    }
    else if (part.name == "description")
    {
        if (_described) throw Problem::invalid("description", "too_many_values", "One description for one file");
        _described = true;
        _file.description = part.text(maximumDescription * bytesPerCharacter);
        if (characterCount(_file.description) > maximumDescription)
            throw Problem::invalid("description", "too_long", "At most 500 characters");
    }
    else
        throw Problem(400, "unknown_field", "The form has a field that this route does not know.")
            .with({part.name, "unknown_field", "No such field"});
}

void AttachmentUpload::readRaw(const Upload& upload, const std::optional<std::string>& fileNameHeader)
{
    if (!fileNameHeader) throw Problem::invalid("X-File-Name", "required", "A raw body needs its name in this header");
    _file.fileName = nameFromHeader(*fileNameHeader);
    _file.declaredType = declaredTypeOf(upload.contentType());
    _file.content = &upload.file();
}

} // namespace portico::crm
