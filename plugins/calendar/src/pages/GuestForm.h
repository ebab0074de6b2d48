#pragma once

#include "bookings/BookingService.h"
#include "pages/Embedding.h"

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
    /// Name of its field: `a_<questionId>`.
    std::string id;
    std::string label;
    bool required = false;
    bool line = false;
    /// Type of a one-line input: `text`, `tel`, `email`, `number`.
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

/// The fields that every booking page has. The questions of the host are beside them: `a_<questionId>`.
struct BookingInput : FrameInput
{
    std::string name;
    std::string email;
    std::optional<std::string> phone;
    std::string notes;
    /// Addresses, separated by lines, commas or semicolons.
    std::string guests;
    std::optional<int> seats;
    std::string human;
    std::string humanToken;
    /// Says when the form was shown first: people take longer than programs.
    std::string shown;
    /// Hidden from people: programs fill it in.
    std::string website;
    std::optional<Instant> start;
    std::optional<LocalDate> date;
    std::string tz;
    std::optional<int> duration;
};

constexpr auto schemaOf(const BookingInput*)
{
    using B = BookingInput;
    return describe(named(field<&B::name>()).required().trimmed().maxLength(120),
                    field<&B::email>().required().trimmed().email().maxLength(254), phoneNumber(field<&B::phone>()),
                    field<&B::notes>().trimmed().maxLength(2000), members<&B::guests>(), field<&B::seats>().range(1, 500),
                    field<&B::human>().trimmed().maxLength(40), members<&B::humanToken, &B::shown, &B::website>(),
                    field<&B::start>().required(), field<&B::date>().date(), members<&B::tz, &B::duration>(), inherited<FrameInput>());
}

/// The form of a booking page as it was sent, or as a link fills it in.
struct SentBooking
{
    explicit SentBooking(Fields sent);

    /// All fields in their order.
    Fields fields;
    Form<BookingInput> input;
};

/// Form of a booking page.
struct GuestForm
{
    PageForm<BookingInput> input;
    bool phoneAsked = false;
    /// Maximum number of additional guests; 0: not allowed.
    int maxGuests = 0;
    bool guestsAsked = false;
    int maxSeats = 1;
    bool seatsAsked = false;
    std::vector<FormQuestion> questions;
    /// Question of the human check, with the sum in words: `three + eight`. Empty if the host does not ask it.
    bool humanAsked = false;
    std::string humanQuestion;
};

constexpr auto schemaOf(const GuestForm*)
{
    return describe(members<&GuestForm::input, &GuestForm::phoneAsked, &GuestForm::maxGuests, &GuestForm::guestsAsked, &GuestForm::maxSeats,
                            &GuestForm::seatsAsked, &GuestForm::questions, &GuestForm::humanAsked, &GuestForm::humanQuestion>());
}

/// Returns the form with the entered values, or those in the page's address.
GuestForm makeForm(const EventType& type, const SentBooking& sent);

/// Builds the request from the form, without the hold.
ConfirmRequest requestOf(const EventType& type, const SentBooking& sent, std::string_view timeZone, std::string_view locale);

/// Validates all input before a hold is made. @throws Problem 400 with every fault of the form and of the answers
void checkRequest(const EventType& type, const SentBooking& sent, const ConfirmRequest& request);

/// Returns the error message of a field; empty for none.
std::string faultOf(const Problem& problem, std::string_view field, const Words& words);

/// Marks the fields that a 400 names. @return false if it names none of them
bool markFaults(GuestForm& form, const Problem& problem, const Words& words);

} // namespace portico::calendar
