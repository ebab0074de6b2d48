#include "host/plugins/lifecycle/PageStore.h"

#include "host/base/Digests.h"
#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
/// Selects the files below a plugin's pages, named from there.
FileList pagesOf(const Manifest& manifest, const FileList& copied)
{
    FileList pages;
    const auto prefix = manifest.web->root + "/";
    for (auto file = copied.files.lower_bound(prefix); file != copied.files.end() && file->first.starts_with(prefix); ++file)
        pages.files.emplace(file->first.substr(prefix.size()), file->second);
    return pages;
}

std::string nameOf(const FileList& files) { return sha256Hex(files.text()).substr(0, 32); }

/// Beside builds, while one is written.
constexpr std::string_view unfinished = "new";

void copyPages(const fs::path& from, const FileList& files, const fs::path& to)
{
    const auto made = to.parent_path() / unfinished;
    fs::remove_all(made);
    for (const auto& [path, sha256] : files.files)
    {
        fs::create_directories((made / path).parent_path());
        if (copyHashed(from / path, made / path) != sha256)
            throw std::runtime_error((from / path).string() + ": expected the file that was verified, found another: try again");
    }
    fs::rename(made, to);
}

std::uintmax_t sizeOf(const fs::path& folder, const std::vector<std::string>& files)
{
    std::uintmax_t size = 0;
    for (const auto& file : files) size += fs::file_size(folder / file);
    return size;
}

fs::file_time_type fileTime(Instant time)
{
    return std::chrono::file_clock::from_sys(std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
}

/// The time of a build that has not served yet: too old to count, so that a plugin that does not start pushes out nothing.
constexpr Instant neverServed{};

/// Folders of builds by their time, the newest first: when one began to serve or, of earlier ones, was replaced.
std::vector<fs::path> byTime(const fs::path& service)
{
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    for (const auto& entry : fs::directory_iterator(service))
        if (entry.path().filename() != unfinished) found.emplace_back(entry.last_write_time(), entry.path());
    std::ranges::sort(found, std::greater());
    std::vector<fs::path> folders;
    for (auto& [time, path] : found) folders.push_back(std::move(path));
    return folders;
}
} // namespace

PageStore::PageStore(const fs::path& stateDirectory, const Clock& clock, PageLimits limits)
    : _root(stateDirectory / "pages"), _clock(clock), _limits(limits)
{
    fs::create_directories(_root);
    fs::permissions(_root, fs::perms::owner_all);
}

std::vector<PageBuild> PageStore::keep(const Manifest& manifest, const FileList& copied)
try
{
    const auto pages = pagesOf(manifest, copied);
    if (pages.files.empty()) return {};
    const auto service = _root / manifest.serviceId;
    fs::create_directories(service);
    if (_verified.insert(manifest.serviceId).second) verify(service);
    const auto folder = service / nameOf(pages);
    if (!fs::exists(folder))
    {
        copyPages(manifest.directory() / manifest.web->root, pages, folder);
        fs::last_write_time(folder, fileTime(neverServed));
    }
    return within(folder);
}
catch (const std::system_error& error)
{
    const auto text = "cannot keep the pages of " + manifest.serviceId + " in " + _root.string() + ": " + error.what() +
                      ": check the rights and the free space of the folder";
    if (auto away = unavailableDependency(error); !away.empty()) throw DependencyUnavailable(std::move(away), text);
    throw std::runtime_error(text);
}

std::vector<PageBuild> PageStore::within(const fs::path& current) const
{
    std::vector<PageBuild> kept{{current, filesBelow(current)}};
    auto bytes = sizeOf(current, kept.front().files);
    const auto folders = byTime(current.parent_path());
    for (const auto& folder : folders)
    {
        const auto time = fs::last_write_time(folder);
        // The first, where it is another one, serves until now.
        const bool tooOld = folder != folders.front() && time < fileTime(_clock.now() - _limits.age);
        if (folder == current || time == fileTime(neverServed) || tooOld) continue;
        PageBuild build{folder, filesBelow(folder)};
        bytes += sizeOf(folder, build.files);
        if (kept.size() == _limits.builds || bytes > _limits.bytes) break;
        kept.push_back(std::move(build));
    }
    return kept;
}

void PageStore::served(const std::vector<PageBuild>& builds)
try
{
    if (builds.empty()) return;
    const auto& current = builds.front().folder;
    std::error_code ignored;
    const auto newest = byTime(current.parent_path()).front();
    const auto now = _clock.now();
    if (newest != current && fs::last_write_time(newest) != fileTime(neverServed))
        fs::last_write_time(newest, fileTime(now - std::chrono::milliseconds(1)), ignored);
    if (newest != current || fs::last_write_time(current) == fileTime(neverServed)) fs::last_write_time(current, fileTime(now), ignored);
    for (const auto& folder : byTime(current.parent_path()))
        if (std::ranges::find(builds, folder, &PageBuild::folder) == builds.end()) fs::remove_all(folder, ignored);
}
catch (const fs::filesystem_error&)
{
    // The next build tidies up.
}

/// Removes builds that are damaged or incomplete.
void PageStore::verify(const fs::path& service)
{
    for (const auto& entry : fs::directory_iterator(service))
    {
        bool whole = false;
        try
        {
            whole = entry.is_directory() && nameOf(FileList::of(entry.path())) == entry.path().filename();
        }
        catch (const std::runtime_error&)
        {
        }
        if (!whole) fs::remove_all(entry.path());
    }
}

} // namespace portico::host::plugins
