#include "portico/Templates.h"

#include "TemplateStore.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace portico
{

namespace
{

namespace fs = std::filesystem;

Templates::Files filesBelow(const fs::path& folder)
{
    Templates::Files files;
    for (const auto* part : {"templates", "messages"})
    {
        if (!fs::is_directory(folder / part)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder / part))
        {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            std::ostringstream content;
            content << file.rdbuf();
            if (!file) throw std::runtime_error("cannot read " + entry.path().string() + ": install the plugin again");
            files.emplace(entry.path().lexically_relative(folder).generic_string(), content.str());
        }
    }
    if (files.empty()) throw std::runtime_error(folder.string() + ": expected templates/ with a file at least, found none");
    return files;
}

} // namespace

Templates::Templates(const std::filesystem::path& folder, Logger& logger, std::string_view fallback)
    : Templates(filesBelow(folder), logger, fallback)
{
}

Templates::Templates(const Files& files, Logger& logger, std::string_view fallback) : _store(detail::readTemplates(files, fallback))
{
    for (const auto& missing : detail::missingMessages(*_store)) logger.warning("A language lacks a message", {{"error", missing}});
}

std::string Templates::localeFor(std::string_view acceptLanguage) const
{
    for (const auto wanted : detail::wantedLanguages(acceptLanguage))
        if (const auto found = _store->lookUp(wanted); found != _store->locales.end()) return found->first;
    return _store->fallback;
}

std::vector<std::string> Templates::locales() const
{
    std::vector<std::string> tags;
    for (const auto& [tag, locale] : _store->locales) tags.push_back(tag);
    return tags;
}

std::optional<std::string> Templates::text(std::string_view key, std::string_view locale) const
{
    const auto& messages = _store->lookUpOrFallback(locale)->second.messages;
    const auto found = messages.find(key);
    if (found == messages.end() || found->second.message->plural) return std::nullopt;
    std::string text;
    for (const auto& piece : found->second.message->text(detail::PluralCategory::Other).pieces)
    {
        if (piece.path) return std::nullopt;
        text += piece.text;
    }
    return text;
}

void Templates::expect(std::string_view prefix) const
{
    for (auto& [key, used] : _store->keys)
        if (key.starts_with(prefix)) used = true;
}

std::vector<std::string> Templates::findings() const
{
    auto findings = detail::missingMessages(*_store);
    for (auto& fault : detail::pluralFaults(*_store)) findings.push_back(std::move(fault));
    for (const auto& [name, source] : _store->sources)
        if (!source.used) findings.push_back("templates/" + name + " is never bound");
    for (const auto& [key, used] : _store->keys)
        if (!used) findings.push_back("messages: " + std::string(key) + " is never shown by a template that is bound");
    return findings;
}

const detail::TemplateSource& Templates::bindSource(std::string_view name, const detail::Type& type) const
{
    const auto source = _store->sources.find(name);
    if (source == _store->sources.end()) throw std::runtime_error("templates/" + std::string(name) + ": there is no such file");
    if (const auto faults = detail::checkTemplate(*_store, source->second, type); !faults.empty())
        throw std::runtime_error(detail::listed("templates/" + source->first + " does not fit " + std::string(type.name) + ':', faults));
    return source->second;
}

} // namespace portico
