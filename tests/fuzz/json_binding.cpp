#include "fuzz/Require.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace
{

using portico::fuzz::require;

enum class Kind
{
    One,
    Two
};

constexpr auto schemaOf(const Kind*)
{
    using enum Kind;
    return portico::choices<Kind>({{"one", One}, {"two", Two}});
}

struct Part
{
    std::string text;
    std::optional<double> number;
    bool operator==(const Part&) const = default;
};

constexpr auto schemaOf(const Part*)
{
    using namespace portico;
    return describe(field<&Part::text>().maxLength(10), field<&Part::number>());
}

/// A record with a member of each sort that the binding knows.
struct Record
{
    std::string text;
    std::int64_t integer = 0;
    bool flag = false;
    Kind kind = Kind::One;
    std::optional<std::string> maybe;
    portico::Instant instant{};
    Part part;
    std::vector<Part> parts;
    std::map<std::string, portico::Json> members;
    portico::Json any;
};

constexpr auto schemaOf(const Record*)
{
    using namespace portico;
    return describe(field<&Record::text>().required().maxLength(40),
                    members<&Record::integer, &Record::flag, &Record::kind, &Record::maybe, &Record::instant, &Record::part>(),
                    field<&Record::parts>().maxItems(4), members<&Record::members, &Record::any>());
}

} // namespace

namespace
{

/// A record that was read and written reads again, and is then written identically.
void checkRoundTrip(const Record& record)
{
    const auto once = portico::toJson(record);
    require(portico::isJson(once));
    require(portico::toJson(portico::fromJson<Record>(once)) == once);
}

/// A merge (RFC 7396) of any text that is accepted leaves a record that can be written.
void checkMerge(std::string_view text)
{
    Record record;
    record.text = "before";
    try
    {
        portico::detail::readJson(text, portico::detail::typeOf<Record>, &record, portico::detail::ReadMode::Merge);
    }
    catch (const portico::Problem&)
    {
        return;
    }
    require(portico::isJson(portico::toJson(record)));
}

} // namespace

/// Bodies of requests: refused with a Problem, or understood and written as they were.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    const bool wellFormed = portico::isJson(text);
    checkMerge(text);
    try
    {
        const auto record = portico::fromJson<Record>(text);
        require(wellFormed);
        checkRoundTrip(record);
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400);
    }
    return 0;
}
