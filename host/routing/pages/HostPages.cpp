#include "host/routing/pages/HostPages.h"

#include <algorithm>
#include <utility>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view policy =
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) switch (c)
        {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        case '\'':
            result += "&#39;";
            break;
        default:
            result += c;
        }
    return result;
}

/// @param body markup.
std::string page(std::string_view title, std::string_view body)
{
    return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
           escaped(title) + "</title>\n<link rel=\"stylesheet\" href=\"" + std::string(stylePath) +
           "\">\n<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n<main>\n<h1>" + escaped(title) + "</h1>\n" + std::string(body) +
           "</main>\n</body>\n</html>\n";
}

std::string paragraph(std::string_view text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string link(std::string_view address, std::string_view text)
{
    return "<a href=\"" + escaped(address) + "\">" + escaped(text) + "</a>";
}

/// A text in which the web addresses are links; white space ends one, and a full stop behind it is the sentence's.
std::string linked(std::string_view text)
{
    std::string markup;
    while (!text.empty())
    {
        const auto begin = std::min({text.find("http://"), text.find("https://"), text.size()});
        markup += escaped(text.substr(0, begin));
        text.remove_prefix(begin);
        auto address = text.substr(0, std::min(text.find(' '), text.size()));
        while (address.ends_with('.')) address.remove_suffix(1);
        if (!address.empty()) markup += link(address, address);
        text.remove_prefix(address.size());
    }
    return markup;
}

std::string_view headline(int status) noexcept
{
    switch (status)
    {
    case 404:
        return "Page not found";
    case 410:
        return "This address is no longer in use";
    case 429:
        return "Too many requests";
    case 503:
        return "Not available at the moment";
    default:
        return "This did not work";
    }
}

bool isShown(int status) noexcept { return status == 404 || status == 410 || status == 429 || status >= 500; }

std::string_view retryAfter(const Problem& problem) noexcept
{
    const auto& headers = problem.headers();
    const auto found = std::ranges::find(headers, "Retry-After", &std::pair<std::string, std::string>::first);
    return found == headers.end() ? "1" : std::string_view(found->second);
}

} // namespace

bool isNavigation(const Request& request) noexcept
{
    const auto path = request.path;
    if (request.method != Method::Get || path.starts_with("/api/") || path == "/health" || path == "/healthz" || path == "/readyz")
        return false;
    if (path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos) return false;
    return request.header("Sec-Fetch-Dest") == "document" || request.header("Accept").find("text/html") != std::string_view::npos;
}

void showAsPage(const Problem& problem, const Request& request, Response& response)
{
    if (!isShown(problem.status()) || !isNavigation(request)) return;
    const std::string_view detail = problem.detail();
    // What the headline says already is not said again.
    std::string body = detail.starts_with(headline(problem.status())) ? std::string() : paragraph(detail);
    if (problem.status() == 503)
    {
        const auto seconds = retryAfter(problem);
        response.addHeader("Refresh", seconds);
        body += paragraph("This page tries again by itself, in " + std::string(seconds) + " s.");
    }
    body += "<p>" + link("/", "Home") + "</p>\n<p class=\"small\">" + std::to_string(problem.status()) + " · request <code>" +
            escaped(request.requestId) + "</code></p>\n";
    const int status = response.status;
    answerHostPage(page(headline(status), body), response);
    response.status = status;
}

std::string unbuiltPage(std::string_view serviceName)
{
    return page(std::string(serviceName) + " has no pages here",
                paragraph("It was built without them (PORTICO_WEB=OFF). Its API works as ever.") + "<p>" +
                    link("/docs", "API documentation") + "</p>\n");
}

std::string frontDoorPage(const std::vector<FrontDoorEntry>& services, std::string_view note)
{
    std::string body;
    if (!note.empty()) body += "<p class=\"note\">" + linked(note) + "</p>\n";
    std::string cards;
    std::string documents;
    for (const auto& service : services)
    {
        if (service.hasPages)
            cards += "<li>" + link(service.origin + "/", service.name) + "<br><span class=\"small\">" + escaped(service.origin) +
                     "</span></li>\n";
        documents += "<li>" + link(service.origin + "/docs", service.name) + "</li>\n";
    }
    if (!cards.empty()) body += "<ul class=\"cards\">\n" + cards + "</ul>\n";
    if (cards.empty()) body += paragraph("No service has pages here; their APIs work.");
    if (!documents.empty()) body += "<h2>API documentation</h2>\n<ul>\n" + documents + "</ul>\n";
    body += "<h2>Health</h2>\n<p>" + link("/readyz", "Is this host ready?") + "</p>\n";
    body += "<h2>If a link does not open</h2>\n";
    body += paragraph("The links lead to names below localhost. Where this computer does not know them, name them in /etc/hosts, "
                      "each behind 127.0.0.1, or use a browser that does: current ones do.");
    body += paragraph("If you read this over a tunnel, forward the same port number as the links have, as in ssh -L 8080:localhost:8080.");
    return page("Portico is running", body);
}

void answerHostPage(std::string html, Response& response)
{
    response.status = 200;
    response.contentType = "text/html; charset=utf-8";
    response.cacheControl = "no-store";
    response.body = std::move(html);
    response.addHeader("Content-Security-Policy", policy);
}

} // namespace portico::host::routing
