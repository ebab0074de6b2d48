#pragma once

#include "Ids.h"
#include "records/BookingWindow.h"
#include "records/Host.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

enum class MeetingKind
{
    ChatMeeting,
    ExternalLink,
    Instructions,
    Phone,
    InPerson,
    None
};

constexpr auto schemaOf(const MeetingKind*)
{
    using enum MeetingKind;
    return portico::choices<MeetingKind>({{"chat_meeting", ChatMeeting},
                                          {"external_link", ExternalLink},
                                          {"instructions", Instructions},
                                          {"phone", Phone},
                                          {"in_person", InPerson},
                                          {"none", None}});
}

enum class Visibility
{
    Public,
    Unlisted,
    Disabled
};

constexpr auto schemaOf(const Visibility*)
{
    using enum Visibility;
    return portico::choices<Visibility>({{"public", Public}, {"unlisted", Unlisted}, {"disabled", Disabled}});
}

enum class QuestionType
{
    Text,
    Textarea,
    Select,
    MultiSelect,
    Checkbox,
    Phone,
    Email,
    Number
};

constexpr auto schemaOf(const QuestionType*)
{
    using enum QuestionType;
    return portico::choices<QuestionType>({{"text", Text},
                                           {"textarea", Textarea},
                                           {"select", Select},
                                           {"multi_select", MultiSelect},
                                           {"checkbox", Checkbox},
                                           {"phone", Phone},
                                           {"email", Email},
                                           {"number", Number}});
}

/// 1 to 40 of letters, digits, `_` and `-`.
bool isQuestionId(std::string_view text);
/// 1 to 60 of a-z, 0-9 and hyphens, none at either end.
bool isSlug(std::string_view text);
/// Absolute, https.
bool isHttpsUrl(std::string_view text);

/// Question of the booking form.
struct Question
{
    std::string questionId;
    std::string label;
    QuestionType type = QuestionType::Text;
    bool required = false;
    /// Choices of `select` and `multi_select`.
    std::vector<std::string> options;
    /// Maximum characters of a text answer.
    std::optional<int> maxLength;
    bool operator==(const Question&) const = default;
};

/// Checks that only choice questions have options.
void checkQuestion(const Question& question, Faults& faults, const std::string& path);

constexpr auto schemaOf(const Question*)
{
    return describe(field<&Question::questionId>().required().matches(isQuestionId, "invalid_id", "1 to 40 of A-Z, a-z, 0-9, _ and -"),
                    field<&Question::label>().required().trimmed().maxLength(200), members<&Question::type, &Question::required>(),
                    field<&Question::options>().trimmed().maxItems(50).maxLength(200), field<&Question::maxLength>().range(1, 4000))
        .checkedBy(checkQuestion);
}

/// Policy for cancellations by guests.
struct CancelPolicy
{
    bool guestMayCancel = true;
    int untilMinutesBefore = 0;
    bool operator==(const CancelPolicy&) const = default;
};

constexpr auto schemaOf(const CancelPolicy*)
{
    return describe(field<&CancelPolicy::guestMayCancel>(), field<&CancelPolicy::untilMinutesBefore>().range(0, 43200));
}

/// Policy for moves by guests.
struct ReschedulePolicy
{
    bool guestMayReschedule = true;
    int untilMinutesBefore = 0;
    bool operator==(const ReschedulePolicy&) const = default;
};

constexpr auto schemaOf(const ReschedulePolicy*)
{
    return describe(field<&ReschedulePolicy::guestMayReschedule>(), field<&ReschedulePolicy::untilMinutesBefore>().range(0, 43200));
}

/// Something of a host that can be booked.
struct EventType : Versioned
{
    EventTypeId eventTypeId;
    HostId hostId;
    std::string slug;
    std::string title;
    std::string description;
    int durationMinutes = 30;
    /// Other durations that guests may choose.
    std::vector<int> durationOptions;
    /// From one start to the next; empty: the duration.
    std::optional<int> slotIntervalMinutes;
    int bufferBeforeMinutes = 0;
    int bufferAfterMinutes = 0;
    int minimumNoticeMinutes = 0;
    BookingWindow bookingWindow;
    std::optional<int> dailyLimit;
    std::optional<int> weeklyLimit;
    int seatsPerSlot = 1;
    /// Empty: the host's default.
    std::optional<ScheduleId> scheduleId;
    MeetingKind meetingKind = MeetingKind::None;
    /// A link or a text, as the kind asks for.
    std::string meetingDetails;
    bool requiresApproval = false;
    int approvalExpiryHours = 24;
    std::vector<Question> questions;
    int allowAdditionalGuests = 0;
    CancelPolicy cancelPolicy;
    ReschedulePolicy reschedulePolicy;
    /// Page to which guests are redirected after booking; its origin must be in the manifest's embedOrigins.
    std::string redirectUrl;
    std::string color;
    Visibility visibility = Visibility::Public;
};

/// Checks that question ids and durations are unique, and that a meeting by link has a link.
void checkEventType(const EventType& type, Faults& faults, const std::string& path);

constexpr auto schemaOf(const EventType*)
{
    return describe(field<&EventType::eventTypeId>().column("id").readOnly(), field<&EventType::hostId>().readOnly(),
                    field<&EventType::slug>().required().matches(isSlug, "invalid_slug", "1 to 60 of a-z, 0-9 and -, with no - at an end"),
                    named(field<&EventType::title>()).required().trimmed().maxLength(120), field<&EventType::description>().maxLength(4000),
                    field<&EventType::durationMinutes>().range(5, 1440),
                    field<&EventType::durationOptions>().maxItems(6).description("Other durations that guests may choose"),
                    field<&EventType::slotIntervalMinutes>().range(5, 1440).description("Default: the duration"),
                    field<&EventType::bufferBeforeMinutes>().range(0, 480), field<&EventType::bufferAfterMinutes>().range(0, 480),
                    field<&EventType::minimumNoticeMinutes>().range(0, 43200), field<&EventType::bookingWindow>(),
                    field<&EventType::dailyLimit>().range(1, 100), field<&EventType::weeklyLimit>().range(1, 100),
                    field<&EventType::seatsPerSlot>().range(1, 500),
                    field<&EventType::scheduleId>().description("Default: the host's default schedule"), field<&EventType::meetingKind>(),
                    field<&EventType::meetingDetails>().trimmed().maxLength(2000), field<&EventType::requiresApproval>(),
                    field<&EventType::approvalExpiryHours>().range(1, 168), field<&EventType::questions>().maxItems(20),
                    field<&EventType::allowAdditionalGuests>().range(0, 10),
                    members<&EventType::cancelPolicy, &EventType::reschedulePolicy>(),
                    field<&EventType::redirectUrl>().matches(isHttpsUrl, "invalid_url", "an https URL").maxLength(2000),
                    field<&EventType::color>().matches(isColor, "invalid_color", "a colour such as #1a2b3c"),
                    field<&EventType::visibility>(), versioned<EventType>())
        .checkedBy(checkEventType);
}

inline constexpr Table eventTypeTable{"event_type", &EventType::hostId, &EventType::eventTypeId};

} // namespace portico::calendar
