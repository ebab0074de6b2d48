#include "host/ctl/NewPlugin.h"

#include "host/ctl/Client.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>

namespace portico::host::ctl
{

namespace fs = std::filesystem;

namespace
{

using namespace std::string_view_literals;

// What the template is called in its own files.
constexpr std::string_view templateId = "acme-notes";
constexpr std::string_view templateSpace = "acme_notes";
constexpr std::string_view templateType = "AcmeNotes";
constexpr std::string_view templateTitle = "Acme Notes";
constexpr std::string_view templateVariables = "ACME_NOTES";

/// Services that come with Portico, and what means something else in host names, settings or packages.
constexpr std::array reserved{"identity"sv, "crm"sv, "calendar"sv, "social"sv, "launchpad"sv, "platform"sv,
                              "admin"sv,    "api"sv, "auth"sv,     "www"sv,    "mail"sv,      "host"sv,
                              "server"sv,   "abi"sv, "plugin"sv,   "test"sv,   "localhost"sv};

/// Words with an underscore that no namespace can have; those without one are lengthened anyway.
constexpr std::array taken{"and_eq"sv,      "char8_t"sv,       "char16_t"sv,     "char32_t"sv, "co_await"sv, "co_return"sv,
                           "co_yield"sv,    "const_cast"sv,    "dynamic_cast"sv, "not_eq"sv,   "or_eq"sv,    "reinterpret_cast"sv,
                           "static_cast"sv, "static_assert"sv, "thread_local"sv, "wchar_t"sv,  "xor_eq"sv};

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return isLetter(c) ? static_cast<char>(c - 'a' + 'A') : c; }

[[noreturn]] void refuseName(std::string_view id, std::string_view why)
{
    throw Refused("invalid_name",
                  "A plugin cannot be called '" + std::string(id) + "': " + std::string(why) +
                      " Expected 2 to 40 lower-case letters, digits and hyphens, a letter first, as acme-notes.",
                  nullptr);
}

void checkName(std::string_view id)
{
    constexpr std::size_t longest = 40; // of a service's id
    if (id.size() < 2) refuseName(id, "that is too short.");
    if (id.size() > longest) refuseName(id, "that is too long.");
    if (!isLetter(id.front())) refuseName(id, "it does not begin with a lower-case letter.");
    const auto wrong = std::find_if_not(id.begin(), id.end(), [](char c) { return isLetter(c) || isDigit(c) || c == '-'; });
    if (wrong != id.end()) refuseName(id, "'" + std::string(1, *wrong) + "' cannot stand in a name.");
    if (id.back() == '-' || id.find("--") != std::string_view::npos) refuseName(id, "a hyphen stands between two other characters.");
    if (std::find(reserved.begin(), reserved.end(), id) != reserved.end() || id.starts_with("portico") || id.starts_with("abi-"))
        refuseName(id, "that name is Portico's own; put yours in front, as acme-" + std::string(id) + ".");
}

std::string contentOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file)
        throw Refused("template_missing", "Cannot read " + path.string() + " of the template: install portico-sdk-dev again.", nullptr);
    return content.str();
}

void write(const fs::path& path, const std::string& content)
{
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (error || !file.flush())
        throw Refused("write_failed", "Cannot write " + path.string() + ": check the rights and the free space there.", nullptr);
}

/// Relative paths of the template's files; what was built in there is none of it.
std::vector<fs::path> filesOf(const fs::path& source)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (auto each = fs::recursive_directory_iterator(source, error); !error && each != fs::end(each); each.increment(error))
    {
        if (each->is_directory() && each->path().filename() == "build") each.disable_recursion_pending();
        if (each->is_regular_file()) files.push_back(fs::relative(each->path(), source));
    }
    if (error || std::find(files.begin(), files.end(), "manifest.json") == files.end())
        throw Refused("template_missing",
                      "There is no template at " + source.string() +
                          ": install portico-sdk-dev, or name the folder sdk/template of the sources with --template.",
                      nullptr);
    std::sort(files.begin(), files.end());
    return files;
}

/// Packages hold no hidden files of version control, so that one has another name in the template.
std::string targetOf(const fs::path& file, const PluginNames& names)
{
    return file == "gitignore" ? ".gitignore" : renamed(file.string(), names);
}

} // namespace

PluginNames pluginNames(std::string_view id)
{
    checkName(id);
    PluginNames names;
    names.id = id;
    for (std::size_t i = 0; i < id.size(); ++i)
    {
        const bool first = i == 0 || id[i - 1] == '-';
        if (id[i] == '-')
        {
            names.title += ' ';
            names.space += '_';
            names.variables += '_';
            continue;
        }
        names.title += first ? upper(id[i]) : id[i];
        names.type += first ? upper(id[i]) : id[i];
        names.space += id[i];
        names.variables += upper(id[i]);
    }
    // A short word may be a keyword or a function of the C library: `new`, `time`.
    if (names.space.find('_') == std::string::npos || names.space.ends_with("_t") ||
        std::find(taken.begin(), taken.end(), names.space) != taken.end())
        names.space += "_plugin";
    return names;
}

std::string renamed(std::string_view text, const PluginNames& names)
{
    const std::array<std::pair<std::string_view, std::string_view>, 5> pairs{{{templateId, names.id},
                                                                              {templateSpace, names.space},
                                                                              {templateType, names.type},
                                                                              {templateTitle, names.title},
                                                                              {templateVariables, names.variables}}};
    std::string out;
    out.reserve(text.size());
    // From left to right, once: a new name that holds the template's is not replaced again.
    while (!text.empty())
    {
        const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return text.starts_with(pair.first); });
        if (found == pairs.end())
        {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        out += found->second;
        text.remove_prefix(found->first.size());
    }
    return out;
}

fs::path templateOf(const fs::path& program)
{
    const auto prefix = program.parent_path().parent_path();
    for (const auto& candidate : {prefix / "share" / "portico" / "template", prefix.parent_path().parent_path() / "sdk" / "template"})
        if (fs::exists(candidate / "manifest.json")) return candidate;
    return {};
}

std::vector<std::string> writePlugin(const fs::path& source, const fs::path& folder, const PluginNames& names)
{
    const auto files = filesOf(source);
    std::error_code error;
    const bool made = fs::create_directories(folder, error);
    if (error) throw Refused("write_failed", "Cannot make the folder " + folder.string() + ": " + error.message() + ".", nullptr);
    if (!made)
        throw Refused("directory_exists", folder.string() + " is there already: remove it, or name another folder with --directory.",
                      nullptr);
    std::vector<std::string> written;
    try
    {
        for (const auto& file : files)
        {
            written.push_back(targetOf(file, names));
            write(folder / written.back(), renamed(contentOf(source / file), names));
        }
    }
    catch (...)
    {
        fs::remove_all(folder, error);
        throw;
    }
    std::sort(written.begin(), written.end());
    return written;
}

} // namespace portico::host::ctl
