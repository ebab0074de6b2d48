#include "TemplateStore.h"

#include <algorithm>
#include <set>

namespace portico::detail
{

namespace
{

using Stack = std::vector<const Type*>;

const Type& withoutOptional(const Type& type) noexcept
{
    const auto* held = &type;
    while (held->kind == Kind::Optional) held = held->element;
    return *held;
}

/// Returns the type of a name inside another; null if there is none. A map accepts every name.
const Type* within(const Type& outer, std::string_view name) noexcept
{
    const auto& type = withoutOptional(outer);
    if (type.kind == Kind::Map) return type.element;
    if (type.kind != Kind::Record) return nullptr;
    const auto* member = shownMember(type, name);
    return member ? member->type : nullptr;
}

const Type* resolve(const Stack& stack, const NamePath& path) noexcept
{
    if (path.empty()) return stack.back();
    const Type* found = nullptr;
    for (auto outer = stack.rbegin(); outer != stack.rend() && !found; ++outer) found = within(**outer, path.front());
    for (auto part = path.begin() + 1; found && part != path.end(); ++part) found = within(*found, *part);
    return found;
}

/// Lists the members of the innermost record, for the message about an unknown name.
std::string memberList(const Stack& stack)
{
    for (auto outer = stack.rbegin(); outer != stack.rend(); ++outer)
    {
        const auto& type = withoutOptional(**outer);
        if (type.kind != Kind::Record) continue;
        std::string text;
        for (std::size_t i = 0; i < type.memberCount; ++i)
            if (const auto name = type.members[i].name; shownMember(type, name)) text.append(text.empty() ? "" : ", ").append(name);
        return std::string(type.name) + " has " + text;
    }
    return "there is no record";
}

std::string dotted(const NamePath& path)
{
    std::string text = path.empty() ? "." : path.front();
    for (std::size_t i = 1; i < path.size(); ++i) text.append(".").append(path[i]);
    return text;
}

bool isText(Kind kind) noexcept { return kind != Kind::Record && kind != Kind::List && kind != Kind::Map; }

/// Walks through a template with the types that its names will meet.
class TemplateChecker
{
public:
    explicit TemplateChecker(const TemplateStore& store) : _store(store) {}

    void check(const TemplateSource& source, Stack stack)
    {
        // For which type a name is found does not depend on the same type further out: so there are few cases, also for partials that call
        // themselves.
        for (auto outer = stack.begin(); outer != stack.end();)
            outer = std::find(outer + 1, stack.end(), *outer) == stack.end() ? outer + 1 : stack.erase(outer);
        if (!_done.emplace(&source, stack).second) return;
        source.used = true;
        checkNodes(source, 0, source.nodes.size(), stack);
    }

    std::vector<std::string> faults() &&
    {
        std::vector<std::string> all;
        for (auto& fault : _faults)
            if (std::ranges::find(all, fault) == all.end()) all.push_back(std::move(fault));
        return all;
    }

private:
    void fault(const TemplateSource& source, const TemplateNode& node, const std::string& what)
    {
        _faults.push_back("templates/" + source.name + ':' + std::to_string(node.line) + ": " + what);
    }

    void checkNodes(const TemplateSource& source, std::size_t begin, std::size_t end, Stack& stack)
    {
        using NodeKind = TemplateNode::Kind;
        for (auto i = begin; i < end; ++i)
        {
            const auto& node = source.nodes[i];
            switch (node.kind)
            {
            case NodeKind::Text:
                break;
            case NodeKind::Variable:
                checkVariable(source, node, stack);
                break;
            case NodeKind::Message:
                checkMessage(source, node, stack);
                break;
            case NodeKind::Partial:
                check(*_store.partial(source, node.text), stack);
                break;
            case NodeKind::Section:
            case NodeKind::Inverted:
                checkSection(source, i, stack);
                i = node.end - 1;
            }
        }
    }

    void checkVariable(const TemplateSource& source, const TemplateNode& node, const Stack& stack)
    {
        const auto* type = resolve(stack, node.path);
        if (!type && node.text == "locale") return;
        if (const auto what = textFault(type, stack); !what.empty()) fault(source, node, "{{" + node.text + "}}: " + what);
    }

    static std::string textFault(const Type* type, const Stack& stack)
    {
        if (!type) return "no member has this name: " + memberList(stack);
        return isText(withoutOptional(*type).kind) ? "" : "expected a text or a number, found a record or a list";
    }

    void checkMessage(const TemplateSource& source, const TemplateNode& node, const Stack& stack)
    {
        const auto& fallback = _store.locales.find(_store.fallback)->second;
        if (!fallback.own.contains(node.text))
            return fault(source, node, "{{messages." + node.text + "}}: messages/" + _store.fallback + ".json has no such message");
        _store.keys.find(node.text)->second = true;
        for (const auto& [tag, locale] : _store.locales)
            if (const auto found = locale.own.find(node.text); found != locale.own.end())
                checkTexts(source, node, "messages/" + tag + ".json: " + node.text + ": ", found->second, stack);
    }

    void checkTexts(const TemplateSource& source, const TemplateNode& node, const std::string& place, const Message& message,
                    const Stack& stack)
    {
        if (message.plural)
        {
            const auto* type = resolve(stack, *message.plural);
            const auto kind = type ? type->kind : Kind::Record;
            if (kind != Kind::Integer && kind != Kind::Number)
                fault(source, node,
                      place + "plural: expected the name of a number, found \"" + dotted(*message.plural) + "\": " + memberList(stack));
        }
        for (const auto& text : message.texts)
            for (std::size_t i = 0; text && i < text->pieces.size(); ++i)
                if (const auto& path = text->pieces[i].path)
                    if (const auto what = textFault(resolve(stack, *path), stack); !what.empty())
                        fault(source, node, place + '{' + dotted(*path) + "}: " + what);
    }

    void checkSection(const TemplateSource& source, std::size_t at, Stack& stack)
    {
        const auto& node = source.nodes[at];
        const auto* type = resolve(stack, node.path);
        if (!type)
        {
            fault(source, node, "{{#" + node.text + "}}: no member has this name: " + memberList(stack));
            return;
        }
        const auto& held = withoutOptional(*type);
        if (type->kind == Kind::Integer || type->kind == Kind::Number || type->kind == Kind::Choice)
            fault(source, node,
                  "{{#" + node.text + "}}: expected what may be missing or false, found a number or a word, which is always there");
        const bool inner = node.kind == TemplateNode::Kind::Section;
        if (inner) stack.push_back(held.kind == Kind::List ? held.element : &held);
        checkNodes(source, at + 1, node.end, stack);
        if (inner) stack.pop_back();
    }

    const TemplateStore& _store;
    std::set<std::pair<const TemplateSource*, Stack>> _done;
    std::vector<std::string> _faults;
};

} // namespace

std::vector<std::string> checkTemplate(const TemplateStore& store, const TemplateSource& source, const Type& type)
{
    TemplateChecker checker(store);
    checker.check(source, {&type});
    return std::move(checker).faults();
}

} // namespace portico::detail
