#pragma once

// The constant tables that a description becomes when it is compiled. Part of portico/Schema.h.

#include "portico/Schema.h"

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico::detail
{

template <class T>
constexpr std::string_view typeName()
{
    // "… [with T = portico::crm::Contact; …]" (g++), "… [T = portico::crm::Contact]" (clang)
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("T = ") + 4);
    text = text.substr(0, text.find_first_of(";]"));
    if (auto colon = text.rfind("::"); colon != std::string_view::npos) text.remove_prefix(colon + 2);
    return text;
}

/// Name of the member that a pointer to member points to, without its class.
template <auto Pointer>
constexpr std::string_view memberName()
{
    // "… [with auto Pointer = &portico::crm::Contact::name; …]" (g++), "… [Pointer = &portico::crm::Contact::name]" (clang)
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("Pointer = ") + 10);
    text = text.substr(0, text.find(';'));
    if (text.back() == ']') text.remove_suffix(1);
    if (text.back() == ')') text.remove_suffix(1);
    text.remove_prefix(text.rfind(':') + 1);
    return text;
}

template <class T>
struct ElementOf
{
    static constexpr bool list = false, map = false, optional = false;
};
template <class E>
struct ElementOf<std::vector<E>>
{
    static constexpr bool list = true, map = false, optional = false;
    using type = E;
};
template <class E, class C>
struct ElementOf<std::map<std::string, E, C>>
{
    static constexpr bool list = false, map = true, optional = false;
    using type = E;
};
template <class E>
struct ElementOf<std::optional<E>>
{
    static constexpr bool list = false, map = false, optional = true;
    using type = E;
};

/// Finds `schemaOf` for T and never for a base of T, whose description a derived record would otherwise silently get.
template <class T>
struct Exactly
{
    template <class P>
    requires std::same_as<P, const T*>
    constexpr operator P() const noexcept { return nullptr; }
};

template <class T>
concept DescribesItself = requires(Exactly<T> type)
{
    schemaOf(type);
};
template <class T>
concept DescribedElsewhere = requires
{
    Schema<T>::fields;
}
|| requires { Schema<T>::choices; };

template <class T>
constexpr auto findDescription()
{
    static_assert(!(DescribesItself<T> && DescribedElsewhere<T>), "This type has a schemaOf and a portico::Schema: keep one of them");
    if constexpr (DescribesItself<T>)
        return schemaOf(Exactly<T>{});
    else if constexpr (requires { Schema<T>::fields; })
        return Schema<T>::fields;
    else
        return Schema<T>::choices;
}

template <class T>
requires DescribesItself<T> || DescribedElsewhere<T>
inline constexpr auto descriptionOf = findDescription<T>();

template <class T>
concept DescribedEnum = std::is_enum_v<T> &&(DescribesItself<T> || DescribedElsewhere<T>);
template <class T>
concept DescribedRecord = std::is_class_v<T> &&(DescribesItself<T> || DescribedElsewhere<T>);
template <class T>
concept ParsedText = requires(const T& value, std::string_view text)
{
    {
        T::parse(text)
        } -> std::same_as<std::optional<T>>;
    {
        value.text()
        } -> std::convertible_to<std::string_view>;
};

template <class T>
consteval Type makeType();

/// The tables of a type. One object a type and shared object; compare kinds, never addresses.
template <class T>
inline constexpr Type typeOf = makeType<T>();

template <DescribedRecord T>
inline constexpr const auto& fieldsOf = descriptionOf<T>.fields;

template <class T, class F, std::size_t I>
void* reachField(void* record)
{
    return &(static_cast<T*>(record)->*static_cast<const PackedAt<I, F>&>(fieldsOf<T>).value.pointer);
}

template <class T, std::size_t... I, class... F>
consteval std::array<Member, sizeof...(F)> makeMembers(const PackOf<std::index_sequence<I...>, F...>& fields)
{
    [[maybe_unused]] const auto member = [](const auto& field, const Type& type, void* (*reach)(void*)) {
        return Member{field.name, &type, reach, field.rules};
    };
    return {member(static_cast<const PackedAt<I, F>&>(fields).value, typeOf<typename F::Value>, &reachField<T, F, I>)...};
}
template <class T>
inline constexpr auto membersOf = makeMembers<T>(fieldsOf<T>);

template <class T>
consteval auto makeChoiceNames()
{
    std::array<std::string_view, descriptionOf<T>.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = descriptionOf<T>[i].first;
    return names;
}
template <class T>
inline constexpr auto choiceNames = makeChoiceNames<T>();

template <class T>
consteval Type scalarType()
{
    Type type;
    type.reset = [](void* p) { *static_cast<T*>(p) = T{}; };
    if constexpr (std::same_as<T, bool>)
    {
        type.kind = Kind::Boolean;
        type.getInteger = [](const void* p) -> std::int64_t { return *static_cast<const bool*>(p) ? 1 : 0; };
        type.setInteger = [](void* p, std::int64_t v)
        {
            *static_cast<bool*>(p) = v != 0;
            return true;
        };
    }
    else if constexpr (std::integral<T>)
    {
        type.kind = Kind::Integer;
        type.isSigned = std::is_signed_v<T>;
        type.getInteger = [](const void* p) -> std::int64_t { return static_cast<std::int64_t>(*static_cast<const T*>(p)); };
        type.setInteger = [](void* p, std::int64_t v)
        {
            if (!std::in_range<T>(v)) return false;
            *static_cast<T*>(p) = static_cast<T>(v);
            return true;
        };
    }
    else if constexpr (std::floating_point<T>)
    {
        type.kind = Kind::Number;
        type.getNumber = [](const void* p) -> double { return static_cast<double>(*static_cast<const T*>(p)); };
        type.setNumber = [](void* p, double v) { *static_cast<T*>(p) = static_cast<T>(v); };
    }
    else if constexpr (std::same_as<T, std::string>)
        type.kind = Kind::String;
    else if constexpr (std::same_as<T, Json>)
        type.kind = Kind::Json;
    return type;
}

template <class T>
consteval Type formattedType()
{
    Type type;
    type.kind = Kind::Formatted;
    type.reset = [](void* p) { *static_cast<T*>(p) = T{}; };
    if constexpr (std::same_as<T, Instant>)
    {
        type.format = "date-time";
        type.parse = [](void* p, std::string_view text)
        {
            auto parsed = parseInstant(text);
            if (parsed) *static_cast<Instant*>(p) = *parsed;
            return parsed.has_value();
        };
        type.print = [](const void* p, std::string& out) { appendTo(out, *static_cast<const Instant*>(p)); };
    }
    else
    {
        type.format = "id";
        type.parse = [](void* p, std::string_view text)
        {
            auto parsed = T::parse(text);
            if (parsed) *static_cast<T*>(p) = *std::move(parsed);
            return parsed.has_value();
        };
        type.print = [](const void* p, std::string& out) { out += static_cast<const T*>(p)->text(); };
    }
    return type;
}

template <class T>
consteval Type choiceType()
{
    Type type;
    type.kind = Kind::Choice;
    type.name = typeName<T>();
    type.choices = choiceNames<T>.data();
    type.choiceCount = choiceNames<T>.size();
    type.reset = [](void* p) { *static_cast<T*>(p) = T{}; };
    type.getInteger = [](const void* p) -> std::int64_t
    {
        for (std::size_t i = 0; i < descriptionOf<T>.size(); ++i)
            if (descriptionOf<T>[i].second == *static_cast<const T*>(p)) return static_cast<std::int64_t>(i);
        return -1;
    };
    type.setInteger = [](void* p, std::int64_t index)
    {
        *static_cast<T*>(p) = descriptionOf<T>[static_cast<std::size_t>(index)].second;
        return true;
    };
    return type;
}

template <class T>
consteval Type listType()
{
    using E = typename ElementOf<T>::type;
    static_assert(!std::same_as<E, bool>, "std::vector<bool> has no addressable elements: use another element type");
    Type type;
    type.kind = Kind::List;
    type.element = &typeOf<E>;
    type.reset = [](void* p) { static_cast<T*>(p)->clear(); };
    type.size = [](const void* p) { return static_cast<const T*>(p)->size(); };
    type.at = [](const void* p, std::size_t i) -> const void* { return &(*static_cast<const T*>(p))[i]; };
    type.append = [](void* p) -> void* { return &static_cast<T*>(p)->emplace_back(); };
    return type;
}

template <class T>
consteval Type mapType()
{
    using E = typename ElementOf<T>::type;
    Type type;
    type.kind = Kind::Map;
    type.element = &typeOf<E>;
    type.reset = [](void* p) { static_cast<T*>(p)->clear(); };
    type.size = [](const void* p) { return static_cast<const T*>(p)->size(); };
    type.insert = [](void* p, std::string_view key) -> void* { return &(*static_cast<T*>(p))[std::string(key)]; };
    type.erase = [](void* p, std::string_view key) { static_cast<T*>(p)->erase(std::string(key)); };
    type.each = [](const void* p, void* context, void (*visit)(void*, std::string_view, const void*))
    {
        for (const auto& [key, value] : *static_cast<const T*>(p)) visit(context, key, &value);
    };
    return type;
}

template <class T>
consteval Type optionalType()
{
    using E = typename ElementOf<T>::type;
    Type type;
    type.kind = Kind::Optional;
    type.element = &typeOf<E>;
    type.reset = [](void* p) { static_cast<T*>(p)->reset(); };
    type.engage = [](void* p) -> void*
    {
        auto& held = *static_cast<T*>(p);
        if (!held) held.emplace();
        return &*held;
    };
    type.value = [](const void* p) -> const void*
    {
        const auto& held = *static_cast<const T*>(p);
        return held ? &*held : nullptr;
    };
    return type;
}

template <class T>
consteval Type recordType()
{
    Type type;
    type.kind = Kind::Record;
    type.name = descriptionOf<T>.name.empty() ? typeName<T>() : descriptionOf<T>.name;
    type.members = membersOf<T>.data();
    type.memberCount = membersOf<T>.size();
    type.reset = [](void* p) { *static_cast<T*>(p) = T{}; };
    using Parts = std::remove_cvref_t<decltype(descriptionOf<T>)>;
    if constexpr (!std::is_void_v<typename Parts::Document>) type.documentedAs = &typeOf<typename Parts::Document>;
    if constexpr (!std::same_as<typename Parts::Check, std::nullptr_t>)
        type.check = [](const void* p, Faults& faults, const std::string& path)
        { descriptionOf<T>.check(*static_cast<const T*>(p), faults, path); };
    return type;
}

template <class T>
consteval Type makeType()
{
    if constexpr (std::integral<T> || std::floating_point<T> || std::same_as<T, std::string> || std::same_as<T, Json>)
        return scalarType<T>();
    else if constexpr (std::same_as<T, Instant> || ParsedText<T>)
        return formattedType<T>();
    else if constexpr (ElementOf<T>::list)
        return listType<T>();
    else if constexpr (ElementOf<T>::map)
        return mapType<T>();
    else if constexpr (ElementOf<T>::optional)
        return optionalType<T>();
    else if constexpr (DescribedEnum<T>)
        return choiceType<T>();
    else
    {
        static_assert(
            DescribedRecord<T>,
            "This type is not described: write `constexpr auto schemaOf(const T*)` beside it, in its namespace and before its first use");
        return recordType<T>();
    }
}

} // namespace portico::detail
