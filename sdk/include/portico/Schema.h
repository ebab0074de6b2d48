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

    /// Required at creation and cannot be cleared; a string cannot be empty.
    constexpr FieldDef required() const { return with(&Rules::required, true); }
    /// null sets a boolean to false, a number to 0 and a choice to its first word (default: null is rejected).
    constexpr FieldDef clearable() const { return with(&Rules::clearable, true); }
    /// Accepted and ignored on input.
    constexpr FieldDef readOnly() const { return with(&Rules::readOnly, true); }
    /// May be set when the record is created. A merge body may name it only with the value that the record has: `create_only` otherwise.
    constexpr FieldDef createOnly() const { return with(&Rules::createOnly, true); }
    /// Never written.
    constexpr FieldDef writeOnly() const { return with(&Rules::writeOnly, true); }
    /// Not in JSON at all, only in rows.
    constexpr FieldDef columnOnly() const { return with(&Rules::columnOnly, true); }
    /// Writes the members of an object, which a Json member contains, instead of the member itself. For records that are stored as JSON.
    /// For output only; no member of this name is read.
    constexpr FieldDef flattened() const requires std::same_as<M, Json> { return with(&Rules::flattened, true); }
    /// Not a column.
    constexpr FieldDef transient() const { return with(&Rules::stored, false); }
    /// Removes blanks at both ends of a text, or of each text of a list, when a request is read.
    constexpr FieldDef trimmed() const { return with(&Rules::trimmed, true); }
    /// Omits the member from JSON if it has no value (default: null).
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
    /// Column, if it is not the member's name in snake_case.
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

} // namespace detail

} // namespace portico

#include "portico/detail/SchemaTypes.h"

namespace portico
{

/// Types that JSON, queries and rows support.
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
    /// Shows another record in the API document, for records that contain stored JSON as text.
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

/// Positions of the fields of all parts: number of the part, and index in it.
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

/// The members of a record, in the order in which they are written: fields, and descriptions whose members are inserted.
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

/// The members of a base class, as a part of `describe`: `describe(inherited<Note>(), field<&NoteDetails::history>())`. The rules of the
/// base as a whole (`checkedBy`) are not inherited. A record that shows some members of its base names these:
/// `members<&PublicNote::title>()`.
template <detail::DescribedRecord Base>
constexpr const auto& inherited()
{
    return detail::descriptionOf<Base>;
}

/// Members of every record that supports If-Match.
struct Versioned
{
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
    bool operator==(const Versioned&) const = default;
};

/// Describes these three members; T derives from Versioned or declares them itself.
template <class T>
constexpr auto versioned()
{
    return describe(field<&T::createdAt>().readOnly(), field<&T::updatedAt>().readOnly(), field<&T::version>().readOnly());
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
