#include "scim/PatchTarget.h"

#include <algorithm>

namespace portico::identity::scim
{

namespace
{

constexpr std::size_t longestPath = 1024;

/// Returns the position of the closing bracket, ignoring brackets in quoted texts.
std::size_t closingBracket(std::string_view text, std::size_t open) noexcept
{
    bool quoted = false;
    for (auto i = open + 1; i < text.size(); ++i)
    {
        if (quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == ']' && !quoted)
            return i;
    }
    return std::string_view::npos;
}

bool isLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The characters of attribute names and URNs (RFC 7643, 2.1; RFC 8141, 2).
bool isName(std::string_view text) noexcept
{
    constexpr std::string_view marks = "0123456789-_$:./~%+";
    return !text.empty() && (isLetter(text.front()) || text.front() == '$') &&
           std::ranges::all_of(text, [&](char c) { return isLetter(c) || marks.find(c) != std::string_view::npos; });
}

} // namespace

bool PatchTarget::isReadOnly() const noexcept
{
    if (path.attribute == nullptr) return false;
    return path.attribute->mutability == Mutability::ReadOnly || last().mutability == Mutability::ReadOnly;
}

bool PatchTarget::isOfServer() const noexcept
{
    if (path.attribute == nullptr || !path.extension.empty()) return false;
    const auto name = path.attribute->name;
    return name == "schemas" || name == "id" || name == "meta";
}

Problem PatchPath::invalid() { return Problem::badRequest("invalidPath", "The path leads to nothing that this resource can have."); }

PatchPath PatchPath::parse(std::string_view text, const ResourceKind& kind)
{
    using enum Form;
    if (text.size() > longestPath) return {};
    const auto open = text.find('[');
    const auto name = text.substr(0, open);
    if (!isName(name)) return {};
    const auto path = AttributePath::parse(name, kind);
    if (open == std::string_view::npos) return path ? PatchPath{Known, {*path, {}, path->sub}} : PatchPath{Unknown};
    const auto close = closingBracket(text, open);
    if (close == std::string_view::npos) return {};
    const auto rest = text.substr(close + 1);
    if (!rest.empty() && (rest.front() != '.' || !isName(rest.substr(1)))) return {};
    if (!path) return {Unknown};
    const auto* attribute = path->attribute;
    if (attribute == nullptr || path->sub != nullptr || !attribute->multiValued || attribute->type != AttributeType::Complex) return {};
    PatchTarget target{*path, Filter::parse(text.substr(open + 1, close - open - 1), kind, attribute)};
    if (rest.empty()) return {Known, std::move(target)};
    target.part = attribute->find(rest.substr(1));
    if (target.part == nullptr) return {Unknown};
    return {Known, std::move(target)};
}

} // namespace portico::identity::scim
