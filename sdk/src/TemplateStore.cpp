#include "TemplateStore.h"

#include "Utf8.h"

#include <algorithm>
#include <stdexcept>

namespace portico::detail
{

namespace
{

constexpr std::string_view templateFolder = "templates/";
constexpr std::string_view messageFolder = "messages/";
constexpr std::string_view catalogEnding = ".json";
constexpr std::size_t largestFile = 1 << 20;

bool isUtf8(std::string_view text) noexcept
{
    while (!text.empty())
    {
        const auto length = utf8SequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string_view endingOf(std::string_view name) noexcept
{
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

/// Reads file after file and keeps what is wrong with each.
class StoreReader
{
public:
    StoreReader(const Templates::Files& files, std::string_view fallback) : _files(files) { _store->fallback = fallback; }

    std::shared_ptr<const TemplateStore> read()
    {
        for (const auto& [path, text] : _files) readFile(path, text);
        addFallback();
        for (const auto& [name, source] : _store->sources) checkPartials(source);
        if (!_faults.empty()) throw std::runtime_error(listed("templates that cannot be used:", _faults));
        for (auto& [tag, locale] : _store->locales) resolve(tag, locale);
        return std::move(_store);
    }

private:
    void fault(const std::string& place, const std::string& what) { _faults.push_back(place + ": " + what); }

    void readFile(const std::string& path, const std::string& text)
    {
        if (text.size() > largestFile) return fault(path, "expected at most 1 MiB, found " + std::to_string(text.size()) + " bytes");
        if (!isUtf8(text)) return fault(path, "expected UTF-8");
        if (path.starts_with(templateFolder)) readTemplate(path, text);
        if (path.starts_with(messageFolder)) readCatalog(path, text);
    }

    void readTemplate(const std::string& path, const std::string& text)
    {
        const auto name = path.substr(templateFolder.size());
        const auto ending = endingOf(name);
        if (ending != ".html" && ending != ".txt") return fault(path, "expected a file .html, whose values are escaped, or .txt");
        auto& source = _store->sources[name];
        source.name = name;
        source.escapes = ending == ".html";
        source.isOneLine = ending == ".txt" && !text.empty() && text.find('\n') == text.size() - 1;
        try
        {
            source.nodes = parseMustache(text);
            source.nodes.shrink_to_fit();
        }
        catch (const TemplateSyntaxError& error)
        {
            fault(path + ':' + std::to_string(error.line), error.what());
        }
    }

    void readCatalog(const std::string& path, const std::string& text)
    {
        const auto tag = path.substr(messageFolder.size(), path.size() - messageFolder.size() - endingOf(path).size());
        if (endingOf(path) != catalogEnding || !isLanguageTag(tag))
            return fault(path, "expected a file named as its language, as de-AT.json");
        try
        {
            if (!_store->locales.emplace(tag, TemplateLocale{.own = parseCatalog(text)}).second)
                fault(path, "expected each language once, found another file for " + tag);
        }
        catch (const std::runtime_error& error)
        {
            fault(path, error.what());
        }
    }

    void addFallback()
    {
        const auto& tag = _store->fallback;
        if (!isLanguageTag(tag)) fault(tag, "expected the tag of a language to fall back to");
        if (!_store->locales.contains(tag) && !_store->locales.empty())
            fault(std::string(messageFolder) + tag + ".json", "expected this file, because its language is what others fall back to");
        _store->locales[tag];
    }

    void checkPartials(const TemplateSource& source)
    {
        for (const auto& node : source.nodes)
            if (node.kind == TemplateNode::Kind::Partial && !_store->partial(source, node.text))
                fault(std::string(templateFolder) + source.name + ':' + std::to_string(node.line),
                      "{{> " + node.text + "}}: there is no " + std::string(templateFolder) + node.text +
                          std::string(endingOf(source.name)));
    }

    void resolve(const std::string& tag, TemplateLocale& locale)
    {
        const auto take = [&](std::string_view from)
        {
            const auto found = _store->locales.find(from);
            if (found == _store->locales.end()) return;
            for (const auto& [key, message] : found->second.own)
            {
                locale.messages.try_emplace(key, ResolvedMessage{&message, found->first});
                _store->keys[key];
            }
        };
        for (std::string_view from = tag; !from.empty(); from = parentLanguage(from)) take(from);
        take(_store->fallback);
    }

    const Templates::Files& _files;
    std::shared_ptr<TemplateStore> _store = std::make_shared<TemplateStore>();
    std::vector<std::string> _faults;
};

/// Returns true if the tag or one of its parents has the message: a region inherits from its language.
bool hasMessage(const TemplateStore& store, std::string_view tag, std::string_view key)
{
    for (; !tag.empty(); tag = parentLanguage(tag))
        if (const auto found = store.locales.find(tag); found != store.locales.end() && found->second.own.contains(key)) return true;
    return false;
}

} // namespace

const TemplateSource* TemplateStore::partial(const TemplateSource& caller, std::string_view name) const
{
    const auto found = sources.find(std::string(name).append(endingOf(caller.name)));
    return found == sources.end() ? nullptr : &found->second;
}

TemplateStore::Locales::const_iterator TemplateStore::lookUp(std::string_view tag) const
{
    for (; !tag.empty(); tag = parentLanguage(tag))
        if (const auto found = locales.find(tag); found != locales.end()) return found;
    return locales.end();
}

TemplateStore::Locales::const_iterator TemplateStore::lookUpOrFallback(std::string_view tag) const
{
    const auto found = lookUp(tag);
    return found == locales.end() ? locales.find(fallback) : found;
}

std::shared_ptr<const TemplateStore> readTemplates(const Templates::Files& files, std::string_view fallback)
{
    return StoreReader(files, fallback).read();
}

std::vector<std::string> missingMessages(const TemplateStore& store)
{
    std::vector<std::string> missing;
    const auto& all = store.locales.find(store.fallback)->second.own;
    for (const auto& [tag, locale] : store.locales)
    {
        for (const auto& [key, message] : all)
            if (!hasMessage(store, tag, key))
                missing.push_back("messages/" + tag + ".json: " + key + " is missing; " + store.fallback + " is shown");
        for (const auto& [key, message] : locale.own)
            if (!all.contains(key))
                missing.push_back("messages/" + store.fallback + ".json: " + key + " is missing, which " + tag + " has");
    }
    return missing;
}

std::vector<std::string> pluralFaults(const TemplateStore& store)
{
    std::vector<std::string> faults;
    for (const auto& [tag, locale] : store.locales)
        for (const auto& [key, message] : locale.own)
            for (std::size_t i = 0; message.plural && i < pluralNames.size(); ++i)
            {
                const auto category = static_cast<PluralCategory>(i);
                const auto place = "messages/" + tag + ".json: " + key + ": ";
                const auto name = '"' + std::string(pluralNames[i]) + '"';
                if (!message.texts[i] && needsCategory(tag, category)) faults.push_back(place + "the text for " + name + " is missing");
                if (message.texts[i] && !hasCategory(tag, category)) faults.push_back(place + "no number takes the text for " + name);
            }
    return faults;
}

const Member* shownMember(const Type& record, std::string_view name) noexcept
{
    for (std::size_t i = 0; i < record.memberCount; ++i)
    {
        const auto& member = record.members[i];
        if (member.name != name) continue;
        const bool hidden = member.rules.columnOnly || member.rules.writeOnly || member.rules.flattened;
        return hidden ? nullptr : &member;
    }
    return nullptr;
}

std::string listed(std::string title, const std::vector<std::string>& faults)
{
    for (const auto& fault : faults) title.append("\n  ").append(fault);
    return title;
}

} // namespace portico::detail
