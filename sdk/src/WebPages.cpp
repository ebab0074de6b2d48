#include "portico/WebPages.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace portico
{

namespace
{

/// 16 of the 64 digits: names differ wherever the content does.
std::string shortHash(std::string_view text) { return sha256(text).hex().substr(0, 16); }

void appendDirective(std::string& policy, std::string_view name, const std::vector<std::string>& sources, std::string_view always = {})
{
    const bool any = std::ranges::any_of(sources, [](const auto& source) { return !source.empty(); });
    if (!any && always.empty()) return;
    policy.append("; ").append(name);
    if (!always.empty()) policy.append(" ").append(always);
    for (const auto& source : sources)
        if (!source.empty()) policy.append(" ").append(source);
}

std::string_view typeOfAsset(std::string_view name)
{
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    if (name.ends_with(".svg")) return "image/svg+xml";
    throw std::invalid_argument("A file of pages ends with .css, .js or .svg: " + std::string(name));
}

/// Returns true for a text that `randomToken` can make. Any other value was planted.
bool isOurs(std::string_view browser)
{
    const auto isToken = [](char c)
    { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; };
    return browser.size() == 43 && std::ranges::all_of(browser, isToken);
}

} // namespace

std::string contentHash(std::string_view text)
{
    auto hash = toBase64Url(sha256(text).bytes());
    std::ranges::replace(hash, '-', '+');
    std::ranges::replace(hash, '_', '/');
    return "'sha256-" + hash + "='";
}

std::string PagePolicy::text() const
{
    std::string policy = "default-src 'none'";
    appendDirective(policy, "style-src", styles);
    appendDirective(policy, "script-src", scripts);
    appendDirective(policy, "connect-src", connections);
    appendDirective(policy, "img-src", images);
    appendDirective(policy, "frame-src", frames);
    appendDirective(policy, "form-action", formTargets, "'self'");
    policy += "; base-uri 'none'";
    if (ancestors.empty())
        policy += "; frame-ancestors 'none'";
    else
        appendDirective(policy, "frame-ancestors", ancestors);
    return policy;
}

std::string readPageFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf())) throw std::runtime_error("cannot read " + file.string() + ": install the plugin again");
    return text.str();
}

std::string PageAssets::add(std::string_view name, std::string text)
{
    const auto contentType = typeOfAsset(name);
    const auto dot = name.rfind('.');
    auto served = std::string(name.substr(0, dot)) + '-' + shortHash(text) + std::string(name.substr(dot));
    auto path = _folder + '/' + served;
    _assets.insert_or_assign(std::move(served), Asset{contentType, std::move(text)});
    return path;
}

void PageAssets::declare(Routes& routes)
{
    routes.get(_folder + "/{name}", access::open(), &PageAssets::serve, this,
               {.summary = "Files of the pages", .undocumented = true, .cacheControl = "public, max-age=31536000, immutable"});
}

Response PageAssets::serve(const Path<std::string>& name) const
{
    const auto found = _assets.find(*name);
    if (found == _assets.end()) throw Problem::notFound("There is nothing at this path.");
    Response response;
    response.contentType = found->second.contentType;
    response.body = found->second.text;
    return response;
}

FormTokens::FormTokens(const HostInfo& host, std::string_view cookie, std::chrono::seconds life)
    : _cookie((host.plainHttp ? "" : "__Host-") + std::string(cookie)), _life(life), _secure(!host.plainHttp)
{
}

std::string FormTokens::tokenFor(const Request& request, std::string_view purpose, std::string_view browser) const
{
    return request.formToken(purpose, browser);
}

FormTokens::Made FormTokens::make(const Request& request, std::string_view purpose) const
{
    const auto known = request.cookie(_cookie);
    const auto browser = isOurs(known) ? std::string(known) : randomToken();
    return {tokenFor(request, purpose, browser),
            SetCookie(_cookie, browser, {.maxAge = _life, .sameSite = SameSite::Lax, .secure = _secure})};
}

bool FormTokens::matches(const Request& request, std::string_view purpose, std::string_view token) const
{
    const auto browser = request.cookie(_cookie);
    return isOurs(browser) && sameSecret(token, tokenFor(request, purpose, browser));
}

void FormTokens::require(const Request& request, std::string_view purpose, std::string_view token) const
{
    if (!matches(request, purpose, token)) throw Problem::forbidden("form_expired", "This page has expired. Send the form again.");
}

/// Framed, so that no cursor has this text (`cursorMac`): no route is called so.
std::string Request::formToken(std::string_view purpose, std::string_view browser) const
{
    std::string text = "form token " + std::to_string(purpose.size()) + ' ';
    text.append(purpose).append(" ").append(browser);
    return toBase64Url(hmacSha256(_cursorKey, text).bytes());
}

Response redirectTo(std::string_view location, std::vector<SetCookie> cookies, int status)
{
    Response response;
    response.status = status;
    response.addHeader("Location", location);
    for (const auto& cookie : cookies) response.addCookie(cookie);
    return response;
}

Response withRetryAfter(Response response, const Problem& problem)
{
    for (const auto& [name, value] : problem.headers())
        if (name == "Retry-After") response.addHeader(name, value);
    return response;
}

namespace detail
{

namespace
{

/// Message of a code, from the most to the least particular.
std::optional<std::string> textOf(const Templates& templates, std::string_view page, std::string_view locale, std::string_view field,
                                  std::string_view code)
{
    const auto ofPage = "pages." + std::string(page) + ".problem.";
    if (!field.empty())
        if (auto text = templates.text(ofPage + std::string(field) + '.' + std::string(code), locale)) return text;
    if (auto text = templates.text(ofPage + std::string(code), locale)) return text;
    return templates.text("problem." + std::string(code), locale);
}

std::size_t fieldOf(const Type& form, std::string_view path)
{
    const auto name = path.substr(0, path.find_first_of(".["));
    std::size_t place = 0;
    while (place < form.memberCount && form.members[place].name != name) ++place;
    return place;
}

} // namespace

std::string pageLocale(const Templates& templates, const Request& request, const PageOptions& options)
{
    if (!options.locale.empty()) return templates.localeFor(options.locale);
    const auto asked = request.header("Accept-Language");
    return templates.localeFor(asked.empty() ? std::string_view(options.otherLocale) : asked);
}

std::pair<std::string, std::string> titleAndContent(std::string_view page)
{
    const auto line = std::min(page.find('\n'), page.size());
    return {std::string(page.substr(0, line)), std::string(page.substr(std::min(line + 1, page.size())))};
}

Response pageResponse(std::string html, const std::string& locale, const PageOptions& options)
{
    Response response;
    response.status = options.status;
    response.contentType = "text/html; charset=utf-8";
    response.body = std::move(html);
    response.cacheControl = "no-store";
    response.addHeader("Content-Security-Policy", options.policy.text());
    response.addHeader("Content-Language", locale);
    response.addHeader("Vary", "Accept-Language");
    for (const auto& [name, value] : options.headers) response.addHeader(name, value);
    for (const auto& cookie : options.cookies) response.addCookie(cookie);
    return response;
}

void explainProblem(const Templates& templates, std::string_view page, std::string_view locale, const Problem& problem, const Type& form,
                    FormField* fields, std::string& whole)
{
    const auto other = templates.text("pages." + std::string(page) + ".problem.other", locale);
    bool allShown = !problem.errors().empty();
    for (const auto& error : problem.errors())
    {
        const auto place = fieldOf(form, error.field);
        if (place == form.memberCount)
        {
            allShown = false;
            continue;
        }
        auto text = textOf(templates, page, locale, form.members[place].name, error.code);
        if (!text) text = other;
        if (fields[place].problem.empty()) fields[place].problem = text ? *std::move(text) : error.message;
    }
    auto text = textOf(templates, page, locale, {}, problem.code());
    if (!text) text = templates.text("pages." + std::string(page) + ".problem." + std::to_string(problem.status()), locale);
    if (text)
        whole = *std::move(text);
    else if (!allShown)
        whole = other ? *other : problem.detail().empty() ? std::string(reason(problem.status())) : problem.detail();
}

} // namespace detail

} // namespace portico
