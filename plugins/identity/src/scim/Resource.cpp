#include "scim/Resource.h"

#include "portico/Http.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity::scim
{

namespace
{

constexpr std::size_t longestText = 8192;

Problem invalidValue(const Attribute& attribute, std::string_view wanted)
{
    return Problem::badRequest("invalidValue", std::string(attribute.name) + " should be " + std::string(wanted) + '.');
}

std::optional<bool> booleanOf(const boost::json::value& value)
{
    if (value.is_bool()) return value.get_bool();
    if (!value.is_string()) return std::nullopt;
    // Large providers send texts.
    if (equalsIgnoreCase(viewOf(value.get_string()), "true")) return true;
    if (equalsIgnoreCase(viewOf(value.get_string()), "false")) return false;
    return std::nullopt;
}

/// @param find names to attributes.
template <class Find>
boost::json::object readMembers(const boost::json::object& sent, Find find)
{
    boost::json::object read;
    for (const auto& [key, value] : sent)
    {
        const Attribute* attribute = find(std::string_view(key.data(), key.size()));
        if (attribute == nullptr || attribute->mutability == Mutability::ReadOnly) continue;
        if (read.contains(keyOf(attribute->name)))
            throw Problem::badRequest("invalidSyntax", std::string(attribute->name) + " is there twice.");
        if (auto one = readValue(*attribute, value)) read[keyOf(attribute->name)] = *std::move(one);
    }
    return read;
}

std::optional<boost::json::value> readList(const Attribute& attribute, const boost::json::value& sent)
{
    boost::json::array read;
    const auto add = [&](const boost::json::value& item)
    {
        if (auto one = readValue(attribute, item, true)) read.push_back(*std::move(one));
    };
    if (const auto* list = sent.if_array())
    {
        if (list->size() > maxValuesOf(attribute)) throw invalidValue(attribute, "a list with fewer values");
        for (const auto& item : *list) add(item);
    }
    else
        add(sent);
    settlePrimary(read);
    if (read.empty()) return std::nullopt;
    return read;
}

std::optional<boost::json::value> readComplex(const Attribute& attribute, const boost::json::value& sent)
{
    boost::json::object read;
    if (const auto* object = sent.if_object())
        read = readMembers(*object, [&](std::string_view name) { return attribute.find(name); });
    else if (const auto* value = attribute.find("value"); value != nullptr && sent.is_string())
        // The value alone.
        read["value"] = readValue(*value, sent).value();
    else
        throw invalidValue(attribute, "an object");
    for (const auto& part : attribute.sub)
        if (part.required && !read.contains(keyOf(part.name))) throw invalidValue(attribute, "an object with " + std::string(part.name));
    if (read.empty()) return std::nullopt;
    return read;
}

bool isPrimary(const boost::json::value& value)
{
    const auto* object = value.if_object();
    const auto* flag = object != nullptr ? object->if_contains("primary") : nullptr;
    return flag != nullptr && flag->is_bool() && flag->get_bool();
}

/// An element with nothing but one part, or all of its parts but one.
boost::json::value onlyPart(const boost::json::value& value, std::string_view part)
{
    const auto narrowed = [&](const boost::json::value& one) -> boost::json::value
    {
        const auto* object = one.if_object();
        const auto* found = object != nullptr ? object->if_contains(keyOf(part)) : nullptr;
        if (found == nullptr) return boost::json::object();
        return boost::json::object{{keyOf(part), *found}};
    };
    const auto* list = value.if_array();
    if (list == nullptr) return narrowed(value);
    boost::json::array all;
    for (const auto& one : *list) all.push_back(narrowed(one));
    return all;
}

void erasePart(boost::json::value& value, std::string_view part)
{
    if (auto* list = value.if_array())
        for (auto& one : *list) erasePart(one, part);
    else if (auto* object = value.if_object())
        object->erase(keyOf(part));
}

void merge(boost::json::value& into, const boost::json::value& more)
{
    if (auto* list = into.if_array(); list != nullptr && more.is_array())
    {
        for (std::size_t i = 0; i < list->size(); ++i) merge((*list)[i], more.get_array()[i]);
    }
    else if (into.is_object() && more.is_object())
        for (const auto& [key, value] : more.get_object()) into.get_object()[key] = value;
    else
        into = more;
}

} // namespace

const boost::json::value* findMember(const boost::json::object& object, std::string_view name) noexcept
{
    const auto found = std::ranges::find_if(object,
                                            [&](const auto& member) {
                                                return equalsIgnoreCase({member.key().data(), member.key().size()}, name);
                                            });
    return found == object.end() ? nullptr : &found->value();
}

std::string textOf(const boost::json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(keyOf(name));
    return value != nullptr && value->is_string() ? std::string(viewOf(value->get_string())) : std::string();
}

std::string textOf(const boost::json::object& object, std::string_view name, std::string_view part)
{
    const auto* value = object.if_contains(keyOf(name));
    return value != nullptr && value->is_object() ? textOf(value->get_object(), part) : std::string();
}

boost::json::object readResource(const boost::json::object& sent, const ResourceKind& kind)
{
    auto read = readMembers(sent, [&](std::string_view name) { return kind.find(name); });
    read.erase("schemas");
    for (const auto& [key, value] : sent)
    {
        if (!kind.isExtension({key.data(), key.size()}) || value.is_null()) continue;
        if (!value.is_object()) throw Problem::badRequest("invalidValue", "The extension should be an object.");
        auto inner = readMembers(value.get_object(), [&](std::string_view name) { return kind.extension->find(name); });
        if (!inner.empty()) read[keyOf(kind.extension->urn)] = std::move(inner);
    }
    for (const auto& attribute : kind.schema.attributes)
        if (attribute.required && textOf(read, attribute.name).empty())
            throw Problem::badRequest("invalidValue", std::string(attribute.name) + " is missing.");
    return read;
}

std::size_t maxValuesOf(const Attribute& attribute) noexcept { return attribute.name == "members" ? maxMembers : maxValues; }

std::optional<boost::json::value> readValue(const Attribute& attribute, const boost::json::value& sent, bool single)
{
    if (sent.is_null()) return std::nullopt;
    if (attribute.multiValued && !single) return readList(attribute, sent);
    // Entra sends a single value, such as the manager, as a list of one.
    if (const auto* list = sent.if_array(); list != nullptr && !attribute.multiValued)
        return list->empty() ? std::nullopt : readValue(attribute, list->front(), true);
    if (attribute.type == AttributeType::Complex) return readComplex(attribute, sent);
    if (attribute.type == AttributeType::Boolean)
    {
        const auto value = booleanOf(sent);
        if (!value) throw invalidValue(attribute, "true or false");
        return boost::json::value(*value);
    }
    if (!sent.is_string()) throw invalidValue(attribute, "a text");
    if (sent.get_string().size() > longestText) throw invalidValue(attribute, "shorter");
    return sent;
}

void settlePrimary(boost::json::array& values, const boost::json::value* winner)
{
    for (auto i = values.size(); i-- > 0;)
    {
        auto& value = values[i];
        if (!isPrimary(value)) continue;
        if (winner == nullptr)
            winner = &value;
        else if (winner != &value)
            value.get_object()["primary"] = false;
    }
}

Projection::Projection(std::string_view attributes, std::string_view excluded, const ResourceKind& kind) : _narrowed(!attributes.empty())
{
    for (const auto& name : splitList(attributes))
        if (const auto path = AttributePath::parse(name, kind)) _wanted.push_back(*path);
    for (const auto& name : splitList(excluded))
        if (const auto path = AttributePath::parse(name, kind))
            if (path->last() == nullptr || path->last()->returned != "always") _excluded.push_back(*path);
}

bool Projection::shows(std::string_view attribute) const noexcept
{
    const auto whole = [&](const AttributePath& path)
    { return path.extension.empty() && path.attribute != nullptr && path.attribute->name == attribute; };
    if (_narrowed) return std::ranges::any_of(_wanted, whole);
    return std::ranges::none_of(_excluded, [&](const AttributePath& path) { return whole(path) && path.sub == nullptr; });
}

boost::json::object Projection::of(const boost::json::object& resource) const
{
    boost::json::object shown;
    if (!_narrowed)
        shown = resource;
    else
        for (const auto* name : {"schemas", "id"})
            if (const auto* value = resource.if_contains(name)) shown[name] = *value;
    for (const auto& path : _wanted)
    {
        const auto* place = &resource;
        auto* target = &shown;
        if (!path.extension.empty())
        {
            const auto* extension = resource.if_contains(keyOf(path.extension));
            if (extension == nullptr || !extension->is_object()) continue;
            if (path.attribute == nullptr)
            {
                shown[keyOf(path.extension)] = *extension;
                continue;
            }
            place = &extension->get_object();
            auto& inner = shown[keyOf(path.extension)];
            if (!inner.is_object()) inner = boost::json::object();
            target = &inner.get_object();
        }
        const auto name = keyOf(path.attribute->name);
        const auto* value = place->if_contains(name);
        if (value == nullptr) continue;
        if (path.sub == nullptr)
            (*target)[name] = *value;
        else if (auto part = onlyPart(*value, path.sub->name); auto* known = target->if_contains(name))
            merge(*known, part);
        else
            (*target)[name] = std::move(part);
    }
    for (const auto& path : _excluded)
    {
        auto* place = &shown;
        if (!path.extension.empty())
        {
            auto* extension = shown.if_contains(keyOf(path.extension));
            if (extension == nullptr || !extension->is_object()) continue;
            if (path.attribute == nullptr)
            {
                shown.erase(keyOf(path.extension));
                continue;
            }
            place = &extension->get_object();
        }
        const auto name = keyOf(path.attribute->name);
        if (path.sub == nullptr)
            place->erase(name);
        else if (auto* value = place->if_contains(name))
            erasePart(*value, path.sub->name);
    }
    return shown;
}

} // namespace portico::identity::scim
