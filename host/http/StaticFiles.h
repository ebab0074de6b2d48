#pragma once

#include "host/base/FileDescriptor.h"
#include "host/http/ContentCoding.h"

#include "portico/Request.h"
#include "portico/Response.h"

#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace portico::host::http
{

/// Serves the files of one directory: entity tags, precompressed siblings (`app.js.br`, `app.js.gz`), `immutable` for names that carry a
/// hash of their content, revalidation for the rest. Nothing outside the directory can be reached, symbolic links are not followed.
/// Immutable, so any number of threads may ask; opens files, so not for a loop.
class StaticFiles
{
public:
    /// @param root The directory. @throws std::system_error that names it if it cannot be opened.
    explicit StaticFiles(const std::string& root);

    /// Fills the response for a GET or HEAD; false, and nothing is filled, if there is no such file.
    /// @param encoded The path, percent-encoded, from `/`; one that ends in `/` means its `index.html`.
    bool serve(const Request& request, std::string_view encoded, Response& response) const;

    /// `index-BxK3v9aQ.js`, `app.3f9c2b71.css`: eight characters or more with a digit, as bundlers write it, and in `assets/` any eight
    /// behind a hyphen. Such a file never changes under its name.
    static bool hasContentHash(std::string_view path) noexcept;

private:
    /// A file, or a precompressed sibling in its place.
    struct Found
    {
        FileDescriptor file;
        struct stat status
        {
        };
        ContentCoding coding = ContentCoding::Identity;
        std::string_view suffix{};
    };

    /// Returns the file in the client's preferred coding; without a descriptor if there is no file.
    Found find(const Request& request, std::string_view path) const;
    /// The folder that a path leads to, empty for the directory itself; none where there is no such folder.
    std::optional<FileDescriptor> openFolder(std::string_view path) const;

    FileDescriptor _root;
};

} // namespace portico::host::http
