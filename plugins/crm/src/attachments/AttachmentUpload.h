#pragma once

#include "records/Attachment.h"

#include "portico/Arguments.h"
#include "portico/Multipart.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// The file in the body of an upload: a form's field `file` with its `description`, or the raw body with its name in X-File-Name. Lives as
/// long as the request.
class AttachmentUpload
{
public:
    /// @throws Problem 400
    AttachmentUpload(const Upload& upload, const std::optional<std::string>& fileNameHeader);
    AttachmentUpload(const AttachmentUpload&) = delete;
    AttachmentUpload& operator=(const AttachmentUpload&) = delete;

    const IncomingFile& file() const noexcept { return _file; }

private:
    void readForm(const Upload& upload);
    void readRaw(const Upload& upload, const std::optional<std::string>& fileNameHeader);
    void takePart(const FormPart& part);

    std::vector<FormPart> _parts;
    IncomingFile _file;
    bool _described = false;
};

} // namespace portico::crm
