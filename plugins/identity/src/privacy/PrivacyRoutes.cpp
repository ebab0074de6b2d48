#include "privacy/PrivacyRoutes.h"

#include "permissions/Actor.h"
#include "sessions/Cookies.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view jsonType = "application/json";

std::string fileNameOf(const DataExport& made) { return "account-" + toString(made.createdAt).substr(0, 10) + ".json"; }

} // namespace

void PrivacyRoutes::declare(Routes& routes)
{
    const auto own = access::bearer().inPerson();
    const auto proven = own.freshProof();
    constexpr std::string_view one = "/api/auth/me/export/{exportId}";
    constexpr std::string_view file = "/api/auth/me/export/{exportId}/file";
    constexpr std::string_view browser = "/account-export/{exportId}";
    routes
        .post("/api/auth/me/export", proven, &PrivacyRoutes::requestExport, this,
              {.summary = "Request an export of the caller's data",
               .onEveryOrigin = true,
               .problems = {"403 step_up_required"},
               .statuses = {202}})
        .get(one, own, &PrivacyRoutes::showExport, this, {.summary = "Read the status of an export", .onEveryOrigin = true})
        .get(file, proven, &PrivacyRoutes::download, this,
             {.summary = "Download the file of an export",
              .onEveryOrigin = true,
              .problems = {"403 step_up_required", "409 export_not_ready"},
              .produces = {jsonType}})
        .get(browser, access::open(), &PrivacyRoutes::page, this,
             {.summary = "Page that the mail of an export links to", .undocumented = true, .produces = {jsonType}})
        .del("/api/auth/me", proven, &PrivacyRoutes::plan, this,
             {.summary = "Schedule the deletion of the caller's account",
              .onEveryOrigin = true,
              .problems = {"403 step_up_required", "409 last_owner"},
              .statuses = {202}});
}

Reply<ExportAccepted> PrivacyRoutes::requestExport(const Caller& caller, const Request& request, const Body<NoInput>&)
{
    const auto id = _core.database.transact(
        [&](Transaction& transaction)
        {
            requireElevation(transaction, caller, _core.clock.now());
            const auto user = users::find(transaction, caller.principalId);
            if (!user) throw invalidToken("user_suspended");
            return _exports.request(transaction, *user, Client::of(request));
        });
    return {.record = {id}, .status = 202};
}

DataExport PrivacyRoutes::showExport(const Caller& caller, const Path<std::string>& id) const
{
    auto made = _exports.find(caller.userId(), *id);
    if (!made) throw Problem::notFound();
    return *std::move(made);
}

File PrivacyRoutes::download(const Caller& caller, const Path<std::string>& id) const
{
    const auto made = showExport(caller, id);
    auto file = _exports.open(made);
    if (!file) throw Problem::conflict("export_not_ready", "The file is not available: the export is not ready or has expired.");
    return {*std::move(file), std::string(jsonType), {}, attachmentDisposition(fileNameOf(made))};
}

Response PrivacyRoutes::page(const Request& request, const Path<std::string>& id, const Query<ShownQuery>&) const
{
    SignInPrompt wanted;
    wanted.maxAge = _core.settings.elevation;
    wanted.serviceId = identityServiceId;
    wanted.path = std::string(DataExports::page) + *id;
    auto outcome = _gate.pass(request, wanted);
    if (auto* response = std::get_if<Response>(&outcome)) return std::move(*response);
    const auto* browser = std::get_if<SignedInBrowser>(&outcome);
    if (!browser) throw Problem::notFound();
    const auto made = _exports.find(browser->user.id, *id);
    auto file = made ? _exports.open(*made) : std::nullopt;
    if (!file) throw Problem::notFound();
    Response response;
    response.contentType = jsonType;
    response.file = std::move(file);
    response.addHeader("Content-Disposition", attachmentDisposition(fileNameOf(*made)));
    return response;
}

Reply<DeletionPlanned> PrivacyRoutes::plan(const Caller& caller, const Request& request, const Body<DeletionInput>&)
{
    Reply<DeletionPlanned> reply{.record = {_deletions.plan(caller, request)}, .status = 202};
    reply.cookies.push_back(_core.cookies.setRefresh(request, "", std::chrono::seconds(0)));
    if (isOwnOrigin(request)) reply.cookies.push_back(_core.cookies.setBrowserSession("", std::chrono::seconds(0)));
    return reply;
}

} // namespace portico::identity
