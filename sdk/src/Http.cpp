#include "portico/Http.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portico
{

namespace
{

constexpr std::array<std::string_view, 7> methodNames{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

constexpr std::pair<int, std::string_view> reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

} // namespace

std::string_view name(Method method) noexcept { return methodNames[static_cast<std::size_t>(method)]; }

std::optional<Method> parseMethod(std::string_view text) noexcept
{
    const auto found = std::find(methodNames.begin(), methodNames.end(), text);
    if (found == methodNames.end()) return std::nullopt;
    return static_cast<Method>(found - methodNames.begin());
}

std::string_view reason(int status) noexcept
{
    const auto found =
        std::lower_bound(std::begin(reasons), std::end(reasons), status, [](const auto& entry, int code) { return entry.first < code; });
    return found != std::end(reasons) && found->first == status ? found->second : std::string_view("Status");
}

bool equalsIgnoreCase(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) { return a == b || lower(a) == lower(b); });
}

} // namespace portico
