#include "records/Guest.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace portico::calendar
{

namespace
{
constexpr std::size_t maxCharacters = 4000;

/// The value as a T, or empty where it is of another kind.
template <class T>
std::optional<T> valueAs(const Json& value)
{
    try
    {
        return fromJson<T>(value.text);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

bool isOption(const Question& question, const std::string& text)
{
    return std::ranges::find(question.options, text) != question.options.end();
}

/// JSON has larger ones than can be counted with.
bool isNumber(const Json& value)
{
    const auto number = valueAs<double>(value);
    return number && std::isfinite(*number);
}

bool isMailAddress(const std::string& text)
{
    try
    {
        validate(AdditionalGuest{{}, text});
        return true;
    }
    catch (const Problem&)
    {
        return false;
    }
}

struct Verdict
{
    /// Empty: it fits.
    std::string_view code;
    std::string_view message;
    /// Nothing was said.
    bool blank = false;
};

Verdict judgeText(const Question& question, const std::string& text)
{
    if (trim(text).empty()) return {{}, {}, true};
    if (characterCount(text) > static_cast<std::size_t>(question.maxLength.value_or(maxCharacters)))
        return {"too_long", "This answer is too long"};
    if (question.type == QuestionType::Select && !isOption(question, text)) return {"unknown_option", "Choose one of the options"};
    if (question.type == QuestionType::Phone && !isPhone(text))
        return {"invalid_phone", "A phone number has digits, spaces and + ( ) . / - only"};
    if (question.type == QuestionType::Email && !isMailAddress(text)) return {"invalid_email", "An e-mail address is expected"};
    if (question.type == QuestionType::Number && !isNumber({text})) return {"invalid_number", "A number is expected"};
    return {};
}

Verdict judge(const Question& question, const Json& value)
{
    if (value.text == "null") return {{}, {}, true};
    if (question.type == QuestionType::Checkbox)
    {
        const auto ticked = valueAs<bool>(value);
        if (!ticked) return {"wrong_type", "true or false is expected"};
        return {{}, {}, !*ticked};
    }
    if (question.type == QuestionType::MultiSelect)
    {
        const auto chosen = valueAs<std::vector<std::string>>(value);
        if (!chosen) return {"wrong_type", "A list of options is expected"};
        if (!std::ranges::all_of(*chosen, [&](const std::string& text) { return isOption(question, text); }))
            return {"unknown_option", "Choose of the options"};
        return {{}, {}, chosen->empty()};
    }
    if (question.type == QuestionType::Number && isNumber(value)) return {};
    const auto text = valueAs<std::string>(value);
    if (!text) return {"wrong_type", "A text is expected"};
    return judgeText(question, *text);
}
} // namespace

bool isPhone(std::string_view text)
{
    return std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) >= 3 &&
           text.find_first_not_of("+0123456789 ()./-") == std::string_view::npos;
}

std::vector<AdditionalGuest> distinct(const std::vector<AdditionalGuest>& others, const Guest& guest)
{
    std::vector<AdditionalGuest> kept;
    std::set<std::string> known{foldCase(guest.email)};
    for (const auto& other : others)
        if (known.insert(foldCase(other.email)).second) kept.push_back(other);
    return kept;
}

std::vector<Answer> checkedAnswers(const std::vector<Question>& questions, const std::vector<Answer>& answers)
{
    Faults faults;
    std::vector<Answer> kept;
    for (const auto& answer : answers)
        if (std::ranges::find(questions, answer.questionId, &Question::questionId) == questions.end())
            faults.add("answers." + answer.questionId, "unknown_question", "There is no such question");
        else if (std::ranges::count(answers, answer.questionId, &Answer::questionId) > 1)
            faults.add("answers." + answer.questionId, "not_unique", "A question is answered once");
    for (const auto& question : questions)
    {
        const auto place = "answers." + question.questionId;
        const auto given = std::ranges::find(answers, question.questionId, &Answer::questionId);
        const Verdict verdict = given == answers.end() ? Verdict{{}, {}, true} : judge(question, given->value);
        if (!verdict.code.empty())
            faults.add(place, verdict.code, verdict.message);
        else if (verdict.blank && question.required)
            faults.add(place, "required", "This question must be answered");
        else if (!verdict.blank)
            kept.push_back(*given);
    }
    faults.raise();
    return kept;
}

std::string answerText(const Answer& answer, const Words& words)
{
    if (const auto text = valueAs<std::string>(answer.value)) return *text;
    if (const auto ticked = valueAs<bool>(answer.value)) return words.text(*ticked ? "yes" : "no");
    if (const auto chosen = valueAs<std::vector<std::string>>(answer.value))
    {
        std::string text;
        for (const auto& option : *chosen) text += (text.empty() ? "" : ", ") + option;
        return text;
    }
    return answer.value.text;
}

} // namespace portico::calendar
