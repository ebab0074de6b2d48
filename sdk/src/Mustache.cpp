#include "Mustache.h"

#include <algorithm>
#include <optional>

namespace portico::detail
{

namespace
{

constexpr std::size_t deepestSection = 64;
constexpr std::string_view blanks = " \t";
constexpr std::string_view messagePrefix = "messages.";

std::string_view withoutBlanks(std::string_view text) noexcept
{
    constexpr std::string_view space = " \t\r\n";
    const auto first = text.find_first_not_of(space);
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(space) - first + 1);
}

bool isNamePart(std::string_view part) noexcept
{
    return !part.empty() &&
           std::ranges::all_of(
               part,
               [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

std::string shortened(std::string_view text) { return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 40)) + "…"; }

/// Reads one template from its beginning to its end.
class MustacheParser
{
public:
    explicit MustacheParser(std::string_view source) : _source(source) {}

    TemplateNodes parse()
    {
        while (_at < _source.size())
        {
            const auto tag = _source.find(_open, _at);
            addText(_source.substr(_at, tag - _at));
            if (tag == std::string_view::npos) break;
            _at = tag;
            readTag();
        }
        if (!_sections.empty())
            fail(_nodes[_sections.back()].line, "expected {{/" + _nodes[_sections.back()].text + "}} for the section that begins here");
        return std::move(_nodes);
    }

private:
    struct Tag
    {
        char sign = 0;
        std::string_view content;
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    [[noreturn]] static void fail(std::size_t line, const std::string& what) { throw TemplateSyntaxError(line, what); }

    void addText(std::string_view text)
    {
        if (text.empty()) return;
        // Behind a section no text is joined with that before it.
        if (_nodes.empty() || _nodes.back().kind != TemplateNode::Kind::Text || _textEnded)
        {
            _nodes.push_back({.text = std::string(text), .line = _line});
            _textEnded = false;
        }
        else
            _nodes.back().text += text;
        _line += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    }

    Tag findTag()
    {
        Tag tag;
        tag.begin = _at;
        auto from = _at + _open.size();
        const auto blank = _source.find_first_not_of(blanks, from);
        if (blank != std::string_view::npos && std::string_view("#^/>!&={").find(_source[blank]) != std::string_view::npos)
        {
            tag.sign = _source[blank];
            from = blank + 1;
        }
        const auto closing = tag.sign == '{' ? "}" + _close : tag.sign == '=' ? "=" + _close : _close;
        const auto end = _source.find(closing, from);
        if (end == std::string_view::npos) fail(_line, "expected " + closing + " at the end of the tag that begins here");
        tag.content = withoutBlanks(_source.substr(from, end - from));
        tag.end = end + closing.size();
        return tag;
    }

    void readTag()
    {
        const auto tag = findTag();
        const auto line = _line;
        std::string indent;
        if (tag.sign != 0 && tag.sign != '&' && tag.sign != '{')
            indent = takeOwnLine(tag);
        else
            _at = tag.end;
        _line += static_cast<std::size_t>(
            std::count(_source.begin() + static_cast<std::ptrdiff_t>(tag.begin), _source.begin() + static_cast<std::ptrdiff_t>(_at), '\n'));
        addTag(tag, std::move(indent), line);
    }

    /// Removes the whole line of a tag that is alone on it. @return the text before the tag on that line
    std::string takeOwnLine(const Tag& tag)
    {
        const auto newline = tag.begin == 0 ? std::string_view::npos : _source.rfind('\n', tag.begin - 1);
        const auto lineStart = newline == std::string_view::npos ? 0 : newline + 1;
        const auto before = _source.substr(lineStart, tag.begin - lineStart);
        auto rest = std::min(_source.find_first_not_of(blanks, tag.end), _source.size());
        if (rest < _source.size() && _source[rest] == '\r') ++rest;
        const bool lineEnds = rest == _source.size() || _source[rest] == '\n';
        if (!lineEnds || before.find_first_not_of(blanks) != std::string_view::npos)
        {
            _at = tag.end;
            return {};
        }
        if (!before.empty())
        {
            auto& text = _nodes.back().text;
            text.resize(text.size() - before.size());
        }
        _at = std::min(rest + 1, _source.size());
        return std::string(before);
    }

    void addTag(const Tag& tag, std::string indent, std::size_t line)
    {
        using Kind = TemplateNode::Kind;
        switch (tag.sign)
        {
        case '!':
            return;
        case '=':
            return changeDelimiters(tag.content, line);
        case '/':
            return endSection(tag.content, line);
        case '#':
        case '^':
            if (_sections.size() == deepestSection) fail(line, "expected at most 64 sections in each other");
            _sections.push_back(_nodes.size());
            return add({.kind = tag.sign == '#' ? Kind::Section : Kind::Inverted,
                        .text = std::string(tag.content),
                        .path = nameAt(tag.content, line),
                        .line = line});
        case '>':
            return add({.kind = Kind::Partial, .text = std::string(tag.content), .indent = std::move(indent), .line = line});
        default:
            if (tag.content.starts_with(messagePrefix))
                return add({.kind = Kind::Message,
                            .escaped = tag.sign == 0,
                            .text = joined(nameAt(tag.content.substr(messagePrefix.size()), line)),
                            .line = line});
            add({.kind = Kind::Variable,
                 .escaped = tag.sign == 0,
                 .text = std::string(tag.content),
                 .path = nameAt(tag.content, line),
                 .line = line});
        }
    }

    void add(TemplateNode node)
    {
        _nodes.push_back(std::move(node));
        _textEnded = true;
    }

    void endSection(std::string_view name, std::size_t line)
    {
        if (_sections.empty()) fail(line, "expected no {{/" + shortened(name) + "}}, because no section is open");
        auto& section = _nodes[_sections.back()];
        if (section.text != name)
            fail(line, "expected {{/" + section.text + "}} for the section of line " + std::to_string(section.line) + ", found {{/" +
                           shortened(name) + "}}");
        section.end = _nodes.size();
        _sections.pop_back();
        _textEnded = true;
    }

    void changeDelimiters(std::string_view content, std::size_t line)
    {
        const auto blank = content.find_first_of(blanks);
        const auto open = content.substr(0, blank);
        const auto close = blank == std::string_view::npos ? std::string_view() : withoutBlanks(content.substr(blank));
        if (open.empty() || close.empty() || close.find_first_of(" \t\r\n=") != std::string_view::npos ||
            open.find_first_of("\r\n=") != std::string_view::npos)
            fail(line, "expected two delimiters with a blank between, as {{=<% %>=}}, found \"" + shortened(content) + '"');
        _open = open;
        _close = close;
    }

    static NamePath nameAt(std::string_view text, std::size_t line)
    {
        try
        {
            return parseName(text);
        }
        catch (const std::runtime_error& error)
        {
            fail(line, error.what());
        }
    }

    static std::string joined(const NamePath& path)
    {
        std::string text;
        for (const auto& part : path) text.append(text.empty() ? "" : ".").append(part);
        return text;
    }

    std::string_view _source;
    std::string _open = "{{";
    std::string _close = "}}";
    std::size_t _at = 0;
    std::size_t _line = 1;
    TemplateNodes _nodes;
    std::vector<std::size_t> _sections;
    bool _textEnded = false;
};

} // namespace

NamePath parseName(std::string_view text)
{
    NamePath path;
    if (text == ".") return path;
    for (std::string_view rest = text;;)
    {
        const auto dot = rest.find('.');
        if (!isNamePart(rest.substr(0, dot)))
            throw std::runtime_error("expected a name of letters, digits, _ and -, with dots between its parts, found \"" +
                                     shortened(text) + '"');
        path.emplace_back(rest.substr(0, dot));
        if (dot == std::string_view::npos) return path;
        rest.remove_prefix(dot + 1);
    }
}

TemplateNodes parseMustache(std::string_view source) { return MustacheParser(source).parse(); }

} // namespace portico::detail
