#include "pages/GuestForm.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::string_view answerPrefix = "a_";

std::vector<std::string> valuesOf(const Fields& fields, std::string_view name)
{
    std::vector<std::string> values;
    for (const auto& [key, value] : fields)
        if (key == name) values.push_back(value);
    return values;
}

std::string_view inputTypeOf(QuestionType type)
{
    if (type == QuestionType::Phone) return "tel";
    if (type == QuestionType::Email) return "email";
    return type == QuestionType::Number ? "number" : "text";
}

FormQuestion questionOf(const Question& question, const Fields& fields)
{
    using enum QuestionType;
    FormQuestion shown;
    shown.id = std::string(answerPrefix) + question.questionId;
    shown.label = question.label;
    shown.required = question.required;
    shown.area = question.type == Textarea;
    shown.select = question.type == Select;
    shown.choices = question.type == MultiSelect;
    shown.box = question.type == Checkbox;
    shown.line = !shown.area && !shown.select && !shown.choices && !shown.box;
    if (shown.line) shown.inputType = inputTypeOf(question.type);
    shown.maxLength = question.maxLength;
    const auto values = valuesOf(fields, shown.id);
    shown.value = values.empty() ? std::string() : values.front();
    shown.ticked = !shown.value.empty() && shown.value != "false";
    for (const auto& option : question.options) shown.options.push_back({option, std::ranges::find(values, option) != values.end()});
    return shown;
}

std::optional<Json> answerOf(const Question& question, const std::vector<std::string>& values)
{
    if (values.empty() || (values.size() == 1 && trim(values.front()).empty())) return std::nullopt;
    if (question.type == QuestionType::Checkbox) return Json{"true"};
    if (question.type == QuestionType::MultiSelect) return Json{toJson(values)};
    return Json{toJson(values.front())};
}

/// One address a line.
std::vector<AdditionalGuest> guestsOf(std::string_view text)
{
    std::vector<AdditionalGuest> guests;
    for (std::size_t from = 0; from < text.size();)
    {
        const auto to = std::min(text.find_first_of("\n,;", from), text.size());
        if (const auto address = trim(text.substr(from, to - from)); !address.empty()) guests.push_back({{}, std::string(address)});
        from = to + 1;
    }
    return guests;
}

/// The field that the form or the request calls so; null for none.
std::string* faultPlace(GuestForm& form, std::string_view path)
{
    auto& fields = form.input.fields;
    if (path == "name" || path == "guest.name") return &fields["name"].problem;
    if (path == "email" || path == "guest.email") return &fields["email"].problem;
    if (path == "phone" || path == "guest.phone") return &fields["phone"].problem;
    if (path == "notes") return &fields["notes"].problem;
    if (path.starts_with("additionalGuests")) return &fields["guests"].problem;
    if (path == "seats") return &fields["seats"].problem;
    if (path == "human" || path == "humanCheck.answer") return &fields["human"].problem;
    if (path == "start") return &fields["start"].problem;
    constexpr std::string_view answers = "answers.";
    if (!path.starts_with(answers)) return nullptr;
    const auto id = std::string(answerPrefix) + std::string(path.substr(answers.size()));
    const auto found = std::ranges::find(form.questions, id, &FormQuestion::id);
    return found == form.questions.end() ? nullptr : &found->fault;
}

/// Text of a code at a field: a time is chosen and not typed.
const std::string& textOf(const FieldError& error, const Words& words)
{
    return error.field == "start" ? words.text("no_start") : words.textOr(error.code, "not_valid");
}

/// The fields that a record has; the questions are known only at run time.
Fields withoutAnswers(const Fields& fields)
{
    Fields fixed;
    for (const auto& field : fields)
        if (!field.first.starts_with(answerPrefix)) fixed.push_back(field);
    return fixed;
}
} // namespace

SentBooking::SentBooking(Fields sent) : fields(std::move(sent)), input(Form<BookingInput>::ofValues(withoutAnswers(fields))) {}

GuestForm makeForm(const EventType& type, const SentBooking& sent)
{
    GuestForm form;
    form.input.show(sent.input);
    form.phoneAsked = type.meetingKind == MeetingKind::Phone;
    form.maxGuests = type.allowAdditionalGuests;
    form.guestsAsked = form.maxGuests > 0;
    if (form.input.fields["seats"].value.empty()) form.input.fields["seats"].value = "1";
    form.maxSeats = type.seatsPerSlot;
    form.seatsAsked = form.maxSeats > 1;
    for (const auto& question : type.questions) form.questions.push_back(questionOf(question, sent.fields));
    return form;
}

ConfirmRequest requestOf(const EventType& type, const SentBooking& sent, std::string_view timeZone, std::string_view locale)
{
    const auto& input = sent.input.sent();
    ConfirmRequest request;
    request.guest = {input.name, input.email, input.phone, std::string(timeZone), std::string(locale)};
    request.notes = input.notes;
    request.additionalGuests = guestsOf(input.guests);
    if (!input.human.empty()) request.humanCheck = {input.humanToken, input.human};
    for (const auto& question : type.questions)
        if (auto answer = answerOf(question, valuesOf(sent.fields, std::string(answerPrefix) + question.questionId)))
            request.answers.push_back({question.questionId, *std::move(answer)});
    return request;
}

void checkRequest(const EventType& type, const SentBooking& sent, const ConfirmRequest& request)
{
    std::vector<FieldError> errors;
    const auto collect = [&](const std::string& prefix, const auto& check)
    {
        try
        {
            check();
        }
        catch (const Problem& problem)
        {
            for (auto error : problem.errors()) errors.push_back({prefix + error.field, error.code, error.message});
        }
    };
    collect("", [&] { *sent.input; });
    for (const auto& guest : request.additionalGuests) collect("additionalGuests.", [&] { validate(guest); });
    if (request.additionalGuests.size() > static_cast<std::size_t>(type.allowAdditionalGuests))
        errors.push_back({"additionalGuests", "too_many", "Too many additional guests"});
    if (type.meetingKind == MeetingKind::Phone && !request.guest.phone) errors.push_back({"phone", "required", "Is required"});
    collect("", [&] { checkedAnswers(type.questions, request.answers); });
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

std::string faultOf(const Problem& problem, std::string_view field, const Words& words)
{
    const auto found = std::ranges::find(problem.errors(), field, &FieldError::field);
    return found == problem.errors().end() ? std::string() : textOf(*found, words);
}

bool markFaults(GuestForm& form, const Problem& problem, const Words& words)
{
    bool marked = false;
    for (const auto& error : problem.errors())
        if (auto* place = faultPlace(form, error.field))
        {
            if (place->empty()) *place = textOf(error, words);
            marked = true;
        }
    return marked;
}

} // namespace portico::calendar
