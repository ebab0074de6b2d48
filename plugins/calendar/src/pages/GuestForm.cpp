#include "pages/GuestForm.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <charconv>

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

/// The field that a path of the request is typed in; null for none.
std::string* faultPlace(GuestForm& form, std::string_view path)
{
    if (path == "guest.name") return &form.name.problem;
    if (path == "guest.email") return &form.email.problem;
    if (path == "guest.phone") return &form.phone.problem;
    if (path == "notes") return &form.notes.problem;
    if (path.starts_with("additionalGuests")) return &form.guests.problem;
    if (path == "seats") return &form.seats.problem;
    if (path == "humanCheck.answer") return &form.human.problem;
    if (path == "start") return &form.startFault;
    constexpr std::string_view answers = "answers.";
    if (!path.starts_with(answers)) return nullptr;
    const auto id = std::string(answerPrefix) + std::string(path.substr(answers.size()));
    const auto found = std::ranges::find(form.questions, id, &FormQuestion::id);
    return found == form.questions.end() ? nullptr : &found->fault;
}
} // namespace

GuestForm makeForm(const EventType& type, const Fields& fields)
{
    const auto typed = [&](std::string_view name) { return FormField{std::string(fieldOf(fields, name)), false, {}}; };
    GuestForm form;
    form.name = typed("name");
    form.email = typed("email");
    form.phone = typed("phone");
    form.phoneAsked = type.meetingKind == MeetingKind::Phone;
    form.notes = typed("notes");
    form.guests = typed("guests");
    form.mostGuests = type.allowAdditionalGuests;
    form.guestsAsked = form.mostGuests > 0;
    form.seats = typed("seats");
    if (form.seats.value.empty()) form.seats.value = "1";
    form.mostSeats = type.seatsPerSlot;
    form.seatsAsked = form.mostSeats > 1;
    for (const auto& question : type.questions) form.questions.push_back(questionOf(question, fields));
    return form;
}

ConfirmRequest requestOf(const EventType& type, const Fields& fields, std::string_view timeZone, std::string_view locale)
{
    ConfirmRequest request;
    auto& guest = request.guest;
    guest.name = trim(fieldOf(fields, "name"));
    guest.email = trim(fieldOf(fields, "email"));
    if (const auto phone = trim(fieldOf(fields, "phone")); !phone.empty()) guest.phone = phone;
    guest.timeZone = timeZone;
    guest.locale = locale;
    request.notes = trim(fieldOf(fields, "notes"));
    request.additionalGuests = guestsOf(fieldOf(fields, "guests"));
    if (const auto answer = trim(fieldOf(fields, "human")); !answer.empty())
        request.humanCheck = {std::string(fieldOf(fields, "humanToken")), std::string(answer)};
    for (const auto& question : type.questions)
        if (auto answer = answerOf(question, valuesOf(fields, std::string(answerPrefix) + question.questionId)))
            request.answers.push_back({question.questionId, *std::move(answer)});
    return request;
}

void checkRequest(const EventType& type, const ConfirmRequest& request)
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
    collect("guest.", [&] { validate(request.guest); });
    for (const auto& guest : request.additionalGuests) collect("additionalGuests.", [&] { validate(guest); });
    if (request.additionalGuests.size() > static_cast<std::size_t>(type.allowAdditionalGuests))
        errors.push_back({"additionalGuests", "too_many", "So many guests cannot be brought along"});
    if (type.meetingKind == MeetingKind::Phone && !request.guest.phone) errors.push_back({"guest.phone", "required", "Is required"});
    if (characterCount(request.notes) > 2000) errors.push_back({"notes", "too_long", "This is too long"});
    collect("", [&] { checkedAnswers(type.questions, request.answers); });
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

bool markFaults(GuestForm& form, const Problem& problem, const Words& words)
{
    bool marked = false;
    for (const auto& error : problem.errors())
        if (auto* place = faultPlace(form, error.field))
        {
            *place = words.textOr(error.code, "not_valid");
            marked = true;
        }
    return marked;
}

} // namespace portico::calendar
