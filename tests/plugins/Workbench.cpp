#include "plugins/Workbench.h"

#include "host/plugins/binary/Library.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cstdlib>
#include <fstream>
#include <link.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace portico::tests
{

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace host::plugins;

TemporaryFolder::TemporaryFolder()
{
    auto name = (fs::temp_directory_path() / "portico-plugins-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    _path = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(_path, ignored);
}

Pipe::Pipe()
{
    if (pipe(_ends) != 0) throw std::runtime_error("no pipe");
}

Pipe::~Pipe()
{
    close(_ends[0]);
    close(_ends[1]);
}

void Pipe::wait()
{
    char byte = 0;
    if (read(_ends[0], &byte, 1) != 1) throw std::runtime_error("the pipe is broken");
}

void Pipe::release()
{
    if (write(_ends[1], "x", 1) != 1) throw std::runtime_error("the pipe is broken");
}

namespace
{
std::string readText(const fs::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

void replaceAll(std::string& text, std::string_view from, std::string_view to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

void change(json::object& manifest, std::string_view path, const std::string& value)
{
    auto* object = &manifest;
    for (auto dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.'))
    {
        auto& member = (*object)[path.substr(0, dot)];
        object = member.is_object() ? &member.as_object() : &member.emplace_object();
        path.remove_prefix(dot + 1);
    }
    if (value.empty())
        object->erase(path);
    else
        (*object)[path] = json::parse(value);
}
} // namespace

Workbench::Workbench() : contexts(journal, interfaces)
{
    fs::create_directories(plugins());
    settings.pluginDirectories = {plugins()};
    settings.stateDirectory = state();
    settings.enabled = [this](const std::string& id) { return !switches.contains(id) || switches.at(id); };
    settings.origins = [](const Manifest& manifest)
    { return manifest.origins.empty() ? std::vector{"http://" + manifest.serviceId + ".localhost:8080"} : manifest.origins; };
}

Workbench::~Workbench() = default;

void Workbench::install(const std::string& situation, const std::string& serviceId, const Changes& changes)
{
    auto text = readText(fs::path(FIXTURES) / "ok-v1" / "manifest.json");
    replaceAll(text, "\"ok", "\"" + serviceId);
    auto manifest = json::parse(text).as_object();
    for (const auto& [path, value] : changes) change(manifest, path, value);

    const auto target = plugins() / serviceId;
    fs::create_directories(target);
    // A new file under the same name, as a package manager does it.
    fs::copy_file(fs::path(FIXTURES) / situation / (situation + ".so"), target / "plugin.so.new", fs::copy_options::overwrite_existing);
    fs::rename(target / "plugin.so.new", target / "plugin.so");
    std::ofstream(target / "manifest.json") << json::serialize(manifest);
}

void Workbench::begin()
{
    lifecycle = std::make_unique<Lifecycle>(settings, LifecycleDependencies{contexts, publisher, interfaces, journal, clock, registration});
}

ServiceReport Workbench::report(const std::string& serviceId) const
{
    for (auto& report : lifecycle->status())
        if (report.serviceId == serviceId) return report;
    return {};
}

std::size_t Workbench::mappedCopies() const
{
    struct Search
    {
        std::string prefix;
        std::size_t found = 0;
    } search{.prefix = state().string()};
    const auto look = [](dl_phdr_info* info, std::size_t, void* data)
    {
        auto& wanted = *static_cast<Search*>(data);
        if (std::string_view(info->dlpi_name).starts_with(wanted.prefix)) ++wanted.found;
        return 0;
    };
    dl_iterate_phdr(look, &search);
    return search.found;
}

std::string textOf(const OperationResult& result)
{
    std::string text;
    for (const auto& message : result.messages) text += message + "\n";
    return text;
}

bool neverUnmaps() { return buildNeverUnmaps(); }

} // namespace portico::tests
