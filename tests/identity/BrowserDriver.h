#pragma once

#include "identity/IdentityHost.h"

#include <stdexcept>

namespace portico::tests
{

/// A browser at identity's own origin: keeps its cookies, and reads forms and redirects.
class BrowserDriver
{
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;
    explicit BrowserDriver(IdentityHost& host) : _host(host) {}

    TestAnswer get(const std::string& target) { return send({}, target, {}, {}); }
    TestAnswer post(const std::string& path, const Fields& fields, const std::string& authorization = {})
    {
        std::string body;
        for (const auto& [name, value] : fields) body += (body.empty() ? "" : "&") + name + '=' + encode(value);
        return send(Method::Post, path, body, authorization);
    }
    /// By the page of the sign-in.
    void signIn(std::string_view email)
    {
        const auto shown = get("/login");
        const auto answer = post("/login", {{"form_token", field(shown, "form_token")},
                                            {"service_id", "identity"},
                                            {"identifier", std::string(email)},
                                            {"password", std::string(IdentityHost::password)},
                                            {"remember", "1"}});
        if (answer.status != 303) throw std::runtime_error("sign-in by page: " + answer.body);
    }
    bool signedIn() const { return _cookies.contains("platform_session"); }

    /// Value of an input of a form.
    static std::string field(const TestAnswer& page, std::string_view name)
    {
        return unescape(between(page.body, "name=\"" + std::string(name) + "\" value=\"", "\""));
    }
    static std::string locationOf(const TestAnswer& answer) { return between(answer.headerBlock(), "Location: ", "\r\n"); }
    /// Returns a parameter of the URL to which an answer redirects.
    static std::string parameter(const TestAnswer& answer, std::string_view name)
    {
        const auto location = locationOf(answer);
        if (location.empty()) throw std::runtime_error("no redirect: " + answer.body);
        const auto query = '&' + location.substr(location.find('?') + 1) + '&';
        auto value = between(query, '&' + std::string(name) + '=', "&");
        for (auto at = value.find('%'); at != std::string::npos; at = value.find('%', at + 1))
            value.replace(at, 3, 1, static_cast<char>(std::stoi(value.substr(at + 1, 2), nullptr, 16)));
        return value;
    }

private:
    static std::string between(const std::string& text, std::string_view before, std::string_view after)
    {
        const auto start = text.find(before);
        if (start == std::string::npos) return {};
        const auto from = start + before.size();
        return text.substr(from, text.find(after, from) - from);
    }
    static std::string unescape(std::string text)
    {
        for (auto at = text.find("&amp;"); at != std::string::npos; at = text.find("&amp;")) text.replace(at, 5, "&");
        return text;
    }
    static std::string encode(std::string_view text)
    {
        constexpr std::string_view digits = "0123456789ABCDEF";
        std::string out;
        for (const unsigned char c : text) (((out += '%') += digits[c >> 4]) += digits[c & 15]);
        return out;
    }
    TestAnswer send(std::optional<Method> method, const std::string& target, const std::string& body, const std::string& authorization)
    {
        TestRequest request;
        request.method = method.value_or(Method::Get);
        request.target = target;
        request.body = body;
        if (!body.empty()) request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
        std::string cookies;
        for (const auto& [name, value] : _cookies) cookies += (cookies.empty() ? "" : "; ") + name + '=' + value;
        if (!cookies.empty()) request.headers.emplace_back("Cookie", cookies);
        auto answer = _host.call(request);
        for (const auto* name : {"platform_session", "platform_pre", "platform_refresh"})
        {
            if (answer.headerBlock().find("Set-Cookie: " + std::string(name) + '=') == std::string::npos) continue;
            const auto value = answer.cookie(name);
            if (value.empty())
                _cookies.erase(name);
            else
                _cookies[name] = value;
        }
        return answer;
    }

    IdentityHost& _host;
    std::map<std::string, std::string> _cookies;
};

} // namespace portico::tests
