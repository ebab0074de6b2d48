#include "host/plugins/package/ManifestReader.h"

#include "host/base/Digests.h"
#include "host/base/ReadFiles.h"

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>

namespace portico::host::plugins
{

namespace json = boost::json;

namespace
{
constexpr std::uintmax_t largestManifest = 1'048'576;

std::vector<std::string> texts(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found ? json::value_to<std::vector<std::string>>(*found) : std::vector<std::string>{};
}

/// One member of each element of a list of objects, sorted.
std::vector<std::string> column(const json::object& object, std::string_view list, std::string_view member)
{
    std::vector<std::string> values;
    for (const auto& entry : listOf(object, list)) values.emplace_back(entry.at(member).as_string());
    std::ranges::sort(values);
    return values;
}

/// Refusal text of a permission as JSON: its name, and its title in each language of the manifest.
std::string refusal(const json::object& service, std::string_view permission, const json::value& title)
{
    json::object titles{{"en", title}};
    if (const auto* translated = service.if_contains("texts"))
        for (const auto& [language, lists] : translated->as_object())
            if (const auto* named = lists.as_object().if_contains("permissions"))
                if (const auto* texts = named->as_object().if_contains(permission))
                    if (const auto* text = texts->as_object().if_contains("title")) titles.insert_or_assign(language, *text);
    return json::serialize(json::object{{"permission", permission}, {"titles", std::move(titles)}});
}

std::optional<std::int64_t> integer(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found ? std::optional(found->as_int64()) : std::nullopt;
}

std::vector<InterfaceReference> interfaces(const json::object& plugin, std::string_view name)
{
    std::vector<InterfaceReference> references;
    for (const auto& entry : listOf(plugin, name))
    {
        const auto& reference = entry.as_object();
        references.push_back(
            {textOf(reference, "interface"), textOf(reference, "version"), flagOf(reference, "optional"), flagOf(reference, "many")});
    }
    return references;
}

std::string joinedItems(const std::vector<std::string>& items)
{
    std::string joined;
    for (const auto& item : items) joined.append(joined.empty() ? "" : ",").append(item);
    return joined;
}

ManifestSetting setting(const json::object& declared)
{
    ManifestSetting result{.type = textOf(declared, "type"),
                           .defaultValue = {},
                           .minimum = integer(declared, "minimum"),
                           .maximum = integer(declared, "maximum"),
                           .description = textOf(declared, "description"),
                           .choices = texts(declared, "choices")};
    const auto* value = declared.if_contains("default");
    if (!value) return result;
    if (value->is_string())
        result.defaultValue = std::string(value->as_string());
    else if (value->is_bool())
        result.defaultValue = value->as_bool() ? "true" : "false";
    else if (value->is_array())
        result.defaultValue = joinedItems(texts(declared, "default"));
    else
        result.defaultValue = std::to_string(value->as_int64());
    return result;
}

void takePlugin(const json::object& plugin, Manifest& manifest)
{
    manifest.library = textOf(plugin, "library");
    manifest.librarySha256 = textOf(plugin, "sha256");
    manifest.helpers = texts(plugin, "helpers");
    manifest.sdkEpoch = plugin.at("sdk").at("epoch").to_number<unsigned>();
    manifest.sdkMinMinor = plugin.at("sdk").at("minMinor").to_number<unsigned>();
    manifest.needs = interfaces(plugin, "requires");
    manifest.provides = interfaces(plugin, "provides");
    if (const auto* migrations = plugin.if_contains("migrations"))
    {
        manifest.migrations = manifest.directory() / textOf(migrations->as_object(), "dir");
        manifest.migrationsSha256 = textOf(migrations->as_object(), "sha256");
    }
    if (const auto* config = plugin.if_contains("config"))
        for (const auto& [name, declared] : config->as_object()) manifest.config.emplace(name, setting(declared.as_object()));
    manifest.briefHealth = textOf(plugin, "health") == "brief";
    if (const auto* lifecycle = plugin.if_contains("lifecycle"))
    {
        const auto& object = lifecycle->as_object();
        manifest.startSeconds = static_cast<int>(integer(object, "startSeconds").value_or(manifest.startSeconds));
        manifest.drainSeconds = static_cast<int>(integer(object, "drainSeconds").value_or(manifest.drainSeconds));
        if (const auto* unmap = object.if_contains("unmap")) manifest.unmap = unmap->as_bool();
    }
}

ManifestPages pages(const json::object& web)
{
    ManifestPages pages{.root = textOf(web, "root"),
                        .home = textOf(web, "home"),
                        .routes = texts(web, "routes"),
                        .signIn = flagOf(web, "signIn"),
                        .policy = {}};
    if (const auto* policy = web.if_contains("policy"))
        for (const auto& [directive, sources] : policy->as_object()) pages.policy.emplace(directive, texts(policy->as_object(), directive));
    return pages;
}

std::vector<RetiredPath> retiredPaths(const json::object& service)
{
    std::vector<RetiredPath> paths;
    for (const auto& entry : listOf(service, "retired"))
    {
        const auto& path = entry.as_object();
        const auto origins = textOf(path, "origins");
        using enum RetiredPath::Origins;
        paths.push_back({textOf(path, "path"), textOf(path, "query"), origins == "every" ? Every : origins == "others" ? Others : Own});
    }
    return paths;
}

void takeService(const json::object& service, Manifest& manifest)
{
    manifest.serviceId = textOf(service, "service_id");
    manifest.version = textOf(service, "version");
    manifest.name = textOf(service, "name");
    manifest.description = textOf(service, "description");
    if (const auto contexts = texts(service, "contexts"); !contexts.empty())
    {
        manifest.servesOrganizations = std::ranges::find(contexts, "organization") != contexts.end();
        manifest.servesPersonal = std::ranges::find(contexts, "personal") != contexts.end();
    }
    if (const auto* web = service.if_contains("web")) manifest.web = pages(web->as_object());
    manifest.retired = retiredPaths(service);
    manifest.origins = texts(service, "origins");
    manifest.previewOriginPatterns = texts(service, "previewOriginPatterns");
    manifest.embedOrigins = texts(service, "embedOrigins");
    manifest.permissions = column(service, "permissions", "permission");
    manifest.apiKeyScopes = column(service, "apiKeyScopes", "scope");
    manifest.bindableTypes = column(service, "bindableResources", "type");
    for (const auto& entry : listOf(service, "apiKeyScopes"))
        if (auto types = texts(entry.as_object(), "bindable"); !types.empty())
            manifest.bindable.emplace(textOf(entry.as_object(), "scope"), std::move(types));
    for (const auto& entry : listOf(service, "permissions"))
    {
        const auto name = textOf(entry.as_object(), "permission");
        manifest.refusals.emplace(name, refusal(service, name, entry.at("title")));
        if (flagOf(entry.as_object(), "apiKeyExempt")) manifest.apiKeyExempt.push_back(name);
    }
    std::ranges::sort(manifest.apiKeyExempt);
}

ReadManifest failure(const std::filesystem::path& file, const std::string& what) { return {nullptr, {file.string() + ": " + what}}; }

std::vector<std::string> worded(const std::filesystem::path& file, const JsonPlaces& places, const std::vector<SchemaFault>& faults)
{
    std::vector<std::string> errors;
    for (const auto& fault : faults)
        errors.push_back(file.string() + ":" + places.place(fault.member).text() + ": " +
                         (fault.member.empty() ? "" : fault.member + ": ") + fault.text);
    return errors;
}
} // namespace

ManifestReader::ManifestReader() : _checker(schemaText()) {}

ReadManifest ManifestReader::read(const std::filesystem::path& file) const
{
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error) return failure(file, "cannot be read: " + error.message());
    if (size > largestManifest) return failure(file, "expected at most 1 MiB, found " + std::to_string(size) + " bytes");
    auto text = contentOf(file);
    if (!text || text->empty()) return failure(file, "cannot be read, or is empty");
    const std::lock_guard lock(_mutex);
    auto& known = _known[file];
    if (known && known->text == *text) return {known, {}};
    text->shrink_to_fit();
    auto read = parse(file, *std::move(text));
    known = read.manifest;
    return read;
}

ReadManifest ManifestReader::parse(const std::filesystem::path& file, std::string text) const
{
    json::parser parser;
    json::error_code error;
    const auto accepted = parser.write_some(text, error);
    if (!error && text.find_first_not_of(" \t\r\n", accepted) != std::string::npos) error = json::error::extra_data;
    if (error)
    {
        return failure(file.string() + ":" + placeOf(text, std::min(accepted, text.size())).text(),
                       "expected JSON, found " + error.message());
    }

    const auto document = parser.release();
    const JsonPlaces places(text);
    std::vector<std::string> errors;
    for (const auto& [member, place] : places.duplicates())
        errors.push_back(file.string() + ":" + place.text() + ": " + member + ": expected each member once, found it again: remove one");
    auto faults = _checker.check(document);
    if (faults.empty()) faults = checkManifestRules(document.as_object());
    std::ranges::move(worded(file, places, faults), std::back_inserter(errors));
    if (!errors.empty()) return {nullptr, std::move(errors)};

    auto manifest = std::make_shared<Manifest>();
    manifest->file = file;
    manifest->sha256 = sha256Hex(text);
    manifest->text = std::move(text);
    takeService(document.as_object(), *manifest);
    takePlugin(document.at("plugin").as_object(), *manifest);
    return {std::move(manifest), {}};
}

} // namespace portico::host::plugins
