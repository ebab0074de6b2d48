#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace portico::test
{

/// A directory for one test, removed with everything in it.
class TemporaryDirectory
{
public:
    TemporaryDirectory()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "portico-ctl-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("No temporary directory");
        _path = pattern;
    }
    ~TemporaryDirectory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(_path, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const noexcept { return _path; }
    std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const
    {
        const auto file = _path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << content;
        return file;
    }

private:
    std::filesystem::path _path;
};

} // namespace portico::test
