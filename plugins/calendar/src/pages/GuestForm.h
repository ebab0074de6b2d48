#pragma once

#include "bookings/BookingService.h"
#include "pages/Picker.h"

#include "portico/Problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// A field of the form: what was typed, and what is wrong with it in the guest's language.
struct FormField
{
    std::string value;
    std::string fault;
};

constexpr auto schemaOf(const FormField*) { return describe(field("value", &FormField::value), field("fault", &FormField::fault)); }

struct FormOption
{
    std::string text;
    bool selected = false;
};

constexpr auto schemaOf(const FormOption*) { return describe(field("text", &FormOption::text), field("selected", &FormOption::selected)); }

/// A question of the host's. One of `line`, `area`, `select`, `choices` and `box` is true.
struct FormQuestion
{
    /// Of its field: `a_<questionId>`.
    std::string id;
    std::string label;
    bool required = false;
    bool line = false;
    /// Of a line: `text`, `tel`, `email`, `number`.
    std::string inputType;
    bool area = false;
    bool select = false;
    bool choices = false;
    bool box = false;
    std::optional<int> maxLength;
    std::vector<FormOption> options;
    std::string value;
    bool ticked = false;
    std::string fault;
};

constexpr auto schemaOf(const FormQuestion*)
{
    return describe(field("id", &FormQuestion::id), field("label", &FormQuestion::label), field("required", &FormQuestion::required),
                    field("line", &FormQuestion::line), field("inputType", &FormQuestion::inputType), field("area", &FormQuestion::area),
                    field("select", &FormQuestion::select), field("choices", &FormQuestion::choices), field("box", &FormQuestion::box),
                    field("maxLength", &FormQuestion::maxLength), field("options", &FormQuestion::options),
                    field("value", &FormQuestion::value), field("ticked", &FormQuestion::ticked), field("fault", &FormQuestion::fault));
}

/// The form of a booking page.
struct GuestForm
{
    FormField name;
    FormField email;
    FormField phone;
    bool phoneAsked = false;
    FormField notes;
    FormField guests;
    /// 0: nobody may come along.
    int mostGuests = 0;
    bool guestsAsked = false;
    FormField seats;
    int mostSeats = 1;
    bool seatsAsked = false;
    std::vector<FormQuestion> questions;
    /// Asked where the host wants to know that it is a person; the question is `three + eight` in words.
    bool humanAsked = false;
    std::string humanQuestion;
    std::string humanToken;
    FormField human;
    /// No time was chosen.
    std::string startFault;
    /// What the form is sent back with says when it was shown first: people take longer than programs.
    std::string shown;
};

constexpr auto schemaOf(const GuestForm*)
{
    return describe(field("name", &GuestForm::name), field("email", &GuestForm::email), field("phone", &GuestForm::phone),
                    field("phoneAsked", &GuestForm::phoneAsked), field("notes", &GuestForm::notes), field("guests", &GuestForm::guests),
                    field("mostGuests", &GuestForm::mostGuests), field("guestsAsked", &GuestForm::guestsAsked),
                    field("seats", &GuestForm::seats), field("mostSeats", &GuestForm::mostSeats),
                    field("seatsAsked", &GuestForm::seatsAsked), field("questions", &GuestForm::questions),
                    field("humanAsked", &GuestForm::humanAsked), field("humanQuestion", &GuestForm::humanQuestion),
                    field("humanToken", &GuestForm::humanToken), field("human", &GuestForm::human),
                    field("startFault", &GuestForm::startFault), field("shown", &GuestForm::shown));
}

/// With what was typed, or what the page's address fills in: name, email, phone, notes, guests, seats, `a_<questionId>`.
GuestForm makeForm(const EventType& type, const Fields& fields);

/// What the fields ask for; the hold is left open.
ConfirmRequest requestOf(const EventType& type, const Fields& fields, std::string_view timeZone, std::string_view locale);

/// Everything that is wrong with it before a time is held. @throws Problem 400 as BookingService::confirm
void checkRequest(const EventType& type, const ConfirmRequest& request);

/// Marks the fields that a 400 names. @return false if it names none of them
bool markFaults(GuestForm& form, const Problem& problem, const Words& words);

} // namespace portico::calendar
