#include "scim/BulkRequest.h"

#include "scim/ScimError.h"

#include "portico/Database.h"
#include "portico/Http.h"
#include "portico/Problem.h"

#include <algorithm>
#include <boost/json/parse.hpp>

namespace portico::identity::scim
{

namespace
{

constexpr std::string_view bulkReference = "bulkId:";

Problem invalidSyntax(std::string_view why) { return Problem::badRequest("invalidSyntax", why); }

std::string memberText(const boost::json::object& object, std::string_view name)
{
    const auto* value = findMember(object, name);
    return value != nullptr && value->is_string() ? std::string(viewOf(value->get_string())) : std::string();
}

} // namespace

boost::json::object BulkRequest::run(const boost::json::object& sent)
{
    read(sent);
    const auto stops = [&] { return _failOnErrors != 0 && _failed >= _failOnErrors; };
    bool moved = true;
    while (moved && !stops())
    {
        moved = false;
        for (auto& operation : _operations)
        {
            if (operation.done || stops()) continue;
            moved = attempt(operation) || moved;
        }
    }
    for (auto& operation : _operations)
        if (!operation.done && !stops())
            fail(operation, Problem(409, "invalidValue", "It refers to something that this request does not make."));
    return response();
}

void BulkRequest::read(const boost::json::object& sent)
{
    const auto* operations = findMember(sent, "Operations");
    if (operations == nullptr || !operations->is_array()) throw invalidSyntax("Operations should be a list.");
    if (operations->get_array().size() > maxOperations) throw Problem::tooLarge("A request has 500 operations at most.");
    if (const auto* limit = findMember(sent, "failOnErrors"); limit != nullptr && limit->is_int64())
        _failOnErrors = static_cast<std::size_t>(std::max<std::int64_t>(limit->get_int64(), 0));
    for (const auto& one : operations->get_array())
    {
        const auto* object = one.if_object();
        if (object == nullptr) throw invalidSyntax("An operation is an object.");
        Operation operation;
        operation.method = memberText(*object, "method");
        std::ranges::transform(operation.method, operation.method.begin(),
                               [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        operation.path = memberText(*object, "path");
        operation.bulkId = memberText(*object, "bulkId");
        operation.version = memberText(*object, "version");
        if (const auto* data = findMember(*object, "data")) operation.data = *data;
        if (operation.method == "POST" && operation.bulkId.empty()) throw invalidSyntax("A POST in a bulk request has a bulkId.");
        _operations.push_back(std::move(operation));
    }
}

bool BulkRequest::resolve(boost::json::value& value) const
{
    if (auto* text = value.if_string())
    {
        const auto view = viewOf(*text);
        if (!view.starts_with(bulkReference)) return true;
        const auto made = _made.find(view.substr(bulkReference.size()));
        if (made == _made.end()) return false;
        *text = made->second;
        return true;
    }
    if (auto* list = value.if_array()) return std::ranges::all_of(*list, [&](auto& one) { return resolve(one); });
    if (auto* object = value.if_object()) return std::ranges::all_of(*object, [&](auto& member) { return resolve(member.value()); });
    return true;
}

bool BulkRequest::resolve(std::string& path) const
{
    const auto at = path.find(bulkReference);
    if (at == std::string::npos) return true;
    const auto made = _made.find(std::string_view(path).substr(at + bulkReference.size()));
    if (made == _made.end()) return false;
    path.replace(at, std::string::npos, made->second);
    return true;
}

bool BulkRequest::attempt(Operation& operation)
{
    if (!resolve(operation.path) || !resolve(operation.data)) return false;
    try
    {
        perform(operation);
    }
    catch (const Problem& problem)
    {
        fail(operation, problem);
    }
    catch (const DatabaseError& error)
    {
        // A concurrent request has created the resource. Other database errors end the whole request.
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        fail(operation, Problem::conflict("uniqueness", "The resource already exists."));
    }
    operation.done = true;
    return true;
}

void BulkRequest::perform(Operation& operation)
{
    std::string_view path = operation.path;
    if (!path.starts_with('/')) throw invalidSyntax("The path of an operation is /Users, /Groups, or that of one of them.");
    path.remove_prefix(1);
    const auto slash = path.find('/');
    const auto kind = path.substr(0, slash);
    const auto id = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (kind != "Users" && kind != "Groups") throw Problem::notFound("There is nothing at this path.");
    if ((operation.method == "POST") != id.empty()) throw invalidSyntax("Send POST to a resource type, other methods to a resource.");
    int status = 200;
    const auto resource = change(operation, kind, id, status);
    operation.answer["status"] = std::to_string(status);
    if (resource.empty()) return;
    operation.answer["location"] = textOf(resource, "meta", "location");
    operation.answer["version"] = versionOf(resource);
    if (!operation.bulkId.empty()) _made[operation.bulkId] = textOf(resource, "id");
}

boost::json::object BulkRequest::change(const Operation& operation, std::string_view kind, std::string_view id, int& status)
{
    const auto work = [&](auto& store, const ResourceKind& resources) -> boost::json::object
    {
        if (operation.method == "DELETE")
        {
            store.remove(_call, id, operation.version);
            status = 204;
            return {};
        }
        const auto* data = operation.data.if_object();
        if (data == nullptr) throw invalidSyntax("The data of an operation should be an object.");
        if (operation.method == "POST")
        {
            status = 201;
            return store.create(_call, *data);
        }
        if (operation.method == "PUT") return store.change(_call, id, operation.version, replacement(*data, resources));
        if (operation.method == "PATCH") return store.change(_call, id, operation.version, patching(*data, resources, _call.budget));
        throw invalidSyntax("The method of an operation is POST, PUT, PATCH or DELETE.");
    };
    return kind == "Users" ? work(_people, userKind()) : work(_groups, groupKind());
}

void BulkRequest::fail(Operation& operation, const Problem& problem)
{
    operation.answer["status"] = std::to_string(problem.status());
    operation.answer["response"] = boost::json::parse(scimError(problem));
    operation.done = true;
    ++_failed;
}

boost::json::object BulkRequest::response() const
{
    boost::json::array answers;
    for (const auto& operation : _operations)
    {
        if (!operation.done) continue;
        auto answer = operation.answer;
        answer["method"] = operation.method;
        if (!operation.bulkId.empty()) answer["bulkId"] = operation.bulkId;
        // The location is also set for failures (RFC 7644, 3.7.3), except for a POST, which created nothing.
        answers.push_back(std::move(answer));
    }
    return {{"schemas", boost::json::array{"urn:ietf:params:scim:api:messages:2.0:BulkResponse"}}, {"Operations", std::move(answers)}};
}

} // namespace portico::identity::scim
