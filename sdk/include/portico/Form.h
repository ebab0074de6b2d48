#pragma once

#include "portico/Arguments.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// Fields of a form or of a query, decoded and in the order sent.
using FormValues = std::vector<std::pair<std::string, std::string>>;

/// The fields of a form as pages send it (`application/x-www-form-urlencoded`; WHATWG URL, 5.1), in their order. Thread-safe.
/// @throws Problem 400 `validation_failed` for percent-encoding or UTF-8 that is wrong
PORTICO_API FormValues parseForm(std::string_view text);
/// The fields of a body, for a form whose fields are known only at run time. Thread-safe.
/// @throws Problem 415 `unsupported_media_type` for another media type or charset, 400 as parseForm
PORTICO_API FormValues formValues(const RawBody& body);
/// First value of a field; empty if the form does not have it.
PORTICO_API std::string_view formValue(const FormValues& values, std::string_view name) noexcept;

/// Name of the hidden field that contains the token of a form (`FormTokens`). It is not a member of the form's record.
inline constexpr std::string_view formTokenField = "form_token";

namespace detail
{

/// A form that was sent: its fields and its faults.
struct FormInput
{
    FormValues values;
    std::string token;
    /// By member of the record.
    std::vector<bool> seen;
    std::optional<Problem> problem;
};

/// Fills a record from the fields of a form.
PORTICO_API FormInput readForm(FormValues fields, const Type& type, void* value);

/// Returns true for what a field of a form can fill: a text, a number, a choice, an optional or a list of those.
consteval bool fitsForm(const Type& type)
{
    if (type.kind == Kind::Optional || type.kind == Kind::List) return fitsForm(*type.element);
    return type.kind != Kind::Record && type.kind != Kind::Map && type.kind != Kind::Json;
}
template <class T>
consteval bool allFitForm()
{
    for (const auto& member : membersOf<T>)
        if (!member.rules.readOnly && !member.rules.columnOnly && !fitsForm(*member.type)) return false;
    return true;
}

} // namespace detail

/// The form of a page, by the Schema of `T`: `application/x-www-form-urlencoded`, filled and validated as `Body<T>` is from JSON, with the
/// same problem codes. Faults in fields do not stop the handler, so that it can show the page again: they are thrown where the handler
/// reads the record. What the host answers before the handler runs: 415 for another media type, 413 for a body above the route's limit, 400
/// for a body that is not percent-encoded UTF-8.
///
/// A blank field leaves a number, a choice, an id, an instant and an optional member as if it had not been sent, because browsers send
/// every input. A text keeps it. A checkbox is true for the values `true`, `on` and `1`, and false if it was not sent. A list
/// contains each value of a repeated field; repeating any other field is the fault `duplicate`. Line ends are `\n`.
template <class T>
class Form
{
public:
    static_assert(detail::allFitForm<T>(), "A form has texts, numbers, booleans, choices, ids, instants, and optionals and lists of those");
    /// Made by the host; in a test from a value.
    explicit Form(T value, detail::FormInput input = {}) : _value(std::move(value)), _input(std::move(input)) {}
    /// Reads a body, for a route that also takes other media types. @throws Problem 415, 400
    static Form of(const RawBody& body) { return ofValues(formValues(body)); }
    /// Reads decoded fields, for a page whose form also has fields that are known only at run time: the caller reads those.
    static Form ofValues(FormValues fields)
    {
        T value{};
        auto input = detail::readForm(std::move(fields), detail::typeOf<T>, &value);
        return Form(std::move(value), std::move(input));
    }

    /// The record. @throws Problem 400 `validation_failed` or `unknown_field` with every fault, if the form has any.
    const T& operator*() const
    {
        if (_input.problem) throw *_input.problem;
        return _value;
    }
    const T* operator->() const { return &**this; }
    /// The members that could be read, the others at their defaults: to show the page again. Not validated.
    const T& sent() const noexcept { return _value; }
    /// The faults of the form; none if it is valid.
    const std::optional<Problem>& problem() const noexcept { return _input.problem; }
    /// Returns true if the form contains the field, even if it is blank.
    bool has(MemberName<std::type_identity_t<T>> name) const { return _input.seen.empty() || _input.seen[name.index]; }
    /// The field `form_token`; empty without one.
    std::string_view token() const noexcept { return _input.token; }
    /// All fields as they were sent, without the token.
    const FormValues& values() const noexcept { return _input.values; }

private:
    T _value;
    detail::FormInput _input;
};

/// A field of a form as a page shows it.
struct FormField
{
    /// Text for the input; several values are separated by commas.
    std::string value;
    /// Set for a boolean that is true.
    bool checked = false;
    /// Text of its fault, in the language of the page; empty without one.
    std::string problem;
};

constexpr auto schemaOf(const FormField*) { return describe(members<&FormField::value, &FormField::checked, &FormField::problem>()); }

/// A FormField for each member of `T`, under the member's name: `{{form.fields.email.value}}` in a template.
template <class T>
struct FormFields
{
    std::array<FormField, detail::membersOf<T>.size()> values;

    FormField& operator[](MemberName<std::type_identity_t<T>> name) noexcept { return values[name.index]; }
    const FormField& operator[](MemberName<std::type_identity_t<T>> name) const noexcept { return values[name.index]; }
};

namespace detail
{

template <class T, std::size_t I>
void* reachFormField(void* fields)
{
    return &static_cast<FormFields<T>*>(fields)->values[I];
}
template <class T, std::size_t... I>
consteval std::array<Member, sizeof...(I)> makeFormMembers(std::index_sequence<I...>)
{
    return {Member{membersOf<T>[I].name, &typeOf<FormField>, &reachFormField<T, I>, {}}...};
}
template <class T>
inline constexpr auto formMembersOf = makeFormMembers<T>(std::make_index_sequence<membersOf<T>.size()>{});
template <class T>
consteval Type formFieldsType()
{
    Type type;
    type.kind = Kind::Record;
    type.name = typeName<T>();
    type.members = formMembersOf<T>.data();
    type.memberCount = formMembersOf<T>.size();
    type.reset = [](void* fields) { *static_cast<FormFields<T>*>(fields) = {}; };
    return type;
}
template <class T>
inline constexpr Type typeOf<FormFields<T>> = formFieldsType<T>();

/// Fills the fields from a record, except `writeOnly` members.
PORTICO_API void showValues(const Type& type, const void* record, FormField* fields);
/// Fills the fields from the sent form, except `writeOnly` members.
PORTICO_API void showSent(const Type& type, const FormValues& values, FormField* fields);

} // namespace detail

/// A form as a page shows it: a member of the page's record. In the template:
/// \code
/// <input type="hidden" name="form_token" value="{{form.token}}">
/// {{#form.problem}}<p role="alert">{{form.problem}}</p>{{/form.problem}}
/// {{#form.fields.title}}<label>Title <input name="title"
/// value="{{value}}"></label>{{#problem}}<p>{{problem}}</p>{{/problem}}{{/form.fields.title}} \endcode Members that are `writeOnly`, such
/// as passwords, are never shown again.
template <class T>
struct PageForm
{
    std::string token;
    /// Text of a fault of the form as a whole, in the language of the page; empty without one.
    std::string problem;
    FormFields<T> fields;

    PageForm() = default;
    /// With the values of a record, for a form that changes it.
    explicit PageForm(const T& record) { show(record); }

    void show(const T& record) { detail::showValues(detail::typeOf<T>, &record, fields.values.data()); }
    /// With the input of a sent form.
    void show(const Form<T>& form)
    {
        if (form.values().empty())
            show(form.sent());
        else
            detail::showSent(detail::typeOf<T>, form.values(), fields.values.data());
    }

    friend constexpr auto schemaOf(const PageForm*) { return describe(members<&PageForm::token, &PageForm::problem, &PageForm::fields>()); }
};

namespace detail
{

template <class T>
struct Argument<Form<T>>
{
    static constexpr bool allowed = true;
    static constexpr bool takesBody = true;
    static Form<T> make(Invocation& invocation)
    {
        return Form<T>::of({invocation.request.body, invocation.request.header("Content-Type")});
    }
    static void describe(Operation& operation)
    {
        operation.bodyKind = BodyKind::Raw;
        operation.body = &typeOf<T>;
        operation.form = true;
    }
};

} // namespace detail

} // namespace portico
