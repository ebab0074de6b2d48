#include "records/EventType.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
bool isLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string placeOf(const std::string& path, std::string_view member)
{
    return path.empty() ? std::string(member) : path + "." + std::string(member);
}

bool hasRepeated(auto values)
{
    std::ranges::sort(values);
    return std::ranges::adjacent_find(values) != values.end();
}
} // namespace

bool isQuestionId(std::string_view text)
{
    return !text.empty() && text.size() <= 40 &&
           std::ranges::all_of(text, [](char c) { return isLower(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; });
}

bool isSlug(std::string_view text)
{
    return !text.empty() && text.size() <= 60 && isLower(text.front()) && isLower(text.back()) &&
           std::ranges::all_of(text, [](char c) { return isLower(c) || c == '-'; });
}

bool isHttpsUrl(std::string_view text)
{
    return text.empty() || (text.starts_with("https://") && text.size() > 8 && text.find_first_of(" \t\r\n\"<>") == std::string_view::npos);
}

void checkQuestion(const Question& question, Faults& faults, const std::string& path)
{
    if (hasRepeated(question.options)) faults.add(placeOf(path, "options"), "not_unique", "Options must be unique.");
    const bool chooses = question.type == QuestionType::Select || question.type == QuestionType::MultiSelect;
    if (chooses == !question.options.empty()) return;
    faults.add(placeOf(path, "options"), chooses ? "required" : "not_allowed",
               chooses ? "Add the options that guests can choose from."
                       : "Only questions of the types select and multi_select have options.");
}

void checkEventType(const EventType& type, Faults& faults, const std::string& path)
{
    std::vector<std::string> ids;
    for (const auto& question : type.questions) ids.push_back(question.questionId);
    if (hasRepeated(ids)) faults.add(placeOf(path, "questions"), "not_unique", "Question ids must be unique.");
    if (hasRepeated(type.durationOptions)) faults.add(placeOf(path, "durationOptions"), "not_unique", "Durations must be unique.");
    if (std::ranges::any_of(type.durationOptions, [](int minutes) { return minutes < 5 || minutes > 1440; }))
        faults.add(placeOf(path, "durationOptions"), "out_of_range", "A duration is 5 to 1440 minutes.");
    if (type.meetingKind == MeetingKind::ExternalLink && !isHttpsUrl(type.meetingDetails))
        faults.add(placeOf(path, "meetingDetails"), "invalid_url", "A meeting by link has an https address.");
}

} // namespace portico::calendar
