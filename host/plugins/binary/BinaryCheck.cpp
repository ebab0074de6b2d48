#include "host/plugins/binary/BinaryCheck.h"

#include "host/base/Digests.h"
#include "host/base/FileDescriptor.h"
#include "host/base/Text.h"
#include "host/plugins/package/FileList.h"

#include "portico/Plugin.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace portico::host::plugins
{

namespace
{

[[noreturn]] void failToView(const std::filesystem::path& file) { throw std::system_error(errno, std::generic_category(), file.string()); }

} // namespace

FileView::FileView(const std::filesystem::path& file)
{
    const FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts = {};
    if (!descriptor || ::fstat(descriptor.get(), &facts) != 0) failToView(file);
    _size = static_cast<std::size_t>(facts.st_size);
    // Nothing can be mapped of an empty file.
    if (_size == 0) return;
    _start = ::mmap(nullptr, _size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (_start == MAP_FAILED) failToView(file);
}

FileView::~FileView()
{
    if (_start) ::munmap(_start, _size);
}

namespace
{
using Fields = std::map<std::string, std::string, std::less<>>;

Fields parseFields(std::string_view text)
{
    Fields fields;
    while (!text.empty())
    {
        const auto end = std::min(text.find(';'), text.size());
        const auto pair = text.substr(0, end);
        const auto equals = std::min(pair.find('='), pair.size());
        fields.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return fields;
}

/// Parses a number from the untrusted file: only digits, at most nine.
long number(const std::string& text)
{
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return -1;
    return std::stol(text);
}

bool fits(const std::string& name, const std::string& host, const std::string& plugin)
{
    if (name == "minor") return number(plugin) >= 0 && number(plugin) <= number(host);
    return host == plugin;
}

std::string shown(std::string text)
{
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

bool isAllowed(std::string_view library)
{
    const auto lines = allowedLibraries();
    const auto at = lines.find("\n" + std::string(library) + "\n");
    return at != std::string_view::npos;
}

void checkSdkRange(const Manifest& manifest, std::vector<std::string>& faults)
{
    if (manifest.sdkEpoch != abi::epoch)
        faults.push_back("plugin.sdk.epoch: expected " + std::to_string(abi::epoch) + ", which this host is of, found " +
                         std::to_string(manifest.sdkEpoch) + ": build the plugin against this host's SDK");
    else if (manifest.sdkMinMinor > abi::minor)
        faults.push_back("plugin.sdk.minMinor: expected at most " + std::to_string(abi::minor) + ", found " +
                         std::to_string(manifest.sdkMinMinor) + ": upgrade the host");
}

void checkSymbols(const ElfFile& file, std::vector<std::string>& faults)
{
    std::string exported;
    for (const auto& symbol : file.symbols)
    {
        if (symbol.unique)
            faults.push_back("symbol " + shown(symbol.name) + " is unique in the process (STB_GNU_UNIQUE): compile with -fno-gnu-unique");
        if (symbol.name == "__cxa_thread_atexit" || symbol.name == "__cxa_thread_atexit_impl")
            faults.push_back("it has a thread_local with a destructor: keep the state in the plugin's object");
        if (symbol.defined && !symbol.unique) exported += (exported.empty() ? "" : ", ") + symbol.name;
    }
    if (exported != "portico_plugin")
        faults.push_back("expected exactly one exported symbol, portico_plugin, found: " + (exported.empty() ? "none" : shown(exported)));
}
} // namespace

std::string_view hostFingerprint() noexcept { return {detail::fingerprint.data, detail::fingerprint.size}; }

std::vector<std::string> compareFingerprints(std::string_view host, std::string_view plugin)
{
    const auto expected = parseFields(host);
    const auto found = parseFields(plugin);
    std::vector<std::string> faults;
    for (const auto& [name, value] : expected)
    {
        const auto other = found.find(name);
        if (other != found.end() && fits(name, value, other->second)) continue;
        faults.push_back("fingerprint field '" + name + "': expected " + (name == "minor" ? "at most " : "") + value + ", found " +
                         (other == found.end() ? "nothing" : shown(other->second)));
    }
    for (const auto& [name, value] : found)
        if (!expected.contains(name)) faults.push_back("fingerprint field '" + shown(name) + "': expected nothing, found " + shown(value));
    return faults;
}

std::vector<std::string> checkBinary(const ElfFile& file, const Manifest& manifest)
{
    std::vector<std::string> faults;
    checkSdkRange(manifest, faults);
    if (!file.fingerprint)
        faults.push_back(
            "expected an ELF note with the SDK's fingerprint, found none: build it with portico_add_plugin() and PORTICO_PLUGIN(Class)");
    else
        std::ranges::move(compareFingerprints(hostFingerprint(), *file.fingerprint), std::back_inserter(faults));
    checkSymbols(file, faults);
    for (const auto& library : file.needed)
        if (!isAllowed(library)) faults.push_back("it needs " + shown(library) + ", which the host does not hold: link it statically");
    if (file.searchPath) faults.push_back("it has a search path for libraries (" + shown(*file.searchPath) + "): link without one");
    if (file.neverUnloads) faults.push_back("it is marked NODELETE: link without -z nodelete");
    return faults;
}

CheckedLibrary checkLibrary(const Manifest& manifest, const std::filesystem::path& installed, std::string sha256)
{
    const FileView view(manifest.directory() / manifest.library);
    CheckedLibrary checked{.sha256 = sha256.empty() ? sha256Hex(view.bytes()) : std::move(sha256), .fingerprint = {}, .needed = {}};
    if (!manifest.librarySha256.empty() && checked.sha256 != manifest.librarySha256)
        throw std::runtime_error(installed.string() + ": expected the SHA-256 " + manifest.librarySha256 + " of the manifest, found " +
                                 checked.sha256 + ": install the plugin again");
    try
    {
        auto file = ElfFile::parse(view.bytes());
        if (const auto faults = checkBinary(file, manifest); !faults.empty())
            throw std::runtime_error(joined(installed.string() + " cannot be loaded:", faults));
        checked.fingerprint = std::move(*file.fingerprint);
        checked.needed = std::move(file.needed);
    }
    catch (const ElfError& error)
    {
        throw std::runtime_error(installed.string() + ": " + error.what());
    }
    return checked;
}

void checkMigrationHash(const Manifest& manifest, const Manifest& installed)
{
    if (!manifest.migrations || manifest.migrationsSha256.empty()) return;
    const auto found = sha256OfFolder(*manifest.migrations);
    if (found != manifest.migrationsSha256)
        throw std::runtime_error(installed.migrations->string() + ": expected the SHA-256 " + manifest.migrationsSha256 +
                                 " of the manifest, found " + found + ": install the plugin again");
}

} // namespace portico::host::plugins
