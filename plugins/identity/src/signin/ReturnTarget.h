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

/// What is wrong with where a sign-in by page is to lead: ourselves and registered origins are right. Empty for nothing.
std::optional<ProblemText> returnFault(const Core& core, const Catalog& catalog, std::string_view serviceId, std::string_view returnTo);

/// The parameters of a page before that sign-in, as it is asked for: empty ones are left out.
UrlParameters wayOn(std::string_view serviceId, std::string_view returnTo);

/// Where the way on may end: the redirect addresses of whoever asks for the sign-in. What `form-action` of the page has to name.
std::vector<std::string> returnTargets(Core& core, std::string_view returnTo);

} // namespace portico::identity
