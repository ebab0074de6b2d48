#pragma once

#include "portico/Export.h"

#include <filesystem>

namespace portico::testing
{

/// A folder that is removed with everything in it at the end of its scope.
class PORTICO_API TemporaryDirectory
{
public:
    /// Where the system puts what is temporary (TMPDIR), or in another folder.
    TemporaryDirectory();
    explicit TemporaryDirectory(const std::filesystem::path& parent);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::filesystem::path& path() const noexcept { return _path; }

private:
    std::filesystem::path _path;
};

} // namespace portico::testing
