#include "fuzz/Require.h"

#include "scim/Filter.h"
#include "scim/Patch.h"

#include "portico/Http.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <boost/json.hpp>
#include <string>

namespace
{

using namespace portico::identity::scim;
using portico::fuzz::require;

boost::json::object sample()
{
    return boost::json::parse(R"({"id":"usr_1","userName":"bea@acme.example","active":true,"name":{"givenName":"Bea"},
        "emails":[{"value":"bea@acme.example","type":"work","primary":true},{"value":"b@home.example","type":"home"}],
        "members":[{"value":"a"},{"value":"b"}],"displayName":"Bea","meta":{"lastModified":"2026-01-01T00:00:00.000Z"},
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Hives"}})")
        .as_object();
}

/// Rejections must be problems of the caller.
template <class F>
void attempt(F&& work)
{
    try
    {
        work();
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400);
    }
}

/// The result reads like input of a client, and reading it again changes nothing.
void patchBoth(const boost::json::object& patch)
{
    for (const auto* kind : {&userKind(), &groupKind()})
        attempt(
            [&]
            {
                auto resource = sample();
                PatchBudget budget;
                applyPatch(resource, patch, *kind, budget);
                require(resource.at("id") == "usr_1" && resource.at("meta").as_object().size() == 1);
                const auto read = readResource(resource, *kind);
                require(readResource(read, *kind) == read);
            });
}

/// An operation of any form keeps no person active if another operation of the request suspends.
void suspendBeside(const boost::json::value& operation)
{
    auto resource = sample();
    PatchBudget budget;
    const boost::json::object off{{"op", "Replace"}, {"path", "active"}, {"value", "False"}};
    attempt(
        [&]
        {
            applyPatch(resource, {{"Operations", boost::json::array{operation, off}}}, userKind(), budget);
            require(resource.at("active") == false && !readResource(resource, userKind()).empty());
        });
}

} // namespace

/// Filters, paths and bodies of PATCH: read or refused, and nothing that is read-only changes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    attempt(
        [&]
        {
            const auto filter = Filter::parse(text, userKind());
            const auto resource = sample();
            const bool found = filter.matches(resource);
            // The value that an index would look up is one that the filter requires.
            const auto name = filter.demanded("userName");
            if (name && found) require(portico::equalsIgnoreCase(*name, "bea@acme.example"));
        });
    attempt([&] { Filter::parse(text, groupKind(), groupKind().find("members")); });
    Projection(text, {}, userKind()).of(sample());
    Projection({}, text, userKind()).of(sample());
    if (portico::isJson(text))
    {
        const auto value = boost::json::parse({text.data(), text.size()});
        if (value.is_object())
        {
            patchBoth(value.get_object());
            attempt([&] { readResource(value.get_object(), userKind()); });
        }
        suspendBeside(value);
        suspendBeside({{"value", value}});
        for (const auto* operation : {"add", "replace", "remove"})
        {
            patchBoth({{"Operations", boost::json::array{{{"op", operation}, {"value", value}}}}});
            suspendBeside({{"op", operation}, {"value", value}});
        }
    }
    // The input is a path; bytes that are no UTF-8 never reach a handler.
    const boost::json::value path(portico::cleanText(text, size));
    for (const auto* operation : {"add", "replace", "remove"})
        for (const boost::json::value& value : {boost::json::value("x"), boost::json::value(true), boost::json::value({{"value", "x"}})})
            patchBoth({{"Operations", boost::json::array{{{"op", operation}, {"path", path}, {"value", value}}}}});
    return 0;
}
