#include "fuzz/Require.h"

#include "portico/Form.h"
#include "portico/Url.h"

#include <algorithm>
#include <string>

namespace
{

using portico::fuzz::require;

struct Typed
{
    std::string name;
    std::string word = "kept";
    std::optional<std::int64_t> number;
    double price = 0;
    bool ticked = true;
    std::vector<std::string> tags;
    std::optional<portico::Instant> since;
};

constexpr auto schemaOf(const Typed*)
{
    using namespace portico;
    return describe(field<&Typed::name>().required().maxLength(20).trimmed(), field<&Typed::word>().readOnly(),
                    field<&Typed::number>().range(0, 10), members<&Typed::price, &Typed::ticked>(), field<&Typed::tags>().maxItems(5),
                    field<&Typed::since>());
}

void readAsForm(std::string_view text)
{
    const auto form = portico::Form<Typed>::of({text, "application/x-www-form-urlencoded"});
    require(form.sent().word == "kept");
    portico::PageForm<Typed> shown;
    shown.show(form);
    for (const auto& field : shown.fields.values) require(field.value.size() <= text.size() * 2 + 64);
    if (form.problem())
    {
        require(form.problem()->status() == 400 && !form.problem()->errors().empty() && form.problem()->errors().size() <= 100);
        return;
    }
    const auto& typed = *form;
    require(!typed.name.empty() && typed.tags.size() <= 5 && typed.number.value_or(0) >= 0 && typed.number.value_or(0) <= 10);
    require(typed.name.find('\r') == std::string::npos);
    // Fields that are written again have the same values.
    const auto again = portico::Form<Typed>::of({portico::toQuery(form.values()), "application/x-www-form-urlencoded"});
    require(!again.problem() && again->name == typed.name && again->tags == typed.tags && again.values() == form.values());
}

} // namespace

/// The body of a form.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    try
    {
        readAsForm(text);
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400 && problem.errors().size() == 1);
    }
    return 0;
}
