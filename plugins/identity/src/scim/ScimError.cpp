#include "scim/ScimError.h"

#include "portico/Http.h"
#include "portico/Json.h"

#include <algorithm>
#include <iterator>

namespace portico::identity::scim
{

std::string scimError(const Problem& problem)
{
    // RFC 7644, table 9.
    static constexpr std::string_view keywords[] = {"invalidFilter", "tooMany",  "uniqueness",   "mutability",  "invalidSyntax",
                                                    "invalidPath",   "noTarget", "invalidValue", "invalidVers", "sensitive"};
    std::string out = R"({"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":")" + std::to_string(problem.status()) + '"';
    if (std::ranges::find(keywords, problem.code()) != std::end(keywords))
    {
        out += ",\"scimType\":";
        appendJsonString(out, problem.code());
    }
    out += ",\"detail\":";
    appendJsonString(out, problem.detail().empty() ? portico::reason(problem.status()) : std::string_view(problem.detail()));
    return out + '}';
}

} // namespace portico::identity::scim
