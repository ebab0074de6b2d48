#include "portico/HttpClient.h"

#include "portico/Http.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace portico
{

namespace
{

/// Digits at a place of a text, which has them; -1 for others.
int digits(std::string_view text, std::size_t at, std::size_t count) noexcept
{
    int number = -1;
    const auto part = text.substr(at, count);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    return error == std::errc{} && end == part.data() + part.size() ? number : -1;
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7); the two forms of the last century are not read.
std::optional<std::chrono::sys_seconds> httpDate(std::string_view text) noexcept
{
    constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != 29 || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") return std::nullopt;
    const auto month = names.find(text.substr(8, 3));
    const auto day = digits(text, 5, 2), year = digits(text, 12, 4);
    const auto hour = digits(text, 17, 2), minute = digits(text, 20, 2), second = digits(text, 23, 2);
    if (month % 3 != 0 || day < 0 || year < 0 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                           std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

} // namespace

HttpClient::~HttpClient() = default;

HttpFailure::HttpFailure(int status, std::string_view code, std::string_view detail, Sent sent) : Problem(status, code, detail), _sent(sent)
{
}
HttpFailure::HttpFailure(const HttpFailure&) = default;
HttpFailure::~HttpFailure() = default;

const std::string* HttpClient::Response::header(std::string_view name) const noexcept
{
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& field) { return equalsIgnoreCase(field.first, name); });
    return found == headers.end() ? nullptr : &found->second;
}

std::optional<std::chrono::seconds> HttpClient::Response::retryAfter(Instant now) const
{
    const auto* value = header("Retry-After");
    if (value == nullptr) return std::nullopt;
    constexpr std::size_t longest = 9; // more than thirty years are no answer
    if (!value->empty() && value->size() <= longest &&
        std::all_of(value->begin(), value->end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::chrono::seconds(digits(*value, 0, value->size()));
    const auto date = httpDate(*value);
    if (!date) return std::nullopt;
    return std::max(std::chrono::seconds(0), std::chrono::ceil<std::chrono::seconds>(*date - now));
}

} // namespace portico
