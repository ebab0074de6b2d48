#include "OpenApi.h"

#include "portico/Json.h"

#include <algorithm>
#include <cctype>

namespace portico::detail
{

namespace
{

std::string quoted(std::string_view text)
{
    std::string out;
    appendJsonString(out, text);
    return out;
}

/// `getContactsByIdNotes` from GET /api/contacts/{id}/notes: unique, stable, and a good function name in generated clients.
std::string operationId(Method method, std::string_view pattern)
{
    std::string id;
    for (const char c : name(method)) id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (pattern.starts_with("/api/")) pattern.remove_prefix(4);
    bool upper = false;
    for (const char c : pattern)
    {
        if (c == '{') id += "By";
        if (!std::isalnum(static_cast<unsigned char>(c)))
        {
            upper = true;
            continue;
        }
        id += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return id;
}

/// First fixed segment after /api: groups the document.
std::string tag(std::string_view pattern)
{
    if (pattern.starts_with("/api/")) pattern.remove_prefix(4);
    pattern.remove_prefix(pattern.empty() ? 0 : 1);
    const auto first = pattern.substr(0, pattern.find('/'));
    return first.empty() ? "service" : std::string(first);
}

class Parameters
{
public:
    explicit Parameters(Components& components) : _components(components) {}

    void add(std::string_view name, std::string_view place, bool required, const Type& type, const Rules* rules)
    {
        if (!_out.empty()) _out += ',';
        const Type& bare = type.kind == Kind::Optional ? *type.element : type;
        _out += "{\"name\":" + quoted(name) + ",\"in\":" + quoted(place) + ",\"required\":" + (required ? "true" : "false");
        if (bare.kind == Kind::List) _out += ",\"style\":\"form\",\"explode\":false";
        _out += ",\"schema\":" + openApiSchema(bare, rules, _components) + "}";
    }

    void addRaw(std::string_view json)
    {
        if (!_out.empty()) _out += ',';
        _out += json;
    }

    std::string take() { return "[" + _out + "]"; }

private:
    Components& _components;
    std::string _out;
};

void addPathParameters(Parameters& parameters, std::string_view pattern, const Operation& operation)
{
    std::size_t index = 0;
    for (auto open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{', open + 1))
    {
        const auto name = pattern.substr(open + 1, pattern.find('}', open) - open - 1);
        if (index < operation.path.size())
            parameters.add(name, "path", true, *operation.path[index++], nullptr);
        else
            parameters.addRaw("{\"name\":" + quoted(name) + ",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}");
    }
}

std::string sortParameter(const Operation& operation)
{
    std::string words;
    for (const auto member : operation.sort)
        ((words += words.empty() ? "" : ",") += quoted(member)) += "," + quoted("-" + std::string(member));
    const auto first = (operation.sortDescending ? "-" : "") + std::string(operation.sort.front());
    return R"({"name":"sort","in":"query","required":false,"schema":{"type":"string","enum":[)" + words + R"(],"default":)" +
           quoted(first) + "}}";
}

std::string fieldsParameter(const Type& record)
{
    std::string words;
    for (std::size_t i = 0; i < record.memberCount; ++i)
        if (const Member& member = record.members[i]; isShown(member)) (words += words.empty() ? "" : ",") += quoted(member.name);
    return R"({"name":"fields","in":"query","required":false,"style":"form","explode":false,"schema":{"type":"array","items":{"type":"string","enum":[)" +
           words + "]}}}";
}

std::string parameterList(Method method, std::string_view pattern, const RouteOptions& options, const Operation& operation,
                          Components& components)
{
    Parameters parameters(components);
    addPathParameters(parameters, pattern, operation);
    for (const Type* type : operation.query)
        for (std::size_t i = 0; i < type->memberCount; ++i)
            parameters.add(type->members[i].name, "query", type->members[i].rules.required, *type->members[i].type,
                           &type->members[i].rules);
    for (const auto name : operation.repeatedQuery)
        parameters.addRaw(
            "{\"name\":" + quoted(name) +
            R"(,"in":"query","required":false,"style":"form","explode":true,"schema":{"type":"array","items":{"type":"string"}}})");
    if (operation.paging)
    {
        parameters.addRaw(
            R"({"name":"limit","in":"query","required":false,"schema":{"type":"integer","minimum":1,"maximum":200,"default":50}})");
        parameters.addRaw(R"({"name":"cursor","in":"query","required":false,"schema":{"type":"string"}})");
        parameters.addRaw(R"({"name":"include","in":"query","required":false,"schema":{"type":"string","enum":["total"]}})");
    }
    if (!operation.sort.empty()) parameters.addRaw(sortParameter(operation));
    if (operation.fields) parameters.addRaw(fieldsParameter(*operation.fields));
    for (const auto& header : operation.headers) parameters.add(header.name, "header", header.required, *header.type, nullptr);
    if (operation.ifMatch)
        parameters.addRaw(std::string(R"({"name":"If-Match","in":"header","required":)") + (operation.ifMatchRequired ? "true" : "false") +
                          R"(,"schema":{"type":"string"}})");
    if (method == Method::Post && options.idempotencyKey)
        parameters.addRaw(
            R"({"name":"Idempotency-Key","in":"header","required":false,"schema":{"type":"string","minLength":8,"maxLength":128}})");
    return parameters.take();
}

/// `{"text/csv":{"schema":{}},…}`: bodies that are no JSON.
std::string mediaTypes(const std::vector<std::string_view>& declared, std::string_view otherwise)
{
    std::string out;
    for (const auto type : declared.empty() ? std::vector{otherwise} : declared)
        out += (out.empty() ? "" : ",") + quoted(type) + ":{\"schema\":{}}";
    return "{" + out + "}";
}

std::string requestBody(const RouteOptions& options, const Operation& operation, Components& components)
{
    switch (operation.bodyKind)
    {
    case BodyKind::Json:
    {
        const auto schema =
            operation.patch ? openApiPatchSchema(*operation.body, components) : openApiSchema(*operation.body, nullptr, components);
        if (operation.patch)
            return R"(,"requestBody":{"required":true,"description":"Merged into the record (RFC 7396): absent members stay, null clears.","content":{"application/json":{"schema":)" +
                   schema + "}}}";
        return R"(,"requestBody":{"required":true,"content":{"application/json":{"schema":)" + schema + "}}}";
    }
    case BodyKind::Raw:
        if (operation.form)
            return R"(,"requestBody":{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":)" +
                   openApiSchema(*operation.body, nullptr, components) + "}}}";
        [[fallthrough]];
    case BodyKind::Upload:
        return R"(,"requestBody":{"required":true,"content":)" + mediaTypes(options.consumes, "*/*") + "}";
    default:
        return {};
    }
}

std::string successResponse(int status, const RouteOptions& options, const Operation& operation, Components& components)
{
    std::string out = quoted(std::to_string(status)) + ":{\"description\":" + quoted(reason(status));
    if (status == 204) return out + "}";
    if (operation.result)
    {
        auto schema = openApiSchema(*operation.result, nullptr, components);
        if (operation.page)
            schema = R"({"type":"object","required":["items","nextCursor"],"properties":{"items":{"type":"array","items":)" + schema +
                     R"(},"nextCursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"total":{"type":"integer"}}})";
        if (operation.pageExtra) schema = "{\"allOf\":[" + schema + "," + openApiSchema(*operation.pageExtra, nullptr, components) + "]}";
        out += R"(,"content":{"application/json":{"schema":)" + schema + "}}";
    }
    else if (!operation.contentType.empty() || !options.produces.empty())
        out += ",\"content\":" + mediaTypes(options.produces, operation.contentType.substr(0, operation.contentType.find(';')));
    return out + "}";
}

std::string successResponses(const RouteOptions& options, const Operation& operation, Components& components)
{
    if (options.statuses.empty()) return successResponse(operation.status, options, operation, components);
    std::string out;
    for (const auto status : options.statuses) out += (out.empty() ? "" : ",") + successResponse(status, options, operation, components);
    return out;
}

/// Response object of the problems that any route may answer.
std::string refusal(const RouteOptions& options)
{
    if (options.problemFormat.mediaType.empty()) return R"({"$ref":"#/components/responses/Problem"})";
    return R"({"description":"Error","content":)" + mediaTypes({options.problemFormat.mediaType}, {}) + '}';
}

std::string security(const Access& access)
{
    if (access.open) return "[]";
    std::string out;
    if (access.bearer) out += "{\"bearer\":[]}";
    if (access.apiKey) out += std::string(out.empty() ? "" : ",") + "{\"apiKey\":[]}";
    if (access.cookie) out += std::string(out.empty() ? "" : ",") + "{\"cookie\":[]}";
    if (access.service)
        out += std::string(out.empty() ? "" : ",") + "{\"service\":[" +
               (access.serviceScope.empty() ? std::string() : '"' + access.serviceScope + '"') + "]}";
    return "[" + out + "]";
}

/// Lists the problems that the route names and those that its arguments cause.
std::string problemList(const Access& access, const RouteOptions& options, const Operation& operation)
{
    std::vector<std::string_view> problems(options.problems);
    const auto name = [&](std::string_view problem)
    {
        if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
    };
    if (operation.ifMatch) name("412 version_conflict");
    if (operation.ifMatchRequired) name("428 precondition_required");
    if (!access.bindings.empty()) name("403 resource_not_bound");
    std::string out;
    for (const auto problem : problems) out += (out.empty() ? "" : ",") + quoted(problem);
    return out.empty() ? out : ",\"x-problems\":[" + out + "]";
}

} // namespace

std::string describeOperation(Method method, std::string_view pattern, const Access& access, const RouteOptions& options,
                              const Operation& operation, Components& components)
{
    std::string out = "{\"operationId\":" + quoted(operationId(method, pattern)) + ",\"tags\":[" + quoted(tag(pattern)) + "]";
    out += ",\"summary\":" + quoted(options.summary.empty() ? operationId(method, pattern) : options.summary);
    if (!options.description.empty()) out += ",\"description\":" + quoted(options.description);
    out += ",\"parameters\":" + parameterList(method, pattern, options, operation, components);
    out += requestBody(options, operation, components);
    out += ",\"responses\":{" + successResponses(options, operation, components) +
           (operation.ifMatch ? R"(,"412":{"$ref":"#/components/responses/Problem"})" : "") +
           (operation.ifMatchRequired ? R"(,"428":{"$ref":"#/components/responses/Problem"})" : "") + ",\"default\":" + refusal(options) +
           '}';
    out += ",\"security\":" + security(access);
    if (!access.permission.empty()) out += ",\"x-permission\":" + quoted(access.permission);
    if (!access.scope.empty()) out += ",\"x-scope\":" + quoted(access.scope);
    if (!access.otherScope.empty()) out += ",\"x-other-scope\":" + quoted(access.otherScope);
    return out + problemList(access, options, operation) + "}";
}

} // namespace portico::detail
