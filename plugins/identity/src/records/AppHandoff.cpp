#include "records/AppHandoff.h"

#include "web/Urls.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity::app_handoffs
{

namespace
{

/// Origins of an approved app: those of its redirect addresses.
class ApprovedOrigins
{
public:
    explicit ApprovedOrigins(const AppHandoff& handoff)
    {
        for (const auto& uri : handoff.redirectUris) _origins.push_back(originOf(uri));
    }
    bool has(std::string_view url) const { return url.empty() || std::ranges::find(_origins, originOf(url)) != _origins.end(); }

private:
    std::vector<std::string> _origins;
};

Problem tooMuch() { return Problem::forbidden("manifest_exceeds_approval", "The manifest asks for more than was approved."); }

FieldError notApproved(std::string field) { return {"manifest." + std::move(field), "not_approved", "That is more than was approved."}; }

} // namespace

void requireWithin(const AppHandoff& handoff, std::string_view surfaceKind, const ServiceManifest& manifest)
{
    const ApprovedOrigins approved(handoff);
    auto problem = tooMuch();
    const auto unless = [&](bool fine, std::string field)
    {
        if (!fine) problem.with(notApproved(std::move(field)));
    };
    const auto each = [&](std::string_view list, const std::vector<std::string>& urls, const auto& fine)
    {
        for (std::size_t i = 0; i < urls.size(); ++i) unless(fine(urls[i]), std::string(list) + '[' + std::to_string(i) + ']');
    };
    const auto lives = [&](const std::string& url) { return approved.has(url); };
    unless(manifest.serviceId == handoff.serviceId, "service_id");
    unless(manifest.name == handoff.name, "name");
    unless(manifest.surfaceKind == surfaceKind, "surface_kind");
    unless(manifest.surfaceGroup == "community", "surface_group");
    each("callbackUrls", manifest.callbackUrls, [&](const std::string& url) { return std::ranges::count(handoff.redirectUris, url) > 0; });
    each("origins", manifest.origins, lives);
    // Rejects patterns, because their addresses cannot be reviewed.
    unless(manifest.previewOriginPatterns.empty(), "previewOriginPatterns");
    each("embedOrigins", manifest.embedOrigins, lives);
    // Operators register native clients of developers.
    unless(!manifest.nativeClient, "nativeClient");
    unless(lives(manifest.launchUrl), "launchUrl");
    unless(lives(manifest.frontchannelLogoutUrl.value_or("")), "frontchannelLogoutUrl");
    unless(lives(manifest.backchannelLogoutUrl.value_or("")), "backchannelLogoutUrl");
    if (!problem.errors().empty()) throw problem;
}

void requireApproved(Session& session, const ServiceRow& row, const ServiceManifest& manifest)
{
    const auto handoff = handoffTable.select()
                             .where(&AppHandoff::serviceId, manifest.serviceId)
                             .where(&AppHandoff::status, HandoffStatus::Consumed)
                             .first(session);
    if (!handoff) return;
    const auto submission = appSubmissionTable.find(session, handoff->submissionId);
    requireWithin(*handoff, submission ? submission->surfaceKind : manifest.surfaceKind, manifest);
    // Whom it is for was looked at when it was registered.
    const auto before = fromStoredJson<ServiceManifest>(row.manifest);
    auto problem = tooMuch();
    if (!std::ranges::is_permutation(row.contexts, manifest.contexts)) problem.with(notApproved("contexts"));
    if (manifest.householdCapable && !before.householdCapable) problem.with(notApproved("household_capable"));
    if (!problem.errors().empty()) throw problem;
}

} // namespace portico::identity::app_handoffs
