#include "host/ctl/NewPlugin.h"

#include "host/base/ReadFiles.h"
#include "host/ctl/Command.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <span>
#include <system_error>

namespace portico::host::ctl
{

namespace fs = std::filesystem;

namespace
{

// Names of the template in its own files.
constexpr std::string_view templateId = "acme-notes";
constexpr std::string_view templateSpace = "acme_notes";
constexpr std::string_view templateType = "AcmeNotes";
constexpr std::string_view templateTitle = "Acme Notes";
constexpr std::string_view templateVariables = "ACME_NOTES";
constexpr std::string_view withArticle = "a note";

/// Services that come with Portico, and what means something else in host names, settings or packages.
constexpr std::string_view reserved =
    " identity crm calendar social launchpad platform admin api auth www mail host server abi plugin test localhost ";

/// Words with an underscore that no namespace can have; those without one are lengthened anyway.
constexpr std::string_view keywords =
    " and_eq char8_t char16_t char32_t co_await co_return co_yield const_cast dynamic_cast not_eq or_eq reinterpret_cast "
    "static_cast static_assert thread_local wchar_t xor_eq ";

/// Words that the template, C++, SQL or JavaScript already use, and that a user might choose for a record.
constexpr std::string_view notARecord =
    " action all answer auto body break call caller case char check class column config context cursor default delete document "
    "double element end entry enum equal error event export field file fixture float form function group health host html id import "
    "index int item job key label limit list long method metric module new object order organization page path permission plugin "
    "problem public query refused request response result return role route row scope section select service session set setting short "
    "signed static string struct style suite switch table template tenant test text this title token transaction type union update user "
    "using value version void widget ";

bool isOneOf(std::string_view words, std::string_view word) { return words.find(" " + std::string(word) + " ") != std::string_view::npos; }
bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return isLetter(c) ? static_cast<char>(c - 'a' + 'A') : c; }

[[noreturn]] void refuseRecord(std::string_view text)
{
    throw Refused(
        "invalid_record",
        "A record cannot be called '" + std::string(text) +
            "'. Use one word of 2 to 20 lower-case letters (room) or two, for one and for many (person:people). Words that C++, SQL or "
            "the SDK reserve are refused.");
}

bool isRecord(std::string_view word)
{
    constexpr std::size_t longest = 20;
    return word.size() >= 2 && word.size() <= longest && std::all_of(word.begin(), word.end(), isLetter) && !isOneOf(notARecord, word);
}

std::string pluralOf(const std::string& one)
{
    const auto endsIn = [&](std::initializer_list<std::string_view> ends)
    { return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return one.ends_with(end); }); };
    if (one.ends_with('y') && !endsIn({"ay", "ey", "oy", "uy"})) return one.substr(0, one.size() - 1) + "ies";
    return one + (endsIn({"s", "x", "z", "ch", "sh"}) ? "es" : "s");
}

std::string capital(std::string word)
{
    word.front() = upper(word.front());
    return word;
}

using Words = std::span<const std::string_view>;

bool hasOneOf(std::string_view text, Words words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Parts of the template for the launchpad's widget, and for the page without the web kit.
constexpr std::string_view ofWidget[] = {"widget", "Widget"};
constexpr std::string_view ofPage[] = {"PageRoutes", "PageTest", "_page"};
constexpr std::string_view ofKit[] = {"web kit"};
/// Where pages on the web kit are, after the line of the manifest that names the icon.
constexpr std::string_view manifestOfKit = R"(  "web": { "root": "web", "home": "/notes", "routes": ["/notes/**"], "signIn": true },
)";

// The texts of the manifest in other languages are about notes: they cannot be renamed.
constexpr std::string_view beginOfTexts = R"(,
  "texts": {)";

/// Leaves out the texts in other languages where the record is another one.
std::string withoutTexts(std::string text, const RecordNames& record)
{
    const auto begin = text.find(beginOfTexts);
    if (record.one == RecordNames{}.one || begin == std::string::npos) return text;
    return text.substr(0, begin) + "\n}\n";
}

/// Adapts a file to the plan, line by line.
std::string planned(std::string_view text, const PluginPlan& plan, bool manifest)
{
    std::string out;
    while (!text.empty())
    {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        if ((plan.widget || !hasOneOf(line, ofWidget)) && !(plan.kit ? hasOneOf(line, ofPage) : hasOneOf(line, ofKit))) out += line;
        if (plan.kit && manifest && line.find("\"iconUrl\"") != std::string_view::npos) out += manifestOfKit;
        text.remove_prefix(line.size());
    }
    return out;
}

[[noreturn]] void refuseName(std::string_view id, std::string_view why)
{
    throw Refused("invalid_name", "A plugin cannot be called '" + std::string(id) + "': " + std::string(why) +
                                      " Expected 2 to 40 lower-case letters, digits and hyphens, a letter first, as acme-notes.");
}

void checkName(std::string_view id)
{
    constexpr std::size_t longest = 40; // of a service's id
    if (id.size() < 2) refuseName(id, "that is too short.");
    if (id.size() > longest) refuseName(id, "that is too long.");
    if (!isLetter(id.front())) refuseName(id, "it does not begin with a lower-case letter.");
    const auto wrong = std::find_if_not(id.begin(), id.end(), [](char c) { return isLetter(c) || isDigit(c) || c == '-'; });
    if (wrong != id.end()) refuseName(id, "'" + std::string(1, *wrong) + "' is not allowed in a name.");
    if (id.back() == '-' || id.find("--") != std::string_view::npos)
        refuseName(id, "a hyphen is allowed only between two other characters.");
    if (isOneOf(reserved, id) || id.starts_with("portico") || id.starts_with("abi-"))
        refuseName(id, "that name is Portico's own; put yours in front, as acme-" + std::string(id) + ".");
}

std::string partOfTemplate(const fs::path& path)
{
    if (auto content = contentOf(path)) return *std::move(content);
    throw Refused("template_missing", "Cannot read " + path.string() + " of the template: install portico-sdk-dev again.");
}

void write(const fs::path& path, const std::string& content)
{
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (error || !file.flush())
        throw Refused("write_failed", "Cannot write " + path.string() + ": check the rights and the free space there.");
}

/// Returns the relative paths of the template's files, without build output.
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
        throw Refused("template_missing", "There is no template at " + source.string() +
                                              ": install portico-sdk-dev, or name the folder sdk/template of the sources with --template.");
    std::sort(files.begin(), files.end());
    return files;
}

/// Selects the files of a plan. Files of the folder `kit` replace the page without the web kit.
void chooseFiles(std::vector<fs::path>& files, const PluginPlan& plan)
{
    std::erase_if(files,
                  [&](const fs::path& file)
                  {
                      const auto name = file.filename().string();
                      if (*file.begin() == "kit") return !plan.kit;
                      return (!plan.widget && hasOneOf(name, ofWidget)) || (plan.kit && (*file.begin() == "web" || hasOneOf(name, ofPage)));
                  });
}

/// Packages hold no hidden files of version control, so that one has another name in the template.
std::string targetOf(const fs::path& file, const PluginPlan& plan)
{
    const auto& first = *file.begin();
    const bool hidden = first == "gitignore" || first == "github" || first == "gitlab-ci.yml";
    const auto place = first == "kit" ? file.lexically_relative(first) : file;
    return (hidden ? "." : "") + renamed(place.string(), plan.names, plan.record);
}

constexpr Option newPluginOptions[] = {
    {"record", "WORD", "what it keeps, instead of a note: room, or person:people (one and many)"},
    {"field", "NAME:TYPE",
     "a member of it beside its title, instead of a text; several times for several members. TYPE is text, integer, "
     "number, boolean, date or date-time",
     true},
    {"no-widget", "", "without the tile on the launchpad"},
    {"with-web", "", "with pages on the web kit instead of the one that is made by hand; their build needs npm"},
    {"directory", "DIR", "folder to make (default: the name, in the current folder)"},
    {"template", "DIR", "folder to take it from (default: that of portico-sdk-dev or of the source tree)"},
};

fs::path templateFor(const Arguments& arguments)
{
    if (const auto named = arguments.option("template")) return *named;
    const auto own = templateOf(fs::read_symlink("/proc/self/exe"));
    if (own.empty())
        throw Refused(
            "template_missing",
            "The template is not installed: install portico-sdk-dev, or name the folder sdk/template of the sources with --template.");
    return own;
}

int runNewPlugin(const Session& session, const Arguments& arguments)
{
    PluginPlan plan{
        .names = pluginNames(arguments.words().front()), .widget = !arguments.has("no-widget"), .kit = arguments.has("with-web")};
    if (const auto record = arguments.option("record")) plan.record = recordNames(*record);
    if (const auto fields = arguments.option("field")) plan.fields = recordFields(*fields);
    const auto& names = plan.names;
    const fs::path folder = arguments.option("directory").value_or(names.id);
    const auto files = writePlugin(templateFor(arguments), folder, plan);
    const boost::json::value answer{{"service", names.id}, {"directory", folder.string()}, {"files", boost::json::value_from(files)}};
    if (printedJson(session, answer)) return exitDone;
    session.terminal.line("Wrote the plugin " + names.id + " to " + folder.string() + ": " + std::to_string(files.size()) + " files.");
    session.terminal.line("Its README.md says what is where. Next:");
    session.terminal.line("  cd " + folder.string());
    session.terminal.line("  cmake -B build && cmake --build build");
    session.terminal.line("  ctest --test-dir build --output-on-failure");
    return exitDone;
}

constexpr Command newPluginTable[] = {
    {"new-plugin", "<name>", "Write a new plugin that builds, passes its tests and loads",
     "Asks no daemon. The name is that of the service: 2 to 40 lower-case letters, digits and hyphens; put your own name in front, as "
     "acme-notes. Continue with plugin-guide.md of portico-sdk-dev.",
     "porticoctl new-plugin acme-notes\nporticoctl new-plugin acme-assets --record asset --field serial:text --field price:integer "
     "--no-widget",
     1, 1, runNewPlugin, newPluginOptions},
};

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
    if (names.space.find('_') == std::string::npos || names.space.ends_with("_t") || isOneOf(keywords, names.space))
        names.space += "_plugin";
    return names;
}

RecordNames recordNames(std::string_view text)
{
    const auto colon = text.find(':');
    RecordNames record;
    record.one = text.substr(0, colon);
    if (!isRecord(record.one)) refuseRecord(text);
    record.many = colon == std::string_view::npos ? pluralOf(record.one) : std::string(text.substr(colon + 1));
    // In code there is a name for one of them and another for all.
    if (!isRecord(record.many) || record.one == record.many) refuseRecord(text);
    return record;
}

std::string renamed(std::string_view text, const PluginNames& names, const RecordNames& record)
{
    const bool vowel = std::string_view("aeiou").find(record.one.front()) != std::string_view::npos;
    const std::string one = capital(record.one), many = capital(record.many), article = (vowel ? "an " : "a ") + record.one;
    // A longer name comes before its prefix.
    const std::array<std::pair<std::string_view, std::string_view>, 10> pairs{{{templateId, names.id},
                                                                               {templateSpace, names.space},
                                                                               {templateType, names.type},
                                                                               {templateTitle, names.title},
                                                                               {templateVariables, names.variables},
                                                                               {withArticle, article},
                                                                               {"notes", record.many},
                                                                               {"note", record.one},
                                                                               {"Notes", many},
                                                                               {"Note", one}}};
    std::string out;
    out.reserve(text.size());
    // From left to right, once: a new name that contains the template's is not replaced again.
    while (!text.empty())
    {
        const auto found =
            std::find_if(pairs.begin(), pairs.end(),
                         [&](const auto& pair)
                         { return text.starts_with(pair.first) && !(pair.first == withArticle && !out.empty() && isLetter(out.back())); });
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

std::vector<std::string> writePlugin(const fs::path& source, const fs::path& folder, const PluginPlan& plan)
{
    auto files = filesOf(source);
    chooseFiles(files, plan);
    std::error_code error;
    const bool made = fs::create_directories(folder, error);
    if (error) throw Refused("write_failed", "Cannot make the folder " + folder.string() + ": " + error.message() + ".");
    if (!made)
        throw Refused("directory_exists", folder.string() + " is there already: remove it, or name another folder with --directory.");
    std::vector<std::string> written;
    try
    {
        for (const auto& file : files)
        {
            written.push_back(targetOf(file, plan));
            auto content = partOfTemplate(source / file);
            if (!plan.fields.empty()) content = withFields(file.filename().string(), content, plan.fields);
            auto text = renamed(withoutTexts(planned(content, plan, file == "manifest.json"), plan.record), plan.names, plan.record);
            std::erase(text, keptWord);
            write(folder / written.back(), text);
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

std::span<const Command> newPluginCommands() noexcept { return newPluginTable; }

} // namespace portico::host::ctl
