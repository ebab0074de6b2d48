#pragma once

#include "bookings/BookingService.h"
#include "pages/Picker.h"

#include "portico/Form.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

struct FormOption
{
    std::string text;
    bool selected = false;
};

constexpr auto schemaOf(const FormOption*) { return describe(members<&FormOption::text, &FormOption::selected>()); }

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
    return describe(
        members<&FormQuestion::id, &FormQuestion::label, &FormQuestion::required, &FormQuestion::line, &FormQuestion::inputType,
                &FormQuestion::area, &FormQuestion::select, &FormQuestion::choices, &FormQuestion::box, &FormQuestion::maxLength,
                &FormQuestion::options, &FormQuestion::value, &FormQuestion::ticked, &FormQuestion::fault>());
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
    return describe(members<&GuestForm::name, &GuestForm::email, &GuestForm::phone, &GuestForm::phoneAsked, &GuestForm::notes,
                            &GuestForm::guests, &GuestForm::mostGuests, &GuestForm::guestsAsked, &GuestForm::seats, &GuestForm::mostSeats,
                            &GuestForm::seatsAsked, &GuestForm::questions, &GuestForm::humanAsked, &GuestForm::humanQuestion,
                            &GuestForm::humanToken, &GuestForm::human, &GuestForm::startFault, &GuestForm::shown>());
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
