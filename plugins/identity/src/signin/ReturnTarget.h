#pragma once

#include "catalog/Catalog.h"
#include "common/Core.h"
#include "web/ProblemPage.h"
#include "web/Urls.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Checks the return address of a sign-in page: this origin and registered origins are valid. Returns none if it is valid.
std::optional<ProblemText> returnFault(const Core& core, const Catalog& catalog, std::string_view serviceId, std::string_view returnTo);

/// Returns the parameters of a page that leads to that sign-in, without empty ones.
UrlParameters returnParameters(std::string_view serviceId, std::string_view returnTo);

/// Returns the origins that the page's `form-action` must allow: the redirect addresses of the client that requests the sign-in.
std::vector<std::string> returnTargets(Core& core, std::string_view returnTo);

} // namespace portico::identity
