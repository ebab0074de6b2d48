#include "TemplateStore.h"

#include "portico/Json.h"

#include <array>
#include <charconv>
#include <stdexcept>

namespace portico::detail
{

namespace
{

constexpr std::size_t deepestPartial = 64;

constexpr auto mustEscapeInHtml = []
{
    std::array<bool, 256> table{};
    for (const char c : std::string_view("&<>\"'")) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

std::string_view htmlOf(char c) noexcept
{
    switch (c)
    {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return "&#39;";
    }
}

void appendHtml(std::string& out, std::string_view text)
{
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (!mustEscapeInHtml[static_cast<unsigned char>(text[i])]) continue;
        out.append(text, from, i - from);
        out += htmlOf(text[i]);
        from = i + 1;
    }
    out.append(text, from);
}

/// A value with its tables; nothing for an optional without one.
struct Value
{
    const Type* type = nullptr;
    const void* data = nullptr;
    explicit operator bool() const noexcept { return data != nullptr; }
};

Value held(Value value) noexcept
{
    while (value && value.type->kind == Kind::Optional) value = {value.type->element, value.type->value(value.data)};
    return value;
}

Value inMap(const Value& map, std::string_view name)
{
    struct Search
    {
        std::string_view name;
        const void* found = nullptr;
    } search{name};
    map.type->each(map.data, &search,
                   [](void* context, std::string_view key, const void* value)
                   {
                       auto& s = *static_cast<Search*>(context);
                       if (key == s.name) s.found = value;
                   });
    return {map.type->element, search.found};
}

/// Returns the member's value; nullopt if the value has no such name.
std::optional<Value> memberOf(const Value& outer, std::string_view name)
{
    const auto value = held(outer);
    if (!value) return std::nullopt;
    if (value.type->kind == Kind::Record)
    {
        const auto* member = shownMember(*value.type, name);
        if (!member) return std::nullopt;
        return Value{member->type, member->reach(const_cast<void*>(value.data))};
    }
    if (value.type->kind != Kind::Map) return std::nullopt;
    const auto found = inMap(value, name);
    return found ? std::optional(found) : std::nullopt;
}

/// Without an exponent, unless the number would be unreadably long.
std::string_view fixedDigits(std::array<char, 32>& buffer, double number)
{
    auto* end = buffer.data() + buffer.size();
    auto result = std::to_chars(buffer.data(), end, number, std::chars_format::fixed);
    if (result.ec != std::errc{}) result = std::to_chars(buffer.data(), end, number);
    return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

template <class Number>
std::string_view digits(std::array<char, 32>& buffer, Number number)
{
    return {buffer.data(),
            static_cast<std::size_t>(std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr - buffer.data())};
}

/// The value as text: gives `use` a view that lives as long as the call.
template <class Use>
void withText(const Value& value, Use use)
{
    if (!value) return;
    std::array<char, 32> buffer = {};
    const auto& type = *value.type;
    switch (type.kind)
    {
    case Kind::Boolean:
        return use(type.getInteger(value.data) != 0 ? std::string_view("true") : std::string_view("false"));
    case Kind::Integer:
    {
        const auto number = type.getInteger(value.data);
        return use(type.isSigned ? digits(buffer, number) : digits(buffer, static_cast<std::uint64_t>(number)));
    }
    case Kind::Number:
        return use(fixedDigits(buffer, type.getNumber(value.data)));
    case Kind::String:
        return use(std::string_view(*static_cast<const std::string*>(value.data)));
    case Kind::Formatted:
    {
        std::string text;
        type.print(value.data, text);
        return use(std::string_view(text));
    }
    case Kind::Choice:
    {
        const auto index = static_cast<std::size_t>(type.getInteger(value.data));
        return use(index < type.choiceCount ? type.choices[index] : std::string_view());
    }
    case Kind::Json:
        return use(std::string_view(static_cast<const Json*>(value.data)->text));
    case Kind::Record:
    case Kind::List:
    case Kind::Map:
    case Kind::Optional:
        return;
    }
}

bool isTrue(const Value& value)
{
    if (!value) return false;
    switch (value.type->kind)
    {
    case Kind::Boolean:
        return value.type->getInteger(value.data) != 0;
    case Kind::List:
    case Kind::Map:
        return value.type->size(value.data) != 0;
    case Kind::String:
    case Kind::Formatted:
    {
        bool filled = false;
        withText(value, [&](std::string_view text) { filled = !text.empty(); });
        return filled;
    }
    case Kind::Json:
        return static_cast<const Json*>(value.data)->text != "null";
    default:
        return true;
    }
}

/// Writes one page.
class TemplateRenderer
{
public:
    TemplateRenderer(std::string& out, const TemplateStore& store, std::string_view tag)
        : _out(out), _store(store), _locale(*store.lookUpOrFallback(tag))
    {
    }

    void render(const TemplateSource& source, const Value& record)
    {
        _values.push_back(record);
        write(source, 0, source.nodes.size());
    }

private:
    Value find(const NamePath& path) const
    {
        if (path.empty()) return held(_values.back());
        std::optional<Value> found;
        for (auto outer = _values.rbegin(); outer != _values.rend() && !found; ++outer) found = memberOf(*outer, path.front());
        for (auto part = path.begin() + 1; found && part != path.end(); ++part) found = memberOf(*found, *part);
        return found ? held(*found) : Value();
    }

    void write(const TemplateSource& source, std::size_t begin, std::size_t end)
    {
        using NodeKind = TemplateNode::Kind;
        for (auto i = begin; i < end; ++i)
        {
            const auto& node = source.nodes[i];
            switch (node.kind)
            {
            case NodeKind::Text:
                writeLines(node.text);
                break;
            case NodeKind::Variable:
                beginLine();
                writeVariable(node, source.escapes && node.escaped);
                break;
            case NodeKind::Message:
                beginLine();
                writeMessage(node, source.escapes && node.escaped);
                break;
            case NodeKind::Partial:
                writePartial(source, node);
                break;
            case NodeKind::Section:
                writeSection(source, i);
                i = node.end - 1;
                break;
            case NodeKind::Inverted:
                if (isTrue(find(node.path))) i = node.end - 1;
            }
        }
    }

    /// The indent of the partial before each line that begins.
    void beginLine()
    {
        if (!_indent.empty() && (_out.empty() || _out.back() == '\n')) _out += _indent;
    }

    void writeLines(std::string_view text)
    {
        if (_indent.empty())
        {
            _out += text;
            return;
        }
        while (!text.empty())
        {
            const auto line = text.substr(0, text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
            beginLine();
            _out += line;
            text.remove_prefix(line.size());
        }
    }

    void append(std::string_view text, bool escaped) { escaped ? appendHtml(_out, text) : static_cast<void>(_out += text); }

    void writeVariable(const TemplateNode& node, bool escaped)
    {
        const auto value = find(node.path);
        if (!value && node.text == "locale") return append(_locale.first, escaped);
        withText(value, [&](std::string_view text) { append(text, escaped); });
    }

    void writeMessage(const TemplateNode& node, bool escaped)
    {
        const auto found = _locale.second.messages.find(node.text);
        if (found == _locale.second.messages.end()) return;
        const auto& message = *found->second.message;
        auto category = PluralCategory::Other;
        if (message.plural)
            withText(find(*message.plural), [&](std::string_view number) { category = pluralCategory(found->second.language, number); });
        for (const auto& piece : message.text(category).pieces)
            if (piece.path)
                withText(find(*piece.path), [&](std::string_view text) { append(text, escaped); });
            else
                append(piece.text, escaped);
    }

    void writePartial(const TemplateSource& source, const TemplateNode& node)
    {
        if (_depth == deepestPartial)
            throw std::runtime_error("templates/" + source.name + ':' + std::to_string(node.line) +
                                     ": expected partials that call each other at most 64 deep: one calls itself without an end");
        const auto& partial = *_store.partial(source, node.text);
        const auto indentBefore = _indent.size();
        ++_depth;
        _indent += node.indent;
        write(partial, 0, partial.nodes.size());
        _indent.resize(indentBefore);
        --_depth;
    }

    void writeSection(const TemplateSource& source, std::size_t at)
    {
        const auto& node = source.nodes[at];
        const auto value = find(node.path);
        if (!isTrue(value)) return;
        const bool isList = value.type->kind == Kind::List;
        const auto count = isList ? value.type->size(value.data) : 1;
        for (std::size_t i = 0; i < count; ++i)
        {
            _values.push_back(isList ? Value{value.type->element, value.type->at(value.data, i)} : value);
            write(source, at + 1, node.end);
            _values.pop_back();
        }
    }

    std::string& _out;
    const TemplateStore& _store;
    const TemplateStore::Locales::value_type& _locale;
    std::vector<Value> _values;
    std::string _indent;
    std::size_t _depth = 0;
};

} // namespace

void renderTemplate(std::string& out, const TemplateStore& store, const TemplateSource& source, const Type& type, const void* record,
                    std::string_view locale)
{
    const auto before = out.size();
    TemplateRenderer(out, store, locale).render(source, {&type, record});
    if (!source.isOneLine || out.size() == before) return;
    if (out.back() == '\n') out.pop_back();
    if (out.size() > before && out.back() == '\r') out.pop_back();
}

} // namespace portico::detail
