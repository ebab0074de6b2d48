#pragma once

#include "records/EventType.h"
#include "texts/Words.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Three digits at least, with what people write between them.
bool isPhone(std::string_view text);

/// Rules of a phone number.
template <class Field>
constexpr Field phoneNumber(Field field)
{
    return field.trimmed().maxLength(40).matches(isPhone, "invalid_phone", "a phone number of digits, spaces and + ( ) . / -");
}

/// The person who booked.
struct Guest
{
    std::string name;
    std::string email;
    std::optional<std::string> phone;
    /// IANA name of the time zone.
    std::string timeZone;
    /// Language tag (RFC 5646); empty: not known.
    std::string locale;
    bool operator==(const Guest&) const = default;
};

constexpr auto schemaOf(const Guest*)
{
    return describe(named(field<&Guest::name>()).required().trimmed().maxLength(120),
                    field<&Guest::email>().required().trimmed().email().maxLength(254), phoneNumber(field<&Guest::phone>()),
                    field<&Guest::timeZone>().required().maxLength(64), field<&Guest::locale>().maxLength(35));
}

/// Person whom the guest invites too.
struct AdditionalGuest
{
    std::string name;
    std::string email;
    bool operator==(const AdditionalGuest&) const = default;
};

constexpr auto schemaOf(const AdditionalGuest*)
{
    return describe(named(field<&AdditionalGuest::name>()).trimmed().maxLength(120),
                    field<&AdditionalGuest::email>().required().trimmed().email().maxLength(254));
}

/// Each address once, and the guest's own not at all.
std::vector<AdditionalGuest> distinct(const std::vector<AdditionalGuest>& others, const Guest& guest);

/// Answer to a question. Its value is a text, a number, true, or a list of options, depending on the question's type.
struct Answer
{
    std::string questionId;
    Json value;
    bool operator==(const Answer&) const = default;
};

constexpr auto schemaOf(const Answer*)
{
    return describe(field<&Answer::questionId>().required().maxLength(40), field<&Answer::value>().required());
}

/// The answers in the order of the questions, without empty ones.
/// @throws Problem 400 that names each that is missing, unknown or does not fit its question
std::vector<Answer> checkedAnswers(const std::vector<Question>& questions, const std::vector<Answer>& answers);

/// An answer as people read it, in their language.
std::string answerText(const Answer& answer, const Words& words);

} // namespace portico::calendar
