#include "portico/Arguments.h"

#include "MediaTypes.h"
#include "OpenApi.h"
#include "TextReader.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace portico
{

IfMatch::IfMatch(std::string_view header) : _header(header) {}

void IfMatch::require(std::int64_t version) const
{
    if (_header.empty() || _header == "*") return;
    // A list of strong entity tags; a weak one never matches (RFC 9110, 13.1.1). Ours hold no commas.
    const std::string wanted = '"' + std::to_string(version) + '"';
    std::string_view rest = _header;
    while (!rest.empty())
    {
        const auto comma = rest.find(',');
        auto tag = rest.substr(0, comma);
        while (!tag.empty() && (tag.front() == ' ' || tag.front() == '\t')) tag.remove_prefix(1);
        while (!tag.empty() && (tag.back() == ' ' || tag.back() == '\t')) tag.remove_suffix(1);
        if (sameEntityTag(tag, wanted)) return;
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    throw Problem::versionConflict(version);
}

Upload::Upload(const Request& request) : _file(request.file), _contentType(request.header("Content-Type"))
{
    if (!_file) throw Problem::badRequest("validation_failed", "The request has no body.");
}

namespace
{

constexpr std::size_t macSize = 16;

/// With its length before it, so that no other row of texts looks like this one.
void appendFramed(std::string& out, std::string_view text) { ((out += std::to_string(text.size())) += ':') += text; }

} // namespace

/// HMAC-SHA-256, cut to 128 bits, over everything that a cursor is valid for: route, caller, list with its filters and sort, payload.
std::string Request::cursorMac(std::string_view scope, std::string_view payload) const
{
    std::string text;
    for (const auto part : {_route, std::string_view(caller->principalId), std::string_view(caller->organizationId), scope, payload})
        appendFramed(text, part);
    return std::string(hmacSha256(_cursorKey, text).bytes().substr(0, macSize));
}

std::string signCursor(const Request& request, std::string_view scope, std::string_view payload)
{
    return toBase64Url(request.cursorMac(scope, payload) + std::string(payload));
}

std::string openCursor(const Request& request, std::string_view scope, std::string_view cursor)
{
    const auto decoded = fromBase64Url(cursor);
    if (decoded && decoded->size() >= macSize)
    {
        std::string payload = decoded->substr(macSize);
        const auto mac = request.cursorMac(scope, payload);
        if (sameSecret(mac, std::string_view(*decoded).substr(0, macSize))) return payload;
    }
    throw Problem::badRequest("invalid_cursor",
                              "The cursor does not belong to this list with these filters and this sort. Start again without it.");
}

namespace detail
{

namespace
{

const Member* findMember(const Type& type, std::string_view name)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
        if (type.members[i].name == name) return &type.members[i];
    return nullptr;
}

std::string shownMembers(const Type& type)
{
    std::string words;
    for (std::size_t i = 0; i < type.memberCount; ++i)
        if (isShown(type.members[i])) (words += words.empty() ? "" : ", ") += type.members[i].name;
    return words;
}

/// The filters and the sort of a page.
std::string scopeOf(const Request& request)
{
    std::vector<std::pair<std::string, std::string>> filters;
    for (const auto& parameter : request.queryParameters())
        if (parameter.first != "cursor" && parameter.first != "limit" && parameter.first != "include") filters.push_back(parameter);
    std::sort(filters.begin(), filters.end());
    std::string scope;
    for (const auto& [name, value] : filters)
    {
        appendFramed(scope, name);
        appendFramed(scope, value);
    }
    return scope;
}

int readLimit(std::string_view text)
{
    int limit = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error != std::errc{} || end != text.data() + text.size() || limit < 1 || limit > 200)
        throw Problem::invalid("limit", "out_of_range", "From 1 to 200");
    return limit;
}

/// Names of UTF-8, and of its subset ASCII, that programs send. RFC 8259, 11 defines no charset for JSON; another one means that the body
/// has that encoding.
bool isUtf8Name(std::string_view charset)
{
    const auto isQuoted = [&](char quote) { return charset.size() >= 2 && charset.front() == quote && charset.back() == quote; };
    if (isQuoted('"') || isQuoted('\'')) charset = charset.substr(1, charset.size() - 2);
    constexpr std::array<std::string_view, 7> names{"utf-8", "utf8", "utf_8", "us-ascii", "ascii", "unicode-1-1-utf-8", ""};
    return std::ranges::any_of(names, [&](std::string_view name) { return equalsIgnoreCase(charset, name); });
}

const Type& innermost(const Type& type) { return type.kind == Kind::Optional || type.kind == Kind::List ? innermost(*type.element) : type; }

} // namespace

bool isJsonContentType(std::string_view value) { return isUtf8Type(value, {"application/json", "application/merge-patch+json"}); }

bool isUtf8Type(std::string_view contentType, std::initializer_list<std::string_view> types)
{
    const auto semicolon = contentType.find(';');
    const auto type = trim(contentType.substr(0, semicolon));
    if (std::ranges::none_of(types, [&](std::string_view known) { return equalsIgnoreCase(type, known); })) return false;
    auto rest = semicolon == std::string_view::npos ? std::string_view() : contentType.substr(semicolon + 1);
    while (!rest.empty())
    {
        const auto end = std::min(rest.find(';'), rest.size());
        const auto parameter = trim(rest.substr(0, end));
        const auto equals = std::min(parameter.find('='), parameter.size());
        if (equalsIgnoreCase(trim(parameter.substr(0, equals)), "charset") && equals < parameter.size() &&
            !isUtf8Name(trim(parameter.substr(equals + 1))))
            return false;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return true;
}

namespace
{
std::string expected(Kind kind)
{
    switch (kind)
    {
    case Kind::Boolean:
        return "Expected true or false";
    case Kind::Integer:
        return "Expected an integer";
    case Kind::Number:
        return "Expected a number";
    default:
        return "Not a valid value for this parameter";
    }
}
} // namespace

void readQuery(const Request& request, const Type& type, void* value)
{
    Faults faults;
    for (const auto& [name, text] : request.queryParameters())
    {
        const Member* member = findMember(type, name);
        if (!member) continue; // another argument's, or refused by checkQueryNames
        request.queryParameter(name);
        if (readText(member->rules.trimmed ? trim(text) : text, *member->type, member->reach(value))) continue;
        if (const Type& read = innermost(*member->type); read.kind == Kind::Formatted)
            addUnparsed(faults, name, read, &member->rules);
        else if (read.kind == Kind::Choice)
            faults.add(name, "invalid_value", "Not one of " + options(read));
        else
            faults.add(name, "invalid_value", expected(read.kind));
    }
    for (std::size_t i = 0; i < type.memberCount; ++i)
        if (const Member& member = type.members[i]; member.rules.required && !request.queryParameter(member.name))
            faults.add(std::string(member.name), "required", "Must be present");
    Faults rules;
    if (faults.empty())
        validateRecord(type, value, rules);
    else
        validateMembers(type, value, rules);
    faults.addRest(rules);
    faults.raise();
}

void checkQueryNames(const Request& request, const std::vector<std::string_view>& allowed)
{
    Problem problem(400, "unknown_parameter", "The query has a parameter that this route does not know.");
    for (const auto& [name, value] : request.queryParameters())
        if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
            problem.with({name, "unknown_parameter", "Unknown parameter"});
    if (!problem.errors().empty()) throw problem;
}

std::string_view jsonBody(const Request& request)
{
    const auto contentType = request.header("Content-Type");
    if (contentType.empty() && request.body.empty()) return "{}";
    if (!isJsonContentType(contentType)) throw Problem(415, "unsupported_media_type", "This route takes application/json in UTF-8.");
    // RFC 8259, 8.1 lets a reader ignore the mark. A client that sends all its requests as JSON sends some without a body, or with a line
    // end.
    const auto body = withoutByteOrderMark(request.body);
    return trim(body).empty() ? "{}" : body;
}

Paging readPaging(const Request& request)
{
    Paging paging;
    if (request.query.empty()) return paging;
    if (const auto limit = request.queryParameter("limit")) paging.limit = readLimit(*limit);
    if (const auto include = request.queryParameter("include"))
    {
        if (*include != "total") throw Problem::invalid("include", "unknown_option", "Only total may be included");
        paging.includeTotal = true;
    }
    if (const auto cursor = request.queryParameter("cursor")) paging.cursor = openCursor(request, scopeOf(request), *cursor);
    return paging;
}

SortChoice readSort(const Request& request, std::span<const std::string_view> names, bool descendingByDefault)
{
    const auto text = request.queryParameter("sort");
    if (!text) return {0, descendingByDefault};
    const bool descending = text->starts_with('-');
    const auto found = std::ranges::find(names, text->substr(descending ? 1 : 0));
    if (found != names.end()) return {static_cast<std::size_t>(found - names.begin()), descending};
    std::string words;
    for (const auto name : names) ((words += words.empty() ? "" : ", ") += name) += ", -" + std::string(name);
    throw Problem::invalid("sort", "unknown_option", "Not one of " + words);
}

FieldSelection readFields(const Request& request, const Type& type)
{
    FieldSelection fields;
    const auto text = request.queryParameter("fields");
    if (!text) return fields;
    for (auto rest = *text; !rest.empty();)
    {
        const auto comma = std::min(rest.find(','), rest.size());
        const auto name = rest.substr(0, comma);
        const Member* member = findMember(type, name);
        if (!member || !isShown(*member)) throw Problem::invalid("fields", "unknown_option", "Not one of " + shownMembers(type));
        fields.emplace_back(name);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return fields;
}

std::string signPageCursor(const Request& request, std::string_view payload) { return signCursor(request, scopeOf(request), payload); }

void throwBadHeader(std::string_view name, bool missing)
{
    throw Problem::invalid(name, missing ? "required" : "invalid_value",
                           missing ? "This header is required" : "Not a valid value for this header");
}

} // namespace detail

} // namespace portico
