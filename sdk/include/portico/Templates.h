#pragma once

#include "portico/Logger.h"
#include "portico/Schema.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

namespace detail
{
struct TemplateStore;
struct TemplateSource;
} // namespace detail

template <class T>
class Template;

/// Server-rendered pages and mails: Mustache templates over described records, with texts by language. Parsed once when the service starts;
/// afterwards read by any number of threads. A value; copies share the parsed templates.
///
/// Files below a folder of the plugin (`web`):
/// - `templates/welcome.html`, `templates/mail/welcome.txt`: Mustache without lambdas and inheritance. Values are escaped in `.html` and
///   not in `.txt`. `{{> footer}}` is the partial `templates/footer` with the same extension.
/// - `messages/en.json`, `messages/de-AT.json`: texts by key, `{"notes": {"title": "Notes of {user}"}}`, and by number, `{"plural":
///   "count", "one": "{count} note", "other": "{count} notes"}` with the language's CLDR categories.
///
/// In a template `{{title}}` is a member of the record, `{{messages.notes.title}}` a message, and `{{locale}}` the language unless a member
/// has that name. Messages are plain text, escaped like values; names in their braces are resolved at the place of use. A section is
/// omitted for false, an empty list, an empty text and an optional without a value. Members that JSON does not show (`columnOnly`,
/// `writeOnly`) do not exist here.
class PORTICO_API Templates
{
public:
    /// The text of a file by its path below the folder.
    using Files = std::map<std::string, std::string, std::less<>>;

    /// @param fallback complete language, used if no other matches
    /// @throws std::runtime_error that lists every file that cannot be read or parsed, and every missing partial
    /// Logs a warning for each language that lacks messages, which are taken from the fallback.
    Templates(const std::filesystem::path& folder, Logger& logger, std::string_view fallback = "en");
    Templates(const Files& files, Logger& logger, std::string_view fallback = "en");

    /// The template of that name (`mail/welcome.txt`) for records of that type.
    /// @throws std::runtime_error that lists every name the type lacks, in the template, its partials and its messages in all languages.
    /// Bind all templates when the service starts, so that faults appear before a page is requested.
    template <detail::DescribedRecord T>
    Template<T> bind(std::string_view name) const
    {
        return Template<T>(_store, bindSource(name, detail::typeOf<T>));
    }

    /// The language for a request: the best of those that have a catalog by `Accept-Language` (RFC 9110, 12.5.4; lookup of RFC 4647, 3.4),
    /// or the fallback. Responses that depend on it need `Vary: Accept-Language`.
    std::string localeFor(std::string_view acceptLanguage) const;
    /// Returns the languages with a catalog, sorted.
    std::vector<std::string> locales() const;

    /// The message of a key with dots (`pages.note.problem.too_long`), for code that chooses between messages. Empty if the language and
    /// the fallback lack it, and for messages with values or plural texts, which only templates write.
    /// @param locale any language tag, as in `Template::render`
    std::optional<std::string> text(std::string_view key, std::string_view locale = {}) const;
    /// Marks all messages with this key prefix as used for `findings`, because code chooses between them.
    void expect(std::string_view prefix) const;

    /// Problems that a test should find empty after binding: messages missing in a language (a region may inherit from its language),
    /// missing or unusable plural texts, unused templates and messages.
    std::vector<std::string> findings() const;

private:
    const detail::TemplateSource& bindSource(std::string_view name, const detail::Type& type) const;
    std::shared_ptr<const detail::TemplateStore> _store;
};

namespace detail
{
PORTICO_API void renderTemplate(std::string& out, const TemplateStore& store, const TemplateSource& source, const Type& type,
                                const void* record, std::string_view locale);
}

/// A template whose names all fit the record. Thread-safe.
template <class T>
class Template
{
public:
    /// @param locale any language tag; without its own catalog it is matched as in `Accept-Language`.
    /// @throws std::runtime_error for partials that recurse without end
    std::string render(const T& record, std::string_view locale = {}) const
    {
        std::string out;
        detail::renderTemplate(out, *_store, *_source, detail::typeOf<T>, &record, locale);
        return out;
    }

private:
    friend class Templates;
    Template(std::shared_ptr<const detail::TemplateStore> store, const detail::TemplateSource& source)
        : _store(std::move(store)), _source(&source)
    {
    }
    std::shared_ptr<const detail::TemplateStore> _store;
    const detail::TemplateSource* _source;
};

} // namespace portico
