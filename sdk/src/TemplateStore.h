#pragma once

#include "Languages.h"
#include "MessageCatalog.h"
#include "Mustache.h"

#include "portico/Templates.h"

#include <atomic>

namespace portico::detail
{

/// A file below `templates`.
struct TemplateSource
{
    std::string name;
    TemplateNodes nodes;
    bool escapes = false;
    /// A text of one line: rendered without the end of the line, so that it can be the subject of a mail.
    bool isOneLine = false;
    /// Bound, or part of one that is.
    mutable std::atomic<bool> used = false;
};

/// A message as one language gets it: its own, or that of a language to which it falls back.
struct ResolvedMessage
{
    const Message* message = nullptr;
    /// The language that the text is in: its rules choose the plural.
    std::string_view language;
};

struct TemplateLocale
{
    MessageCatalog own = {};
    std::map<std::string_view, ResolvedMessage> messages = {};
};

/// Everything that was read. Never changed once it is made but for the marks of what is used.
struct TemplateStore
{
    std::string fallback;
    std::map<std::string, TemplateSource, std::less<>> sources;
    std::map<std::string, TemplateLocale, LanguageTagLess> locales;
    /// Keys of messages, and whether a bound template shows them.
    mutable std::map<std::string_view, std::atomic<bool>> keys;

    using Locales = decltype(locales);

    /// The partial that a template calls: the same ending, from the folder of all templates. Null for none.
    const TemplateSource* partial(const TemplateSource& caller, std::string_view name) const;
    /// By lookup (RFC 4647, 3.4); `end()` for none.
    Locales::const_iterator lookUp(std::string_view tag) const;
    Locales::const_iterator lookUpOrFallback(std::string_view tag) const;
};

/// @throws std::runtime_error that lists every fault
std::shared_ptr<const TemplateStore> readTemplates(const Templates::Files& files, std::string_view fallback);

/// Everything in the template that the type does not have, each once; marks what is used.
std::vector<std::string> checkTemplate(const TemplateStore& store, const TemplateSource& source, const Type& type);

/// Messages that languages lack: without those of regions whose language has them.
std::vector<std::string> missingMessages(const TemplateStore& store);
std::vector<std::string> pluralFaults(const TemplateStore& store);

/// The member that templates see under this name; null for none.
const Member* shownMember(const Type& record, std::string_view name) noexcept;

/// Joins faults to one text: the title, then one line each.
std::string listed(std::string title, const std::vector<std::string>& faults);

} // namespace portico::detail
