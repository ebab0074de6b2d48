#include "host/routing/pages/HostPages.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace portico::host::routing
{

namespace
{

constexpr std::string_view policy =
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Texts of these pages. `{port}` is the port of the links, `{opened}` the port of the opened page.
struct Words
{
    std::string_view language;
    std::string_view title;
    std::string_view choose;
    std::string_view developers;
    std::string_view documentation;
    std::string_view health;
    std::string_view ready;
    std::string_view noPages;
    std::string_view notOpening;
    std::string_view names;
    std::string_view tunnel;
    std::string_view otherPort;
    std::string_view malformed;
    std::string_view forbidden;
    /// Sentences for `permission_denied` and `service_access_denied`; empty: the detail of the problem, which is English.
    std::string_view denied;
    std::string_view closed;
    std::string_view notFound;
    std::string_view retired;
    std::string_view tooMany;
    std::string_view unavailable;
    std::string_view failed;
    std::string_view again;
    std::string_view home;
    std::string_view request;
};

constexpr Words english{
    .language = "en",
    .title = "Portico is running",
    .choose = "Choose a service and sign in with your e-mail address and password. Its menu \"Other apps\" opens the others without "
              "another sign-in.",
    .developers = "For developers",
    .documentation = "API documentation",
    .health = "Health",
    .ready = "Is this host ready?",
    .noPages = "No service has pages here; their APIs work.",
    .notOpening = "If a link does not open",
    .names = "The links lead to names below localhost. Where this computer does not know them, name them in /etc/hosts, each behind "
             "127.0.0.1, or use a browser that does: current ones do.",
    .tunnel = "If you read this over a tunnel, it has to end at the same port number as the links have: ssh -L {port}:localhost:{port}.",
    .otherPort = "You have opened port {opened}, but the links lead to port {port}: forward that number, as in ssh -L "
                 "{port}:localhost:{port}.",
    .malformed = "This link cannot be read",
    .forbidden = "You don't have access to this page",
    .denied = {},
    .closed = {},
    .notFound = "Page not found",
    .retired = "This address is no longer in use",
    .tooMany = "Too many requests",
    .unavailable = "Not available at the moment",
    .failed = "This did not work",
    .again = "This page retries in {seconds} s.",
    .home = "Home",
    .request = "request",
};

constexpr Words german{
    .language = "de",
    .title = "Portico läuft",
    .choose = "Wählen Sie einen Dienst, und melden Sie sich mit E-Mail-Adresse und Passwort an. Sein Menü „Andere Apps“ öffnet die "
              "anderen ohne neue Anmeldung.",
    .developers = "Für Entwickler",
    .documentation = "API-Dokumentation",
    .health = "Zustand",
    .ready = "Ist dieser Rechner bereit?",
    .noPages = "Kein Dienst hat hier Seiten; ihre APIs arbeiten.",
    .notOpening = "Wenn sich ein Link nicht öffnet",
    .names = "Die Links führen zu Namen unter localhost. Kennt dieser Rechner sie nicht, tragen Sie sie in /etc/hosts ein, jeden hinter "
             "127.0.0.1, oder nehmen Sie einen Browser, der sie kennt: aktuelle tun es.",
    .tunnel = "Lesen Sie dies über einen Tunnel, muss er am selben Port beginnen, den die Links haben: ssh -L {port}:localhost:{port}.",
    .otherPort = "Sie haben Port {opened} geöffnet, die Links führen aber zu Port {port}: Leiten Sie diesen weiter, etwa mit ssh -L "
                 "{port}:localhost:{port}.",
    .malformed = "Dieser Link ist nicht lesbar",
    .forbidden = "Sie haben keinen Zugriff auf diese Seite",
    .denied = "Ihrem Konto fehlt die nötige Berechtigung. Fragen Sie einen Admin Ihrer Organisation.",
    .closed = "Dieser Dienst steht Ihnen in diesem Arbeitsbereich nicht offen.",
    .notFound = "Seite nicht gefunden",
    .retired = "Diese Adresse ist nicht mehr in Gebrauch",
    .tooMany = "Zu viele Anfragen",
    .unavailable = "Im Moment nicht verfügbar",
    .failed = "Das hat nicht geklappt",
    .again = "Diese Seite versucht es von selbst noch einmal, in {seconds} s.",
    .home = "Startseite",
    .request = "Anfrage",
};

/// Selects the language that the header names first: browsers send languages in order of preference.
const Words& wordsFor(const Request& request) noexcept
{
    auto wanted = request.header("Accept-Language");
    while (!wanted.empty())
    {
        while (wanted.starts_with(' ')) wanted.remove_prefix(1);
        for (const auto* words : {&english, &german})
            if (wanted.starts_with(words->language)) return *words;
        wanted.remove_prefix(std::min(wanted.find(','), wanted.size() - 1) + 1);
    }
    return english;
}

std::string withValue(std::string text, std::string_view name, std::string_view value)
{
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) text.replace(at, name.size(), value);
    return text;
}

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
std::string page(const Words& words, std::string_view title, std::string_view body)
{
    return "<!doctype html>\n<html lang=\"" + std::string(words.language) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
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

/// A text in which the web addresses are links; white space ends one, and a full stop behind it is the sentence's. `[words](address)` shows
/// the words.
std::string linked(std::string_view text)
{
    std::string markup;
    while (!text.empty())
    {
        const auto begin = std::min({text.find("http://"), text.find("https://"), text.size()});
        const auto before = text.substr(0, begin);
        text.remove_prefix(begin);
        const auto open = before.ends_with("](") ? before.rfind('[') : std::string_view::npos;
        const auto close = open == std::string_view::npos ? open : text.find(')');
        if (close != std::string_view::npos)
        {
            markup += escaped(before.substr(0, open)) + link(text.substr(0, close), before.substr(open + 1, before.size() - open - 3));
            text.remove_prefix(close + 1);
            continue;
        }
        markup += escaped(before);
        auto address = text.substr(0, std::min(text.find(' '), text.size()));
        while (address.ends_with('.')) address.remove_suffix(1);
        if (!address.empty()) markup += link(address, address);
        text.remove_prefix(address.size());
    }
    return markup;
}

/// Port of an authority or an origin; 80 if it names none.
std::string_view portOf(std::string_view place) noexcept
{
    const auto colon = place.rfind(':');
    const bool said = colon != std::string_view::npos && place.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    return said ? place.substr(colon + 1) : "80";
}

std::string_view headline(const Words& words, int status) noexcept
{
    switch (status)
    {
    case 400:
        return words.malformed;
    case 403:
        return words.forbidden;
    case 404:
        return words.notFound;
    case 410:
        return words.retired;
    case 429:
        return words.tooMany;
    case 503:
        return words.unavailable;
    default:
        return words.failed;
    }
}

std::string_view sentenceFor(const Words& words, const Problem& problem) noexcept
{
    if (problem.code() == "permission_denied") return words.denied;
    if (problem.code() == "service_access_denied") return words.closed;
    return {};
}

bool isShown(int status) noexcept
{
    return status == 400 || status == 403 || status == 404 || status == 410 || status == 429 || status >= 500;
}

std::string_view retryAfter(const Problem& problem) noexcept
{
    const auto& headers = problem.headers();
    const auto found = std::ranges::find(headers, "Retry-After", &std::pair<std::string, std::string>::first);
    return found == headers.end() ? "1" : std::string_view(found->second);
}

} // namespace

bool namesFile(std::string_view path) noexcept
{
    const auto name = path.substr(path.rfind('/') + 1);
    const auto dot = name.rfind('.');
    return dot != std::string_view::npos && dot + 1 < name.size() &&
           std::ranges::all_of(name.substr(dot + 1), [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool isNavigation(const Request& request) noexcept
{
    const auto path = request.path;
    if (request.method != Method::Get || path.starts_with("/api/") || path == "/health" || path == "/healthz" || path == "/readyz")
        return false;
    if (namesFile(path)) return false;
    return request.header("Sec-Fetch-Dest") == "document" || request.header("Accept").find("text/html") != std::string_view::npos;
}

void showAsPage(const Problem& problem, const Request& request, Response& response)
{
    if (!isShown(problem.status()) || !isNavigation(request)) return;
    const auto& words = wordsFor(request);
    const std::string_view detail = problem.detail();
    std::string body;
    if (const auto sentence = sentenceFor(words, problem); !sentence.empty()) body = paragraph(sentence);
    // Skips a detail that repeats the headline.
    else if (!detail.starts_with(headline(english, problem.status())))
        body = "<p lang=\"en\">" + escaped(detail) + "</p>\n";
    if (problem.status() == 503)
    {
        const auto seconds = retryAfter(problem);
        response.addHeader("Refresh", seconds);
        body += paragraph(withValue(std::string(words.again), "{seconds}", seconds));
    }
    body += "<p>" + link("/", words.home) + "</p>\n<p class=\"small\">" + std::to_string(problem.status()) + " · " +
            std::string(words.request) + " <code>" + escaped(request.requestId) + "</code></p>\n";
    const int status = response.status;
    answerHostPage(page(words, headline(words, status), body), response);
    response.status = status;
}

std::string unbuiltPage(std::string_view serviceName)
{
    return page(english, std::string(serviceName) + " has no pages here",
                paragraph("It was built without them (PORTICO_WEB=OFF). Its API works as ever.") + "<p>" +
                    link("/docs", english.documentation) + "</p>\n");
}

std::string frontDoorPage(const FrontDoor& door, const Request& request)
{
    const auto& words = wordsFor(request);
    std::string body;
    std::string cards;
    std::string documents;
    // Manifests describe services in English.
    const auto* language = words.language == english.language ? "" : " lang=\"en\"";
    for (const auto& service : door.services)
    {
        if (service.hasPages)
            cards += "<li>" + link(service.origin + "/", service.name) + "<br><span class=\"small\"" + language + ">" +
                     escaped(service.description) + "</span></li>\n";
        documents += "<li>" + link(service.origin + "/docs", service.name) + "</li>\n";
    }
    body += paragraph(cards.empty() ? words.noPages : words.choose);
    if (!door.note.empty()) body += "<p class=\"note\">" + linked(door.note) + "</p>\n";
    if (!cards.empty()) body += "<ul class=\"cards\">\n" + cards + "</ul>\n";
    // The rest is folded: people who only want to sign in do not need it.
    body += "<details>\n<summary>" + std::string(words.notOpening) + "</summary>\n" + paragraph(words.names);
    const auto opened = portOf(request.header("Host"));
    const auto port = door.services.empty() ? opened : portOf(door.services.front().origin);
    const auto& tunnel = opened == port ? words.tunnel : words.otherPort;
    body += paragraph(withValue(withValue(std::string(tunnel), "{port}", port), "{opened}", opened)) + "</details>\n";
    body += "<details>\n<summary>" + std::string(words.developers) + "</summary>\n";
    if (!documents.empty()) body += "<h2>" + std::string(words.documentation) + "</h2>\n<ul>\n" + documents + "</ul>\n";
    body += "<h2>" + std::string(words.health) + "</h2>\n<p>" + link("/readyz", words.ready) + "</p>\n</details>\n";
    return page(words, words.title, body);
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
