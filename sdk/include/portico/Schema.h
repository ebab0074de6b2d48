#pragma once

#include "portico/Instant.h"
#include "portico/detail/Type.h"

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// Describes a type once for JSON in and out, validation, the API document and rows. Specialise it
/// - for a record: `static constexpr auto fields = describe(field("address", &EmailAddress::address).required().email(), …);`
/// - for an enum: `static constexpr auto choices = portico::choices<Lifecycle>({"lead", Lifecycle::Lead}, …);`
/// A record may add `static constexpr std::string_view name` (its name in the API document; default: the type's own) and
/// `static void check(const T&, detail::Faults&, const std::string& path)` for rules that concern several members, and
/// `using DocumentedAs = Other` when it is written like that other record, whose description the API document then shows: for records that
/// pass stored JSON on as text.
/// Example: tests/sdk/SchemaTest.cpp.
template <class T>
struct Schema;

/// Any JSON value, kept as its text.
struct Json
{
    std::string text = "null";
    bool operator==(const Json&) const = default;
};

namespace detail
{

/// One member of a record, with its rules; made by `field` and shaped by chained calls.
template <class T, class M>
struct FieldDef
{
    using Record = T;
    using Value = M;
    std::string_view name;
    M T::*pointer;
    Rules rules;

    /// Must be there on creation and may not be cleared; a string may not be empty.
    constexpr FieldDef required() const
    {
        return with([](Rules& r) { r.required = true; });
    }
    /// Accepted and ignored on input.
    constexpr FieldDef readOnly() const
    {
        return with([](Rules& r) { r.readOnly = true; });
    }
    /// Never written.
    constexpr FieldDef writeOnly() const
    {
        return with([](Rules& r) { r.writeOnly = true; });
    }
    /// Not in JSON at all, only in rows.
    constexpr FieldDef hidden() const
    {
        return with([](Rules& r) { r.hidden = true; });
    }
    /// A Json member that holds an object, whose members are written in its place: for records that are kept whole as JSON. For writing
    /// only; no member of this name is read.
    constexpr FieldDef inlined() const requires std::same_as<M, Json>
    {
        return with([](Rules& r) { r.inlined = true; });
    }
    /// Not a column.
    constexpr FieldDef unstored() const
    {
        return with([](Rules& r) { r.stored = false; });
    }
    /// Left out of JSON while it has no value (default: null).
    constexpr FieldDef omitEmpty() const
    {
        return with([](Rules& r) { r.omitEmpty = true; });
    }
    constexpr FieldDef email() const
    {
        return with([](Rules& r) { r.format = Format::Email; });
    }
    /// An absolute http or https URL.
    constexpr FieldDef uri() const
    {
        return with([](Rules& r) { r.format = Format::Uri; });
    }
    /// `YYYY-MM-DD` of the calendar.
    constexpr FieldDef date() const
    {
        return with([](Rules& r) { r.format = Format::Date; });
    }
    /// A rule of one's own: what it accepts, the error code, and the pattern or sentence for the API document.
    constexpr FieldDef matches(bool (*accepts)(std::string_view), std::string_view code, std::string_view pattern) const
    {
        return with(
            [&](Rules& r)
            {
                r.format = Format::Pattern;
                r.accepts = accepts;
                r.errorCode = code;
                r.pattern = pattern;
            });
    }
    /// Lengths count characters (code points). On a list of texts they are those of each element.
    constexpr FieldDef minLength(std::int64_t n) const
    {
        return with([n](Rules& r) { r.minLength = n; });
    }
    constexpr FieldDef maxLength(std::int64_t n) const
    {
        return with([n](Rules& r) { r.maxLength = n; });
    }
    constexpr FieldDef minItems(std::int64_t n) const
    {
        return with([n](Rules& r) { r.minItems = n; });
    }
    constexpr FieldDef maxItems(std::int64_t n) const
    {
        return with([n](Rules& r) { r.maxItems = n; });
    }
    /// Both ends included.
    constexpr FieldDef range(std::int64_t low, std::int64_t high) const
    {
        return with(
            [=](Rules& r)
            {
                r.minimum = low;
                r.maximum = high;
            });
    }
    constexpr FieldDef description(std::string_view text) const
    {
        return with([text](Rules& r) { r.description = text; });
    }
    /// Column, where it is not the member's name in snake_case.
    constexpr FieldDef column(std::string_view text) const
    {
        return with([text](Rules& r) { r.column = text; });
    }

private:
    template <class F>
    constexpr FieldDef with(F change) const
    {
        FieldDef copy = *this;
        change(copy.rules);
        return copy;
    }
};

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

template <class T>
concept DescribedRecord = requires
{
    Schema<T>::fields;
};
template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires
{
    Schema<T>::choices;
};
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

template <class T, std::size_t I>
void* reachField(void* record)
{
    return &(static_cast<T*>(record)->*std::get<I>(Schema<T>::fields).pointer);
}

template <class T, std::size_t... I>
consteval auto makeMembers(std::index_sequence<I...>)
{
    return std::array<Member, sizeof...(I)>{
        Member{std::get<I>(Schema<T>::fields).name,
               &typeOf<typename std::tuple_element_t<I, std::remove_cvref_t<decltype(Schema<T>::fields)>>::Value>, &reachField<T, I>,
               std::get<I>(Schema<T>::fields).rules}...};
}
template <class T>
inline constexpr auto
    membersOf = makeMembers<T>(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(Schema<T>::fields)>>>{});

template <class T>
consteval auto makeChoiceNames()
{
    std::array<std::string_view, Schema<T>::choices.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = Schema<T>::choices[i].first;
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
        for (std::size_t i = 0; i < Schema<T>::choices.size(); ++i)
            if (Schema<T>::choices[i].second == *static_cast<const T*>(p)) return static_cast<std::int64_t>(i);
        return -1;
    };
    type.setInteger = [](void* p, std::int64_t index)
    {
        *static_cast<T*>(p) = Schema<T>::choices[static_cast<std::size_t>(index)].second;
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
    if constexpr (requires { Schema<T>::name; })
        type.name = Schema<T>::name;
    else
        type.name = typeName<T>();
    type.members = membersOf<T>.data();
    type.memberCount = membersOf<T>.size();
    type.reset = [](void* p) { *static_cast<T*>(p) = T{}; };
    if constexpr (requires { typename Schema<T>::DocumentedAs; }) type.documentedAs = &typeOf<typename Schema<T>::DocumentedAs>;
    if constexpr (requires(const T& t, Faults& f, const std::string& s) { Schema<T>::check(t, f, s); })
        type.check = [](const void* p, Faults& faults, const std::string& path)
        { Schema<T>::check(*static_cast<const T*>(p), faults, path); };
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
        static_assert(DescribedRecord<T>, "This type has no portico::Schema: specialise it with `fields` (records) or `choices` (enums)");
        return recordType<T>();
    }
}

} // namespace detail

/// Anything that JSON, queries and rows can carry.
template <class T>
concept Described = detail::DescribedRecord<T> || detail::DescribedEnum<T> || detail::ParsedText<T> || std::integral<T> ||
    std::floating_point<T> || std::same_as<T, std::string> || std::same_as<T, Json> || std::same_as<T, Instant> ||
    detail::ElementOf<T>::list || detail::ElementOf<T>::map || detail::ElementOf<T>::optional;

/// One member of a record. Its JSON name is camelCase.
template <class T, class M>
constexpr detail::FieldDef<T, M> field(std::string_view name, M T::*pointer)
{
    return {name, pointer, {}};
}

/// The members of a record, in the order in which they are written.
template <class... F>
constexpr std::tuple<F...> describe(F... fields)
{
    return {fields...};
}

/// The words of an enum.
template <class E, std::size_t N>
constexpr std::array<std::pair<std::string_view, E>, N> choices(const std::pair<std::string_view, E> (&words)[N])
{
    return std::to_array(words);
}

/// The word of an enum's value.
template <detail::DescribedEnum E>
std::string_view word(E value)
{
    for (const auto& [text, candidate] : Schema<E>::choices)
        if (candidate == value) return text;
    return {};
}

/// The value of a word.
template <detail::DescribedEnum E>
std::optional<E> parseWord(std::string_view text)
{
    for (const auto& [candidate, value] : Schema<E>::choices)
        if (candidate == text) return value;
    return std::nullopt;
}

} // namespace portico
