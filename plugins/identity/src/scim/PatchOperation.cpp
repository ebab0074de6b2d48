#include "scim/PatchOperation.h"

#include "scim/PatchTarget.h"

#include "portico/Http.h"
#include "portico/Problem.h"

#include <algorithm>
#include <map>

namespace portico::identity::scim
{

namespace
{

enum class PatchKind : std::uint8_t
{
    Add,
    Remove,
    Replace
};

Problem noTarget(std::string_view why) { return Problem::badRequest("noTarget", why); }

std::string_view valueOf(const boost::json::value& element) noexcept
{
    const auto* object = element.if_object();
    const auto* value = object != nullptr ? object->if_contains("value") : nullptr;
    return value != nullptr && value->is_string() ? viewOf(value->get_string()) : std::string_view();
}

void mergeInto(boost::json::value& known, const boost::json::value& more)
{
    if (known.is_object() && more.is_object())
        for (const auto& [key, value] : more.get_object()) known.get_object()[key] = value;
    else
        known = more;
}

/// One operation on one resource.
class PatchOperation
{
public:
    PatchOperation(boost::json::object& resource, const ResourceKind& kind, PatchKind operation, PatchBudget& budget)
        : _resource(resource), _kind(kind), _operation(operation), _budget(budget)
    {
    }

    bool needsValue() const noexcept { return _operation != PatchKind::Remove; }

    void at(std::string_view path, const boost::json::value& value)
    {
        const auto parsed = PatchPath::parse(path, _kind);
        if (parsed.form == PatchPath::Form::Malformed) throw PatchPath::invalid();
        if (parsed.form == PatchPath::Form::Unknown || isMappedReadOnly(parsed.target)) return _budget.passOver(path);
        at(parsed.target, value);
    }

    /// Applies an operation without a path to the members of its value.
    void everywhere(const boost::json::value& value)
    {
        if (_operation == PatchKind::Remove) throw noTarget("Name the target to remove with a path.");
        const auto* object = value.if_object();
        if (object == nullptr) throw Problem::badRequest("invalidValue", "Without a path the value is an object.");
        for (const auto& [key, member] : *object)
        {
            const std::string_view path(key.data(), key.size());
            const auto parsed = PatchPath::parse(path, _kind);
            if (parsed.form != PatchPath::Form::Known) _budget.passOver(path);
            // Ignores read-only members, because a client may send back a whole resource.
            else if (!parsed.target.isReadOnly() && !parsed.target.isOfServer())
                at(parsed.target, member);
        }
    }

private:
    /// Directories map roles and groups to a path. The server derives them, so that a write has no effect.
    static bool isMappedReadOnly(const PatchTarget& target) noexcept { return target.isReadOnly() && !target.isOfServer(); }

    void at(const PatchTarget& target, const boost::json::value& value)
    {
        if (target.path.attribute == nullptr) return onExtension(value);
        if (target.isReadOnly() || target.isOfServer()) throw mutability();
        // A member is one or is none, but does not become another.
        if (target.part != nullptr && target.part->mutability == Mutability::Immutable) throw mutability();
        auto& place = placeOf(target);
        const auto name = keyOf(target.path.attribute->name);
        _budget.spend(looks(place, target));
        if (target.filter)
            onSome(place, target, value);
        else if (target.part != nullptr)
            onPart(place, target, value);
        else if (_operation == PatchKind::Remove)
            remove(place, *target.path.attribute, value);
        else
            set(place, *target.path.attribute, value);
        if (const auto* list = place.contains(name) ? place.at(name).if_array() : nullptr; list != nullptr && list->empty())
            place.erase(name);
        dropEmptyExtension();
    }
    static std::size_t looks(const boost::json::object& place, const PatchTarget& target)
    {
        const auto* found = place.if_contains(keyOf(target.path.attribute->name));
        const auto* list = found != nullptr ? found->if_array() : nullptr;
        return 1 + (list != nullptr ? list->size() * (1 + (target.filter ? target.filter->size() : 0)) : 0);
    }
    static Problem mutability() { return Problem::badRequest("mutability", "That attribute cannot be changed."); }

    boost::json::object& placeOf(const PatchTarget& target)
    {
        if (target.path.extension.empty()) return _resource;
        auto& extension = _resource[keyOf(target.path.extension)];
        if (!extension.is_object()) extension = boost::json::object();
        return extension.get_object();
    }
    void dropEmptyExtension()
    {
        if (_kind.extension == nullptr) return;
        const auto name = keyOf(_kind.extension->urn);
        if (const auto* extension = _resource.if_contains(name);
            extension != nullptr && extension->is_object() && extension->get_object().empty())
            _resource.erase(name);
    }

    void onExtension(const boost::json::value& value)
    {
        const auto urn = std::string(_kind.extension->urn);
        if (_operation == PatchKind::Remove || value.is_null())
        {
            _resource.erase(keyOf(urn));
            return;
        }
        const auto* object = value.if_object();
        if (object == nullptr) throw Problem::badRequest("invalidValue", "The extension should be an object.");
        for (const auto& [key, member] : *object)
        {
            const auto path = urn + ':' + std::string(key.data(), key.size());
            const auto parsed = PatchPath::parse(path, _kind);
            if (parsed.form != PatchPath::Form::Known || parsed.target.path.attribute == nullptr)
                _budget.passOver(path);
            else if (!parsed.target.isReadOnly())
                at(parsed.target, member);
        }
    }

    /// The values that a filter in brackets names.
    void onSome(boost::json::object& place, const PatchTarget& target, const boost::json::value& value)
    {
        const auto& attribute = *target.path.attribute;
        auto* found = place.if_contains(keyOf(attribute.name));
        auto* list = found != nullptr ? found->if_array() : nullptr;
        const auto matches = [&](const boost::json::value& one) { return one.is_object() && target.filter->matches(one.get_object()); };
        if (_operation == PatchKind::Remove && target.part == nullptr)
        {
            // Removing a value that is not in the list succeeds.
            if (list != nullptr) list->erase(std::remove_if(list->begin(), list->end(), matches), list->end());
            return;
        }
        bool any = false;
        const boost::json::value* primary = nullptr;
        if (list != nullptr)
            for (std::size_t i = 0; i < list->size(); ++i)
            {
                if (!matches((*list)[i])) continue;
                any = true;
                changeOne((*list)[i], target, value);
                if (isTrue((*list)[i])) primary = &(*list)[i];
            }
        if (any) settlePrimary(*list, primary);
        if (any || _operation == PatchKind::Remove || value.is_null()) return;
        // RFC 7644, 3.5.2.3 wants noTarget for a replacement. Entra's default mappings replace values that are not there yet.
        auto made = target.filter->example();
        if (!made) throw noTarget("No value matches the filter.");
        boost::json::value fresh(*std::move(made));
        changeOne(fresh, target, value);
        const auto read = readValue(attribute, boost::json::array{std::move(fresh)});
        if (!read) return;
        if (list != nullptr)
            append(*list, read->get_array(), attribute);
        else
            place[keyOf(attribute.name)] = *read;
    }
    static bool isTrue(const boost::json::value& element)
    {
        const auto* flag = element.is_object() ? element.get_object().if_contains("primary") : nullptr;
        return flag != nullptr && flag->is_bool() && flag->get_bool();
    }
    void changeOne(boost::json::value& element, const PatchTarget& target, const boost::json::value& value)
    {
        if (target.part != nullptr)
            setPart(element.get_object(), *target.part, value);
        else if (const auto read = readValue(*target.path.attribute, value, true))
            mergeInto(element, *read);
    }
    void setPart(boost::json::object& object, const Attribute& part, const boost::json::value& value) const
    {
        const auto read = _operation == PatchKind::Remove ? std::nullopt : readValue(part, value);
        if (read)
            object[keyOf(part.name)] = *read;
        else
            object.erase(keyOf(part.name));
    }

    /// `name.givenName`, and of a multi-valued attribute the part of each value.
    void onPart(boost::json::object& place, const PatchTarget& target, const boost::json::value& value)
    {
        const auto& attribute = *target.path.attribute;
        const auto name = keyOf(attribute.name);
        if (!place.contains(name))
        {
            if (_operation == PatchKind::Remove) return;
            place[name] = attribute.multiValued ? boost::json::value(boost::json::array{boost::json::object()})
                                                : boost::json::value(boost::json::object());
        }
        auto& whole = place[name];
        if (auto* list = whole.if_array())
        {
            for (auto& one : *list)
                if (one.is_object()) setPart(one.get_object(), *target.part, value);
            settlePrimary(*list);
        }
        else if (whole.is_object())
            setPart(whole.get_object(), *target.part, value);
        if (whole.is_object() && whole.get_object().empty()) place.erase(name);
    }

    static void remove(boost::json::object& place, const Attribute& attribute, const boost::json::value& value)
    {
        auto* found = place.if_contains(keyOf(attribute.name));
        if (found == nullptr) return;
        if (!attribute.multiValued || value.is_null() || !found->is_array())
        {
            place.erase(keyOf(attribute.name));
            return;
        }
        // A list that names nothing removes nothing.
        const auto named = readValue(attribute, value);
        if (!named) return;
        std::map<std::string_view, bool> gone;
        for (const auto& one : named->get_array()) gone[valueOf(one)] = true;
        auto& list = found->get_array();
        list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& one) { return gone.contains(valueOf(one)); }), list.end());
    }

    void set(boost::json::object& place, const Attribute& attribute, const boost::json::value& value)
    {
        const auto name = keyOf(attribute.name);
        auto read = readValue(attribute, value);
        if (!read)
        {
            if (_operation == PatchKind::Replace) place.erase(name);
            return;
        }
        auto* known = place.if_contains(name);
        if (known == nullptr)
            place[name] = *std::move(read);
        else if (known->is_array() && _operation == PatchKind::Add)
            append(known->get_array(), read->get_array(), attribute);
        else if (attribute.type == AttributeType::Complex && !attribute.multiValued)
            mergeInto(*known, *read);
        else
            *known = *std::move(read);
    }

    /// Appends values that the list does not contain yet.
    static void append(boost::json::array& list, const boost::json::array& more, const Attribute& attribute)
    {
        std::map<std::string, std::size_t, std::less<>> places;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (const auto value = valueOf(list[i]); !value.empty()) places.emplace(value, i);
        for (const auto& one : more)
        {
            const auto value = valueOf(one);
            const auto same = value.empty() ? places.end() : places.find(value);
            if (same != places.end())
                mergeInto(list[same->second], one);
            else if (!value.empty() || std::find(list.begin(), list.end(), one) == list.end())
            {
                if (!value.empty()) places.emplace(value, list.size());
                list.push_back(one);
            }
        }
        if (list.size() > maxValuesOf(attribute)) throw Problem::badRequest("invalidValue", "These are too many values.");
        settlePrimary(list);
    }

    boost::json::object& _resource;
    const ResourceKind& _kind;
    PatchKind _operation;
    PatchBudget& _budget;
};

PatchKind kindOf(const boost::json::object& operation)
{
    const auto* name = findMember(operation, "op");
    if (name != nullptr && name->is_string())
    {
        const auto text = viewOf(name->get_string());
        if (equalsIgnoreCase(text, "add")) return PatchKind::Add;
        if (equalsIgnoreCase(text, "remove")) return PatchKind::Remove;
        if (equalsIgnoreCase(text, "replace")) return PatchKind::Replace;
    }
    throw Problem::badRequest("invalidSyntax", "op is add, remove or replace.");
}

} // namespace

void applyOperation(boost::json::object& resource, const boost::json::object& operation, const ResourceKind& kind, PatchBudget& budget)
{
    PatchOperation step(resource, kind, kindOf(operation), budget);
    const auto* path = findMember(operation, "path");
    const auto* value = findMember(operation, "value");
    if (value == nullptr && step.needsValue()) throw Problem::badRequest("invalidValue", "The operation has no value.");
    const boost::json::value nothing;
    if (path == nullptr || path->is_null() || (path->is_string() && path->get_string().empty()))
        step.everywhere(value != nullptr ? *value : nothing);
    else if (path->is_string())
        step.at(viewOf(path->get_string()), value != nullptr ? *value : nothing);
    else
        throw PatchPath::invalid();
}

} // namespace portico::identity::scim
