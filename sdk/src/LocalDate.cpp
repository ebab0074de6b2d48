#include "portico/LocalDate.h"

#include "portico/Instant.h"

#include <charconv>

namespace portico
{

std::optional<LocalDate> LocalDate::parse(std::string_view text)
{
    if (!isDate(text)) return std::nullopt;
    const auto number = [&](std::size_t from, std::size_t count)
    {
        unsigned value = 0;
        std::from_chars(text.data() + from, text.data() + from + count, value);
        return value;
    };
    using namespace std::chrono;
    return LocalDate(sys_days(year(static_cast<int>(number(0, 4))) / month(number(5, 2)) / day(number(8, 2))));
}

std::string LocalDate::text() const { return toString(Instant(_days)).substr(0, 10); }

} // namespace portico
