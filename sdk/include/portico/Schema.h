#pragma once

#include "portico/Instant.h"
#include "portico/detail/Pack.h"
#include "portico/detail/Type.h"

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

/// Specialize this to describe a type whose namespace you cannot extend: `fields` (records) or `choices` (enums).
/// Every other type describes itself by a function beside the type, in its namespace and before its first use:
/// \code
/// struct EmailAddress { std::string address; std::string label; bool primary = false; };
/// constexpr auto schemaOf(const EmailAddress*)
/// {
///     return describe(field<&EmailAddress::address>().required().email(), members<&EmailAddress::label, &EmailAddress::primary>());
/// }
/// constexpr auto schemaOf(const Lifecycle*) { return portico::choices<Lifecycle>({{"lead", Lifecycle::Lead}, …}); }
/// \endcode
/// One description serves JSON in and out, validation, the API document and rows. A class template declares the function as a friend.
/// A type with both descriptions, or with none, does not compile. Example: tests/sdk/SchemaTest.cpp.
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
    constexpr FieldDef required() const { return with(&Rules::required, true); }
    /// null makes a boolean false, a number 0 and a choice the first of its words (default: null is refused).
    constexpr FieldDef clearable() const { return with(&Rules::clearable, true); }
    /// Accepted and ignored on input.
    constexpr FieldDef readOnly() const { return with(&Rules::readOnly, true); }
    /// Never written.
    constexpr FieldDef writeOnly() const { return with(&Rules::writeOnly, true); }
    /// Not in JSON at all, only in rows.
    constexpr FieldDef columnOnly() const { return with(&Rules::columnOnly, true); }
    /// A Json member that holds an object, whose members are written in its place: for records that are kept whole as JSON. For writing
    /// only; no member of this name is read.
    constexpr FieldDef flattened() const requires std::same_as<M, Json> { return with(&Rules::flattened, true); }
    /// Not a column.
    constexpr FieldDef transient() const { return with(&Rules::stored, false); }
    /// Blanks at both ends of a text, or of each text of a list, are dropped when it is read from a request.
    constexpr FieldDef trimmed() const { return with(&Rules::trimmed, true); }
    /// Left out of JSON while it has no value (default: null).
    constexpr FieldDef omitEmpty() const { return with(&Rules::omitEmpty, true); }
    constexpr FieldDef email() const { return with(&Rules::format, Format::Email); }
    /// An absolute http or https URL.
    constexpr FieldDef uri() const { return with(&Rules::format, Format::Uri); }
    /// `YYYY-MM-DD` of the calendar. For a type with its own parser, the parser decides, and this rule supplies the error text.
    constexpr FieldDef date() const { return with(&Rules::format, Format::Date); }
    /// Custom rule: predicate, error code, and the text that follows "Expected " ("a currency code of ISO 4217"), also in the API document.
    /// For a type with its own parser, the parser decides, and this rule supplies the error code and text.
    constexpr FieldDef matches(bool (*accepts)(std::string_view), std::string_view code, std::string_view pattern) const
    {
        return with(&Rules::format, Format::Pattern)
            .with(&Rules::accepts, accepts)
            .with(&Rules::errorCode, code)
            .with(&Rules::pattern, pattern);
    }
    /// Lengths count characters (code points). On a list of texts they are those of each element.
    constexpr FieldDef minLength(std::int64_t n) const { return with(&Rules::minLength, n); }
    constexpr FieldDef maxLength(std::int64_t n) const { return with(&Rules::maxLength, n); }
    constexpr FieldDef minItems(std::int64_t n) const { return with(&Rules::minItems, n); }
    constexpr FieldDef maxItems(std::int64_t n) const { return with(&Rules::maxItems, n); }
    /// Both ends included.
    constexpr FieldDef range(std::int64_t low, std::int64_t high) const { return with(&Rules::minimum, low).with(&Rules::maximum, high); }
    constexpr FieldDef description(std::string_view text) const { return with(&Rules::description, text); }
    /// Column, where it is not the member's name in snake_case.
    constexpr FieldDef column(std::string_view text) const { return with(&Rules::column, text); }

private:
    template <class R>
    constexpr FieldDef with(R Rules::*rule, std::type_identity_t<R> value) const
    {
        FieldDef copy = *this;
        copy.rules.*rule = value;
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

} // namespace detail

/// Anything that JSON, queries and rows can carry.
template <class T>
concept Described = detail::DescribedRecord<T> || detail::DescribedEnum<T> || detail::ParsedText<T> || std::integral<T> ||
    std::floating_point<T> || std::same_as<T, std::string> || std::same_as<T, Json> || std::same_as<T, Instant> ||
    detail::ElementOf<T>::list || detail::ElementOf<T>::map || detail::ElementOf<T>::optional;

/// One member of a record: its JSON name, which is camelCase, and a pointer to it.
template <class T, class M>
constexpr detail::FieldDef<T, M> field(std::string_view name, M T::*pointer)
{
    return {name, pointer, {}};
}

/// One member of a record. Its JSON name is the member's own name unless `name` is given: `field<&Contact::email>()`.
template <auto Pointer>
requires std::is_member_object_pointer_v<decltype(Pointer)>
constexpr auto field(std::string_view name = detail::memberName<Pointer>()) { return field(name, Pointer); }

/// Result of `describe`: the members of a record and the rules of the record as a whole.
template <class CheckedBy, class DocumentedAs, class... F>
struct Description
{
    using Check = CheckedBy;
    using Document = DocumentedAs;
    detail::Pack<F...> fields;
    std::string_view name = {};
    Check check = {};

    /// Its name in the API document (default: the type's own).
    constexpr Description named(std::string_view text) const { return {fields, text, check}; }
    /// Rules that concern several members. `path` is the record's path in the input, empty at the top.
    template <class T>
    constexpr auto checkedBy(void (*rules)(const T&, Faults&, const std::string& path)) const
    {
        return Description<decltype(rules), DocumentedAs, F...>{fields, name, rules};
    }
    /// The API document shows that other record instead: for records that pass stored JSON on as text.
    template <class Other>
    constexpr auto documentedAs() const
    {
        return Description<Check, Other, F...>{fields, name, check};
    }
};

namespace detail
{
template <class T, class M>
constexpr std::size_t fieldCount(const FieldDef<T, M>*)
{
    return 1;
}
template <class C, class D, class... F>
constexpr std::size_t fieldCount(const Description<C, D, F...>*)
{
    return sizeof...(F);
}

/// The field at a place of a part of a description.
template <std::size_t I, class T, class M>
constexpr const FieldDef<T, M>& fieldAt(const FieldDef<T, M>& field)
{
    return field;
}
template <std::size_t I, class C, class D, class... F>
constexpr const auto& fieldAt(const Description<C, D, F...>& description)
{
    return at<I>(description.fields);
}

/// Where the fields of all parts are: the number of the part, and the place in it.
template <class... P>
consteval auto placesOfFields()
{
    std::array<std::pair<std::size_t, std::size_t>, (fieldCount(static_cast<const P*>(nullptr)) + ... + 0)> places;
    std::size_t part = 0, next = 0;
    for (const std::size_t count : {fieldCount(static_cast<const P*>(nullptr))...})
    {
        for (std::size_t i = 0; i < count; ++i) places[next++] = {part, i};
        ++part;
    }
    return places;
}

template <class... F>
constexpr Description<std::nullptr_t, void, F...> describeFields(const F&... fields)
{
    return {{{fields}...}};
}
} // namespace detail

/// Members of a record that have their own names in JSON and no rules: `members<&Note::body, &Note::pinned>()` as a part of `describe`.
template <auto... Pointers>
constexpr auto members()
{
    return detail::describeFields(field<Pointers>()...);
}

/// The members of a record, in the order in which they are written: fields, and descriptions whose members take their place.
template <class... P>
constexpr auto describe(const P&... parts)
{
    if constexpr ((requires { typename P::Value; } && ...))
        return detail::describeFields(parts...);
    else
        return [&]<std::size_t... I>(std::index_sequence<I...>)
        {
            constexpr auto places = detail::placesOfFields<P...>();
            const detail::Pack<const P&...> all{{parts}...};
            return detail::describeFields(detail::fieldAt<places[I].second>(detail::at<places[I].first>(all))...);
        }
    (std::make_index_sequence<detail::placesOfFields<P...>().size()>{});
}

/// Members of every record that supports If-Match.
struct Versioned
{
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
    bool operator==(const Versioned&) const = default;
};

/// Those three members; T derives from Versioned or has the same ones itself.
template <class T>
constexpr auto versioned()
{
    return describe(field("createdAt", static_cast<Instant T::*>(&T::createdAt)).readOnly(),
                    field("updatedAt", static_cast<Instant T::*>(&T::updatedAt)).readOnly(),
                    field("version", static_cast<std::int64_t T::*>(&T::version)).readOnly());
}

/// The words of an enum.
template <class E, std::size_t N>
constexpr std::array<std::pair<std::string_view, E>, N> choices(const std::pair<std::string_view, E> (&words)[N])
{
    return std::to_array(words);
}

/// The word of an enum's value.
template <detail::DescribedEnum E>
std::string_view toString(E value)
{
    for (const auto& [text, candidate] : detail::descriptionOf<E>)
        if (candidate == value) return text;
    return {};
}

/// The value of a word.
template <detail::DescribedEnum E>
std::optional<E> parseEnum(std::string_view text)
{
    for (const auto& [candidate, value] : detail::descriptionOf<E>)
        if (candidate == text) return value;
    return std::nullopt;
}

/// The members of a record, to walk over when it is compiled: `fieldsOf<Contact>().apply(visit)` calls with all of them, each with `name`,
/// `pointer` and `rules`.
template <detail::DescribedRecord T>
constexpr const auto& fieldsOf()
{
    return detail::fieldsOf<T>;
}

/// The words of an enum with their values, in the order of the description.
template <detail::DescribedEnum E>
constexpr const auto& choicesOf()
{
    return detail::descriptionOf<E>;
}

} // namespace portico
