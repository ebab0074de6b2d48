#include "portico/Faults.h"

#include <algorithm>

namespace portico
{

namespace
{
// Limits the answer: a hostile body could cause millions of errors.
constexpr std::size_t maxErrors = 100;
} // namespace

void Faults::add(std::string field, std::string_view code, std::string_view message)
{
    if (_errors.size() < maxErrors) _errors.push_back({std::move(field), std::string(code), std::string(message)});
}

void Faults::addUnknown(std::string field)
{
    _unknown = true;
    add(std::move(field), "unknown_field", "Unknown member");
}

void Faults::addRest(const Faults& others)
{
    const auto known = _errors.size();
    for (const auto& error : others._errors)
    {
        const auto covers = [&](const FieldError& has)
        {
            // The whole input.
            if (has.field.empty()) return true;
            const auto size = has.field.size();
            return error.field.starts_with(has.field) &&
                   (error.field.size() == size || error.field[size] == '.' || error.field[size] == '[');
        };
        if (std::none_of(_errors.begin(), _errors.begin() + static_cast<std::ptrdiff_t>(known), covers))
            add(error.field, error.code, error.message);
    }
}

void Faults::raise()
{
    if (_errors.empty()) return;
    auto problem = Problem::invalid(std::move(_errors));
    if (!_unknown) throw problem;
    Problem unknown(400, "unknown_field", problem.detail());
    for (const auto& error : problem.errors()) unknown.with(error);
    throw unknown;
}

} // namespace portico
