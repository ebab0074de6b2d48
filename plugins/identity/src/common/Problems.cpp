#include "common/Problems.h"

#include "portico/Json.h"

#include <string>

namespace portico::identity
{

Problem invalidToken(std::string_view reason)
{
    std::string details = "{\"reason\":";
    appendJsonString(details, reason);
    details += '}';
    return Problem::unauthorized("invalid_token", "The credential does not open anything here.").withDetails(std::move(details));
}

} // namespace portico::identity
