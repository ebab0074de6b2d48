#include "web/Pages.h"

#include "web/Tokens.h"

namespace portico::identity
{

namespace
{
constexpr std::string_view formCookie = "platform_pre";
constexpr auto formLife = std::chrono::minutes(10);
} // namespace

PageStyles::PageStyles(const Core& core)
{
    const auto styles = readPageFile(std::filesystem::path(core.context.host().pluginDirectory) / "web/styles/pages.css");
    frame.stylesheet = assets.add("pages.css", std::string(tokenStyles) + styles);
}

FormTokens formTokens(const Core& core) { return FormTokens(core.context.host(), formCookie, formLife); }

PagePolicy policyWith(std::string_view script, std::vector<std::string> formTargets)
{
    PagePolicy policy;
    if (!script.empty()) policy.scripts = {contentHash(script)};
    policy.formTargets = std::move(formTargets);
    return policy;
}

} // namespace portico::identity
