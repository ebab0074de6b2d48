#pragma once

#include "portico/Export.h"
#include "portico/Request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// A range of a received file, a ReceivedFile itself, so that code for raw bodies also reads form parts. Lives as long as the file.
/// Thread-safe if the file is.
class PORTICO_API FileRange final : public ReceivedFile
{
public:
    /// `offset` and `size` must lie within the file.
    FileRange(const ReceivedFile& file, std::uint64_t offset, std::uint64_t size) noexcept : _file(&file), _offset(offset), _size(size) {}
    std::uint64_t size() const noexcept override { return _size; }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override;
    /// Where the range begins in the received file.
    std::uint64_t offset() const noexcept { return _offset; }

private:
    const ReceivedFile* _file;
    std::uint64_t _offset;
    std::uint64_t _size;
};

/// One part of a form. All texts are untrusted input of the sender; only their UTF-8 was validated, and NUL was rejected.
struct FormPart
{
    /// Name of the form's field.
    std::string name;
    /// Present for a file. May be empty, and may contain path segments and control characters.
    std::optional<std::string> fileName;
    /// Content-Type as sent; `text/plain` if none was (RFC 7578, 4.4).
    std::string contentType;
    FileRange content;

    /// The whole content as UTF-8 text without NUL, for small fields. @throws Problem 400 `validation_failed` with the part's name
    /// (`too_long`, `invalid_encoding`).
    PORTICO_API std::string text(std::size_t maximumBytes) const;
};

/// Limits of a form. A boundary never has more than 70 characters (RFC 2046, 5.1.1).
struct FormLimits
{
    std::size_t parts = 32;
    /// Limit of one part's header lines, line ends included.
    std::size_t headerBytes = 8 * 1024;
};

/// True for the Content-Type `multipart/form-data` with any parameters.
PORTICO_API bool isFormData(std::string_view contentType) noexcept;

/// The parts of a multipart/form-data body (RFC 7578, RFC 2046 section 5.1) in the order sent; contents stay in the file, so that memory is
/// bounded by the limits, not by the body. Strict: line ends are CRLF, every part has one `Content-Disposition: form-data` with a name, no
/// transfer encoding, and the body ends with the closing boundary.
/// @throws Problem 415 `unsupported_media_type` for another Content-Type, 400 `validation_failed` for a malformed body or one over a limit.
PORTICO_API std::vector<FormPart> readForm(const ReceivedFile& file, std::string_view contentType, const FormLimits& limits = {});
/// The parts refer to the file: it must outlive them.
std::vector<FormPart> readForm(const ReceivedFile&& file, std::string_view contentType, const FormLimits& limits = {}) = delete;

} // namespace portico
