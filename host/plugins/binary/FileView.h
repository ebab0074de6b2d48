#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace portico::host::plugins
{

/// A file mapped for reading: a library of several megabytes is looked at without a copy that the allocator would keep. The file must not
/// be shortened while this lives.
class FileView
{
public:
    /// @throws std::system_error that names the file.
    explicit FileView(const std::filesystem::path& file);
    FileView(const FileView&) = delete;
    FileView& operator=(const FileView&) = delete;
    ~FileView();

    std::string_view bytes() const noexcept { return {static_cast<const char*>(_start), _size}; }

private:
    void* _start = nullptr;
    std::size_t _size = 0;
};

} // namespace portico::host::plugins
