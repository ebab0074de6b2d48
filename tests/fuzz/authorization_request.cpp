#include "fuzz/Require.h"

#include "oauth/AuthorizationRequest.h"
#include "oauth/ClaimsRequest.h"

#include "portico/Form.h"
#include "portico/Problem.h"

#include <algorithm>
#include <cstdint>

/// The parameters of an authorization request: after the repetitions are dropped each name is there once, except `resource`, and what is
/// left reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::identity;
    using portico::fuzz::require;
    const auto text = portico::fuzz::textOf(data, size);
    portico::UrlParameters parameters;
    try
    {
        parameters = portico::parseForm(text);
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400);
        return 0;
    }
    const auto sent = parameters;
    const auto repeated = dropRepetitions(parameters);
    const auto countOf = [](const portico::UrlParameters& all, const std::string& name)
    { return std::ranges::count(all, name, &portico::UrlParameters::value_type::first); };
    for (const auto& [name, value] : sent)
        require(name == "resource" ? countOf(parameters, name) == countOf(sent, name) : countOf(parameters, name) == 1);
    require(repeated.empty() || countOf(sent, repeated) > 1);
    require(portico::parseForm(portico::toQuery(parameters)) == parameters);
    require(dropRepetitions(parameters).empty());
    if (const auto claims = ClaimsRequest::parse(text))
        for (const auto& scope : claims->scopes) require(scope == "profile" || scope == "email" || scope == "organizations");
    return 0;
}
