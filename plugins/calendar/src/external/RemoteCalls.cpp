#include "external/RemoteCalls.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::milliseconds longestRequest{15'000};

std::string basicAuthorization(const RemoteAccount& account)
{
    auto text = toBase64Url(account.username + ":" + account.password);
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return "Basic " + text;
}

/// Without scheme, port and path, in lower case.
std::string hostOf(std::string_view url)
{
    auto host = originOf(url);
    host.erase(0, host.find("//") == std::string::npos ? 0 : host.find("//") + 2);
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    host.resize(std::min(host.find(':'), host.size()));
    std::ranges::transform(host, host.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return host;
}

/// Its last two labels.
std::string_view siteOf(std::string_view host)
{
    const auto last = host.rfind('.');
    if (last == std::string_view::npos || last == 0) return host;
    const auto before = host.rfind('.', last - 1);
    return before == std::string_view::npos ? host : host.substr(before + 1);
}

bool isAddress(std::string_view host)
{
    return host.starts_with('[') || (!host.empty() && std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); }));
}

/// 10/8, 127/8, 172.16/12, 192.168/16 and IPv6's loopback and unique local ones.
bool isOwnNetwork(std::string_view host)
{
    if (host.starts_with("[::1]") || host.starts_with("[fc") || host.starts_with("[fd")) return true;
    if (!isAddress(host)) return false;
    if (host.starts_with("10.") || host.starts_with("127.") || host.starts_with("192.168.")) return true;
    if (!host.starts_with("172.") || host.size() < 7 || host[6] != '.') return false;
    const auto second = host.substr(4, 2);
    return second >= "16" && second <= "31";
}

CalendarFailure failure(CalendarFailure::Kind kind, const RemoteStep& step, std::string_view url, const RemoteReason& why,
                        std::chrono::seconds retryAfter = {})
{
    const auto place = isWebUrl(url) ? hostOf(url) : std::string(url);
    auto words = cleanText(why.words, 300);
    if (words.ends_with('.')) words.pop_back();
    return {kind,
            {std::string(why.code), std::string(step.code), cleanText(place, 120), cleanText(why.detail, 200)},
            std::string(step.words) + " at " + cleanText(url, 300) + ": " + words + ".",
            retryAfter};
}
} // namespace

RemoteReason answered(int status, std::string_view more)
{
    const auto number = std::to_string(status);
    return {"answered", "the server answered " + number + std::string(more), number + std::string(more)};
}

std::string resolveUrl(std::string_view base, std::string_view reference)
{
    if (reference.starts_with("http://") || reference.starts_with("https://")) return std::string(reference);
    const auto origin = originOf(base);
    if (reference.starts_with("//")) return origin.substr(0, origin.find("//")) + std::string(reference);
    if (reference.starts_with('/')) return origin + std::string(reference);
    auto path = std::string(base.substr(0, std::min(base.find_first_of("?#"), base.size())));
    path.resize(std::max(path.rfind('/') + 1, origin.size()));
    return path + (path.size() == origin.size() ? "/" : "") + std::string(reference);
}

bool trustsWithCredentials(std::string_view base, std::string_view url)
{
    const auto origin = originOf(url);
    const auto port = origin.rfind(':');
    // Rejects URLs with user info (`host@elsewhere`) or an invalid port, which could hide another host.
    if (!isWebUrl(url) ||
        (port > origin.find("//") && !origin.ends_with(']') && origin.find_first_not_of("0123456789", port + 1) != std::string::npos))
        return false;
    if (originOf(base) == origin) return true;
    const auto from = hostOf(base), to = hostOf(url);
    return base.starts_with("https://") && url.starts_with("https://") && !isAddress(from) && siteOf(from) == siteOf(to);
}

bool keepsSecrets(std::string_view url)
{
    const auto host = hostOf(url);
    if (url.starts_with("https://") || isOwnNetwork(host)) return true;
    return std::ranges::find(host, '.') == host.end() || host.ends_with(".localhost") || host.ends_with(".local") ||
           host.ends_with(".lan") || host.ends_with(".internal") || host.ends_with(".home.arpa");
}

HttpClient::Response RemoteCalls::exchange(const RemoteStep& step, HttpClient::Request request)
{
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(_deadline - _clock.steady());
    if (left.count() <= 0) fail(step, request.url, {"too_slow", "there was no time left for it"});
    request.timeout = std::min(left, longestRequest);
    try
    {
        auto response = _http.send(request);
        if (response.status != 429 && response.status != 503) return response;
        throw failure(CalendarFailure::Kind::Unreachable, step, request.url, answered(response.status),
                      response.retryAfter(_clock.now()).value_or(std::chrono::seconds(0)));
    }
    catch (const Problem& problem)
    {
        auto detail = problem.detail().empty() ? std::string(problem.code()) : problem.detail();
        if (detail.ends_with('.')) detail.pop_back();
        fail(step, request.url, {problem.code(), detail, detail});
    }
}

HttpClient::Response RemoteCalls::send(const RemoteStep& step, HttpClient::Request request)
{
    if (!_account.password.empty() || !_account.username.empty())
    {
        if (!trustsWithCredentials(_account.url, request.url))
            fail(step, request.url, {"other_server", "your password is not sent to another server"});
        request.headers.emplace_back("Authorization", basicAuthorization(_account));
    }
    const auto url = request.url;
    auto response = exchange(step, std::move(request));
    if (response.status == 401 || response.status == 403)
    {
        const auto status = std::to_string(response.status);
        throw failure(CalendarFailure::Kind::Refused, step, url,
                      {"refused", "the server refused the user name and password (" + status + ")", status});
    }
    return response;
}

void RemoteCalls::fail(const RemoteStep& step, std::string_view url, const RemoteReason& why)
{
    throw failure(CalendarFailure::Kind::Unreachable, step, url, why);
}

} // namespace portico::calendar
