#include "scim/Patch.h"

#include "scim/PatchOperation.h"

#include "portico/Http.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

namespace portico::identity::scim
{

namespace
{

constexpr std::size_t maxPatchOperations = 1000;
/// Maximum recorded paths of a request, and maximum length of each.
constexpr std::size_t maxNotes = 20;
constexpr std::size_t longestNote = 200;
/// The note on an operation that names nothing.
constexpr std::string_view nameless = "(no path)";

/// Returns true if an operation deactivates a person.
bool suspends(const boost::json::value& one, const ResourceKind& kind)
{
    const auto* operation = one.if_object();
    if (operation == nullptr || findMember(*operation, "op") == nullptr) return false;
    const auto* value = findMember(*operation, "value");
    const auto* path = findMember(*operation, "path");
    const auto isActive = [&](std::string_view text)
    {
        const auto parsed = AttributePath::parse(text, kind);
        return parsed && parsed->attribute != nullptr && parsed->attribute->name == "active";
    };
    const auto isFalse = [](const boost::json::value& flag)
    { return (flag.is_bool() && !flag.get_bool()) || (flag.is_string() && equalsIgnoreCase(viewOf(flag.get_string()), "false")); };
    if (value == nullptr) return false;
    if (path != nullptr && path->is_string() && !path->get_string().empty()) return isActive(viewOf(path->get_string())) && isFalse(*value);
    const auto* members = value->if_object();
    return members != nullptr &&
           std::ranges::any_of(*members,
                               [&](const auto& member) {
                                   return isActive({member.key().data(), member.key().size()}) && isFalse(member.value());
                               });
}

/// Splits an operation without a path into one for each member, so that each applies or fails separately.
std::vector<boost::json::object> singleOperations(const boost::json::object& operation)
{
    const auto* path = findMember(operation, "path");
    const auto* value = findMember(operation, "value");
    const auto* members = value != nullptr ? value->if_object() : nullptr;
    if (members == nullptr || (path != nullptr && path->is_string() && !path->get_string().empty())) return {operation};
    std::vector<boost::json::object> singles;
    const auto* name = findMember(operation, "op");
    for (const auto& [key, member] : *members)
        singles.push_back({{"op", name != nullptr ? *name : boost::json::value()}, {"value", boost::json::object{{key, member}}}});
    return singles;
}

/// Returns the path of an operation, or the name of its only member.
std::string_view nameOf(const boost::json::object& operation)
{
    if (const auto* path = findMember(operation, "path"); path != nullptr && path->is_string()) return viewOf(path->get_string());
    const auto* value = findMember(operation, "value");
    const auto* members = value != nullptr ? value->if_object() : nullptr;
    if (members == nullptr || members->empty()) return {};
    const auto key = members->begin()->key();
    return {key.data(), key.size()};
}

/// Applies what can be applied, and notes the rest.
void applyLeniently(boost::json::object& resource, const boost::json::object& operation, const ResourceKind& kind, PatchBudget& budget)
{
    for (const auto& single : singleOperations(operation))
    {
        auto attempt = resource;
        try
        {
            applyOperation(attempt, single, kind, budget);
            // Throws if the operation has removed a required attribute.
            readResource(attempt, kind);
            resource = std::move(attempt);
        }
        catch (const Problem& problem)
        {
            if (problem.code() == "tooMany") throw;
            const auto name = nameOf(single);
            budget.passOver(name.empty() ? nameless : name);
        }
    }
}

} // namespace

void PatchBudget::spend(std::size_t looks)
{
    if (looks > _left) throw Problem::badRequest("tooMany", "The operations are too many for lists of that length: send fewer at once.");
    _left -= looks;
}

void PatchBudget::passOver(std::string_view path)
{
    if (_passedOver.size() < maxNotes) _passedOver.emplace_back(firstCharacters(path, longestNote));
}

AuditDetails PatchBudget::details() const
{
    if (_passedOver.empty()) return {};
    return {{"ignored", _passedOver}};
}

void applyPatch(boost::json::object& resource, const boost::json::object& patch, const ResourceKind& kind, PatchBudget& budget)
{
    const auto* operations = findMember(patch, "Operations");
    if (operations == nullptr || !operations->is_array() || operations->get_array().empty() ||
        operations->get_array().size() > maxPatchOperations)
        throw Problem::badRequest("invalidSyntax", "Operations should be a list of 1 to 1000 operations.");
    budget.forgetNotes();
    const bool lenient = std::ranges::any_of(operations->get_array(), [&](const auto& one) { return suspends(one, kind); });
    for (const auto& one : operations->get_array())
    {
        const auto* operation = one.if_object();
        if (operation == nullptr && !lenient) throw Problem::badRequest("invalidSyntax", "An operation is an object.");
        if (operation == nullptr)
            budget.passOver(nameless);
        else if (lenient)
            applyLeniently(resource, *operation, kind, budget);
        else
            applyOperation(resource, *operation, kind, budget);
    }
}

Edit replacement(const boost::json::object& sent, const ResourceKind& kind)
{
    return [wanted = readResource(sent, kind)](const boost::json::object&) { return wanted; };
}

Edit patching(const boost::json::object& sent, const ResourceKind& kind, PatchBudget& budget)
{
    return [&](const boost::json::object& before)
    {
        auto after = before;
        applyPatch(after, sent, kind, budget);
        return readResource(after, kind);
    };
}

} // namespace portico::identity::scim
