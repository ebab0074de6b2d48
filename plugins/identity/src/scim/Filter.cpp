#include "scim/Filter.h"

#include "scim/Resource.h"

#include "portico/Http.h"
#include "portico/Instant.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <utility>

namespace portico::identity::scim
{

namespace
{

constexpr std::size_t longestFilter = 4096;
constexpr int deepestFilter = 16;

Problem invalidFilter(std::string_view why) { return Problem::badRequest("invalidFilter", why); }

/// In brackets a value may be plain: members of a list of texts.
const boost::json::value* memberOf(const boost::json::object& object, std::string_view name) noexcept
{
    return object.if_contains({name.data(), name.size()});
}

void addValues(std::vector<const boost::json::value*>& found, const boost::json::value& value)
{
    if (const auto* list = value.if_array())
        for (const auto& item : *list) found.push_back(&item);
    else
        found.push_back(&value);
}

bool isPresent(const boost::json::value& value) noexcept
{
    if (value.is_null()) return false;
    if (const auto* text = value.if_string()) return !text->empty();
    if (const auto* list = value.if_array()) return !list->empty();
    return !value.is_object() || !value.get_object().empty();
}

/// Returns true for characters that end a word. Attribute names may contain colons, dots and dollar signs.
bool endsWord(char c) noexcept { return c == ' ' || c == '(' || c == ')' || c == '[' || c == ']' || c == '"'; }

} // namespace

std::vector<const boost::json::value*> valuesAt(const boost::json::object& resource, const AttributePath& path)
{
    const auto* place = &resource;
    std::vector<const boost::json::value*> found;
    if (!path.extension.empty())
    {
        const auto* extension = memberOf(resource, path.extension);
        if (extension == nullptr || !extension->is_object()) return found;
        if (path.attribute == nullptr) return {extension};
        place = &extension->get_object();
    }
    if (path.attribute == nullptr) return found;
    const auto* value = memberOf(*place, path.attribute->name);
    if (value == nullptr) return found;
    addValues(found, *value);
    if (path.sub == nullptr) return found;
    std::vector<const boost::json::value*> inside;
    for (const auto* one : found)
        if (const auto* object = one->if_object())
            if (const auto* part = memberOf(*object, path.sub->name)) addValues(inside, *part);
    return inside;
}

/// Recursive descent; `and` binds closer than `or` (RFC 7644, table 5).
class Filter::Parser
{
public:
    Parser(std::string_view text, const ResourceKind& kind, const Attribute* parent) : _text(text), _kind(kind), _parent(parent) {}

    Node whole()
    {
        if (_text.size() > longestFilter) throw invalidFilter("The filter is longer than 4096 bytes.");
        auto node = either();
        skip();
        if (_at != _text.size()) throw invalidFilter("The filter does not end where it should.");
        return node;
    }

private:
    void skip() noexcept
    {
        while (_at < _text.size() && _text[_at] == ' ') ++_at;
    }
    bool take(char c)
    {
        skip();
        if (_at == _text.size() || _text[_at] != c) return false;
        ++_at;
        return true;
    }
    void demand(char c)
    {
        if (!take(c)) throw invalidFilter(std::string("There should be a ") + c + " in the filter.");
    }
    std::string_view word()
    {
        skip();
        const auto start = _at;
        while (_at < _text.size() && !endsWord(_text[_at])) ++_at;
        return _text.substr(start, _at - start);
    }
    bool takeWord(std::string_view wanted)
    {
        const auto before = _at;
        if (equalsIgnoreCase(word(), wanted)) return true;
        _at = before;
        return false;
    }

    template <class Part>
    Node joined(Operator operation, std::string_view name, Part part)
    {
        Node first = part();
        if (!takeWord(name)) return first;
        Node node{operation, {}, {}, {}};
        node.children.push_back(std::move(first));
        do node.children.push_back(part());
        while (takeWord(name));
        return node;
    }
    Node either()
    {
        if (++_depth > deepestFilter) throw invalidFilter("The filter is nested too deeply.");
        auto node = joined(Operator::Or, "or", [&] { return joined(Operator::And, "and", [&] { return term(); }); });
        --_depth;
        return node;
    }
    Node term()
    {
        if (takeWord("not"))
        {
            demand('(');
            return {Operator::Not, {}, {}, grouped(')')};
        }
        if (take('(')) return std::move(grouped(')').front());
        return comparison();
    }
    std::vector<Node> grouped(char end)
    {
        std::vector<Node> one;
        one.push_back(either());
        demand(end);
        return one;
    }
    Node comparison()
    {
        const auto name = word();
        if (name.empty()) throw invalidFilter("There should be an attribute in the filter.");
        Node node;
        if (const auto path = AttributePath::parse(name, _kind, _parent)) node.path = *path;
        if (_at < _text.size() && _text[_at] == '[') return some(std::move(node));
        const auto operation = operatorOf(word());
        node.operation = operation;
        if (operation != Operator::Present) node.value = literal(node);
        return node;
    }
    Node some(Node node)
    {
        if (_parent != nullptr) throw invalidFilter("Brackets do not hold brackets.");
        ++_at;
        node.operation = Operator::Some;
        const auto* attribute = node.path.attribute;
        const bool complex = attribute != nullptr && attribute->type == AttributeType::Complex && node.path.sub == nullptr;
        static constexpr Attribute unknown{.name = "", .type = AttributeType::Complex};
        _parent = complex ? attribute : &unknown;
        node.children = grouped(']');
        // `emails[type eq "work"].value eq "x"`: outside of the grammar of RFC 7644, and Entra's filter for a matching address.
        if (_at < _text.size() && _text[_at] == '.')
        {
            ++_at;
            Node both{Operator::And, {}, {}, std::move(node.children)};
            both.children.push_back(comparison());
            node.children.clear();
            node.children.push_back(std::move(both));
        }
        _parent = nullptr;
        return node;
    }
    static Operator operatorOf(std::string_view text)
    {
        using enum Operator;
        static constexpr std::array<std::pair<std::string_view, Operator>, 10> operators{{{"eq", Equal},
                                                                                          {"ne", NotEqual},
                                                                                          {"co", Contains},
                                                                                          {"sw", StartsWith},
                                                                                          {"ew", EndsWith},
                                                                                          {"pr", Present},
                                                                                          {"gt", Greater},
                                                                                          {"ge", GreaterOrEqual},
                                                                                          {"lt", Less},
                                                                                          {"le", LessOrEqual}}};
        for (const auto& [name, operation] : operators)
            if (equalsIgnoreCase(name, text)) return operation;
        throw invalidFilter("The filter has an unknown operator: use eq, ne, co, sw, ew, pr, gt, ge, lt or le.");
    }

    /// A JSON text, number, true, false or null.
    boost::json::value literal(const Node& node)
    {
        skip();
        const auto start = _at;
        if (_at < _text.size() && _text[_at] == '"')
        {
            ++_at;
            while (_at < _text.size() && _text[_at] != '"') _at += _text[_at] == '\\' ? 2 : 1;
            _at = std::min(_at + 1, _text.size());
        }
        else
            word();
        const auto text = _text.substr(start, _at - start);
        boost::json::error_code error;
        auto value = boost::json::parse({text.data(), text.size()}, error);
        // `True` is what one large provider sends.
        if (error && equalsIgnoreCase(text, "true")) return true;
        if (error && equalsIgnoreCase(text, "false")) return false;
        if (error || value.is_structured()) throw invalidFilter("The filter compares with an invalid JSON value.");
        if (value.is_string() && viewOf(value.get_string()).find('\0') != std::string_view::npos)
            throw invalidFilter("The filter compares with a text that has a zero byte.");
        return comparable(node, std::move(value));
    }
    static boost::json::value comparable(const Node& node, boost::json::value value)
    {
        const auto* last = node.path.last();
        if (last == nullptr || last->type != AttributeType::Boolean || !value.is_string()) return value;
        const auto text = viewOf(value.get_string());
        if (equalsIgnoreCase(text, "true")) return true;
        if (equalsIgnoreCase(text, "false")) return false;
        return value;
    }

    std::string_view _text;
    const ResourceKind& _kind;
    const Attribute* _parent;
    std::size_t _at = 0;
    int _depth = 0;
};

Filter Filter::parse(std::string_view text, const ResourceKind& kind, const Attribute* parent)
{
    return Filter(Parser(text, kind, parent).whole());
}

bool Filter::matches(const boost::json::object& resource) const { return holds(_root, resource); }

std::size_t Filter::sizeOf(const Node& node) noexcept
{
    std::size_t size = 1;
    for (const auto& child : node.children) size += sizeOf(child);
    return size;
}

bool Filter::holds(const Node& node, const boost::json::object& resource)
{
    const auto holdsHere = [&](const Node& child) { return holds(child, resource); };
    switch (node.operation)
    {
    case Operator::And:
        return std::ranges::all_of(node.children, holdsHere);
    case Operator::Or:
        return std::ranges::any_of(node.children, holdsHere);
    case Operator::Not:
        return !holdsHere(node.children.front());
    default:
        break;
    }
    const auto found = valuesAt(resource, node.path);
    switch (node.operation)
    {
    case Operator::Present:
        return std::ranges::any_of(found, [](const auto* value) { return isPresent(*value); });
    case Operator::Some:
        return std::ranges::any_of(found, [&](const auto* value)
                                   { return value->is_object() && holds(node.children.front(), value->get_object()); });
    case Operator::NotEqual:
        return std::ranges::none_of(found, [&](const auto* value) { return compares(node, Operator::Equal, *value); });
    default:
        // A missing value equals null only.
        if (found.empty()) return node.operation == Operator::Equal && node.value.is_null();
        return std::ranges::any_of(found, [&](const auto* value) { return compares(node, node.operation, *value); });
    }
}

bool Filter::compares(const Node& node, Operator operation, const boost::json::value& found)
{
    if (const auto* object = found.if_object())
    {
        // A complex attribute without a part named: its value.
        const auto* value = memberOf(*object, "value");
        return value != nullptr && compares(node, operation, *value);
    }
    if (const auto* text = found.if_string()) return compareTexts(node, operation, viewOf(*text));
    return operation == Operator::Equal && found == node.value;
}

bool Filter::compareTexts(const Node& node, Operator operation, std::string_view found)
{
    if (!node.value.is_string()) return false;
    const auto* last = node.path.last();
    std::string left(found);
    std::string right(viewOf(node.value.get_string()));
    if (last != nullptr && last->type == AttributeType::DateTime)
    {
        // Compares instants by time, regardless of their notation.
        const auto parsed = parseInstant(right);
        if (!parsed) return false;
        right = toString(*parsed);
    }
    else if (last == nullptr || !last->caseExact)
    {
        left = foldCase(left);
        right = foldCase(right);
    }
    switch (operation)
    {
    case Operator::Equal:
        return left == right;
    case Operator::Contains:
        return left.find(right) != std::string::npos;
    case Operator::StartsWith:
        return left.starts_with(right);
    case Operator::EndsWith:
        return left.ends_with(right);
    case Operator::Greater:
        return left > right;
    case Operator::GreaterOrEqual:
        return left >= right;
    case Operator::Less:
        return left < right;
    case Operator::LessOrEqual:
        return left <= right;
    default:
        return false;
    }
}

const Filter::Node* Filter::equation(const Node& node, std::string_view attribute)
{
    if (node.operation == Operator::And)
        for (const auto& child : node.children)
            if (const auto* found = equation(child, attribute)) return found;
    const bool named = node.operation == Operator::Equal && node.path.extension.empty() && node.path.attribute != nullptr &&
                       node.path.sub == nullptr && node.path.attribute->name == attribute;
    return named && node.value.is_string() ? &node : nullptr;
}

std::optional<std::string> Filter::demanded(std::string_view attribute) const
{
    const auto* node = equation(_root, attribute);
    return node != nullptr ? std::optional(std::string(viewOf(node->value.get_string()))) : std::nullopt;
}

bool Filter::collect(const Node& node, boost::json::object& example)
{
    if (node.operation == Operator::And)
        return std::ranges::all_of(node.children, [&](const Node& child) { return collect(child, example); });
    if (node.operation != Operator::Equal || node.path.attribute == nullptr) return false;
    const auto name = node.path.attribute->name;
    example[{name.data(), name.size()}] = node.value;
    return true;
}

std::optional<boost::json::object> Filter::example() const
{
    boost::json::object example;
    return collect(_root, example) ? std::optional(std::move(example)) : std::nullopt;
}

} // namespace portico::identity::scim
