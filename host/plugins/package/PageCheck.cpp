#include "host/plugins/package/PageCheck.h"

#include "host/base/ReadFiles.h"
#include "host/base/Text.h"
#include "host/plugins/package/FileList.h"
#include "host/plugins/package/SchemaChecker.h"

#include <algorithm>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
constexpr std::uintmax_t largestIndex = 262'144;
constexpr std::size_t maxPageFaults = 20;

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

bool isSpace(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

struct Attribute
{
    std::string name;
    std::string_view value;
    std::size_t at = 0;
};

/// Walks through the tags of a text as browsers do. Knows of the form no more than where tags, attributes and raw text end.
class HtmlCheck
{
public:
    HtmlCheck(std::string_view html, const std::function<bool(std::string_view)>& isFile) : _html(html), _isFile(isFile) {}

    std::vector<std::string> check()
    {
        for (_at = _html.find('<'); _at != std::string_view::npos && _faults.size() < maxPageFaults; _at = _html.find('<', _at)) markup();
        return std::move(_faults);
    }

private:
    void markup()
    {
        const auto rest = _html.substr(_at);
        const char next = rest.size() > 1 ? lower(rest[1]) : '\0';
        if (rest.starts_with("<!--"))
            skipPast("-->");
        else if (next == '!' || next == '?' || next == '/')
            skipPast(">");
        else if (next >= 'a' && next <= 'z')
            element();
        else
            ++_at;
    }

    void skipPast(std::string_view end)
    {
        const auto found = _html.find(end, _at);
        _at = found == std::string_view::npos ? _html.size() : found + end.size();
    }

    void element()
    {
        const auto begin = _at++;
        const auto name = lowered(take([](char c) { return !isSpace(c) && c != '/' && c != '>'; }));
        std::vector<Attribute> attributes;
        while (nextAttribute(attributes))
            ;
        for (const auto& attribute : attributes) checkAttribute(name, attribute);
        const auto has = [&](std::string_view wanted)
        { return std::ranges::find(attributes, wanted, &Attribute::name) != attributes.end(); };
        if (name == "style")
            fault(begin, "a style file (link rel=\"stylesheet\")", "an inline style", "the policy refuses it; move it into a file");
        if (name == "script" && !has("src"))
            fault(begin, "a script file (src)", "an inline script", "the policy refuses it; move it into a file");
        if (name == "base") fault(begin, "addresses from the root", "a base address", "the policy refuses it; remove it");
        if (name == "script" || name == "style" || name == "title" || name == "textarea") skipRaw(name);
    }

    template <class Is>
    std::string_view take(Is is)
    {
        const auto begin = _at;
        while (_at < _html.size() && is(_html[_at])) ++_at;
        return _html.substr(begin, _at - begin);
    }

    /// False at the end of the tag, which is passed.
    bool nextAttribute(std::vector<Attribute>& attributes)
    {
        take([](char c) { return isSpace(c) || c == '/'; });
        if (_at >= _html.size()) return false;
        if (_html[_at] == '>') return ++_at, false;
        Attribute attribute{.name = {}, .value = {}, .at = _at};
        const auto first = _at++; // a `=` there belongs to the name
        take([](char c) { return !isSpace(c) && c != '/' && c != '>' && c != '='; });
        attribute.name = lowered(_html.substr(first, _at - first));
        take(isSpace);
        if (_at < _html.size() && _html[_at] == '=')
        {
            ++_at;
            take(isSpace);
            attribute.value = value();
        }
        attributes.push_back(std::move(attribute));
        return true;
    }

    std::string_view value()
    {
        const char quote = _at < _html.size() ? _html[_at] : '\0';
        if (quote != '"' && quote != '\'') return take([](char c) { return !isSpace(c) && c != '>'; });
        ++_at;
        const auto text = take([quote](char c) { return c != quote; });
        if (_at < _html.size()) ++_at;
        return text;
    }

    void skipRaw(const std::string& name)
    {
        for (_at = _html.find("</", _at); _at != std::string_view::npos; _at = _html.find("</", _at + 2))
            if (lowered(_html.substr(_at + 2, name.size())) == name) return;
        _at = _html.size();
    }

    void checkAttribute(const std::string& element, const Attribute& attribute)
    {
        if (attribute.name.starts_with("on") && attribute.name.size() > 2)
            return fault(attribute.at, "handlers in a script file", "the inline handler " + attribute.name,
                         "the policy refuses it; use addEventListener");
        if (attribute.name == "style")
            return fault(attribute.at, "styles in a style file", "an inline style", "the policy refuses it; use a class");
        if (attribute.name == "srcdoc") return fault(attribute.at, "no page within the page", "srcdoc", "remove it");
        const bool isAddress = attribute.name == "src" || attribute.name == "poster" || (attribute.name == "href" && element == "link");
        if (isAddress) return checkAddress(element, attribute);
        const bool leads = attribute.name == "href" || attribute.name == "action" || attribute.name == "formaction";
        if (leads && lowered(trimmed(attribute.value, " \t\n\f\r")).starts_with("javascript:"))
            fault(attribute.at, "a script file", "a script in an address", "the policy refuses it; use addEventListener");
    }

    void checkAddress(const std::string& element, const Attribute& attribute)
    {
        auto address = trimmed(attribute.value, " \t\n\f\r");
        const std::string shown(address.substr(0, 100));
        address = address.substr(0, address.find_first_of("?#"));
        if (address.starts_with("data:") && (element == "img" || element == "link")) return;
        if (!address.starts_with('/') || address.starts_with("//"))
            return fault(attribute.at, "the address of a file of the pages from their root, as /assets/app.js", "\"" + shown + "\"",
                         "index.html answers at many paths, and the policy allows files of this origin only");
        if (!_isFile(address.substr(1)))
            fault(attribute.at, "a file of the pages", "\"" + shown + "\", which is not there", "build the pages again, or remove it");
    }

    void fault(std::size_t at, std::string_view expected, const std::string& found, std::string_view remedy)
    {
        _faults.push_back(placeOf(_html, at).text() + ": expected " + std::string(expected) + ", found " + found + ": " +
                          std::string(remedy));
    }

    std::string_view _html;
    const std::function<bool(std::string_view)>& _isFile;
    std::size_t _at = 0;
    std::vector<std::string> _faults;
};

fs::path rootOf(const Manifest& manifest) { return manifest.directory() / manifest.web->root; }

/// Returns true if the path needs no encoding in a URL, so that each file has one address.
bool isAddressName(std::string_view path)
{
    const auto plain = [](char c)
    {
        const char l = lower(c);
        return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || std::string_view("._~@+-/").find(c) != std::string_view::npos;
    };
    return std::ranges::all_of(path, plain) && !path.starts_with('.') && path.find("/.") == std::string_view::npos;
}
} // namespace

std::vector<std::string> htmlFaults(std::string_view html, const std::function<bool(std::string_view)>& isFile)
{
    return HtmlCheck(html, isFile).check();
}

bool hasPages(const Manifest& manifest) { return manifest.web && fs::is_directory(rootOf(manifest)); }

std::vector<std::string> pageFiles(const Manifest& manifest) { return filesBelow(rootOf(manifest)); }

std::vector<std::string> pageFaults(const Manifest& manifest)
{
    if (!hasPages(manifest)) return {};
    const auto files = pageFiles(manifest);
    const auto index = rootOf(manifest) / "index.html";
    const auto isFile = [&](std::string_view path) { return std::ranges::binary_search(files, path); };
    if (!isFile("index.html")) return {index.string() + ": expected the page that web.routes answers, found none: build the pages again"};
    if (const auto size = fs::file_size(index); size > largestIndex)
        return {index.string() + ": expected at most 256 KiB, found " + std::to_string(size) + " bytes: move what is in it into files"};
    std::vector<std::string> faults;
    for (const auto& path : files)
        if (!isAddressName(path))
            faults.push_back((rootOf(manifest) / path).string() +
                             ": expected a name of letters, digits and ._~@+- that no . begins: rename or remove it");
    for (const auto& fault : htmlFaults(contentOf(index).value_or(""), isFile)) faults.push_back(index.string() + ":" + fault);
    return faults;
}

} // namespace portico::host::plugins
