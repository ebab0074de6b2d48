#include "CrmPlugin.h"

#include "bulk/BulkState.h"
#include "contacts/MissingWords.h"
#include "imports/ImportStore.h"
#include "merges/MergeRecords.h"

#include "portico/interfaces/Directory.h"

#include <chrono>
#include <string>

namespace portico::crm
{

namespace
{
constexpr std::string_view removeExpiredJob = "crm.contacts.remove_expired";
constexpr std::string_view forgetMergesJob = "crm.merges.forget";
} // namespace

CrmPlugin::CrmPlugin(PluginContext& context)
    : _context(context),
      _versionKeepers(
          {{carryMergesOver, forgetMergesInto}, {carryImportsOver, forgetImportedChanges}, {carryBulkChangesOver, forgetBulkChanges}}),
      _pipelineService(context, context.config().text("crm.currency")),
      _bindablePipelines(context, _pipelineService),
      _contactService(context, readContactSettings(context.config()), _versionKeepers),
      _contactRoutes(context, _contactService),
      _exportRoutes(context, _contactService),
      _noteRoutes(context),
      _customFieldRoutes(context),
      _tagRoutes(context),
      _pipelineRoutes(context, _pipelineService),
      _attachmentService(context, readAttachmentSettings(context.config())),
      _attachmentRoutes(context, _attachmentService),
      _blobSweeper(context),
      _importTools{context, _attachmentService, _pipelineService, _versionKeepers, readImportSettings(context.config())},
      _importService(_importTools),
      _importRoutes(_importTools, _importService),
      _bulkService(context, _pipelineService, _versionKeepers, readContactSettings(context.config()).callingCode),
      _mergeService(context, readContactSettings(context.config()), _versionKeepers),
      _mergeRoutes(context, _mergeService),
      _widgetRoutes(context, context.config().text("crm.currency")),
      _serviceRoutes(context, _attachmentService.settings()),
      _personRecords(context),
      _changes(context.channels())
{
}

void CrmPlugin::start()
{
    _context.jobs().handle(removeExpiredJob, [this](const Job& job) { removeExpired(job); });
    _context.jobs().every(removeExpiredJob, std::chrono::hours(1));
    _context.jobs().handle(forgetMergesJob, [this](const Job& job) { forgetMerges(job); });
    _context.jobs().every(forgetMergesJob, std::chrono::hours(1));
    _context.jobs().handle(missingWordsJob, [this](const Job& job) { addMissingWords(_context, job); });
    requestMissingWords(_context);
    _customFieldRoutes.start();
    _blobSweeper.schedule();
    _importService.start();
    _bulkService.start();
    _context.services().provide<interfaces::BindableResources>(_bindablePipelines);
    _context.services().provide<interfaces::PersonalData>(_personRecords);
}

void CrmPlugin::declare(Routes& routes)
{
    _serviceRoutes.declare(routes);
    _contactRoutes.declare(routes);
    _exportRoutes.declare(routes);
    _noteRoutes.declare(routes);
    _attachmentRoutes.declare(routes);
    _customFieldRoutes.declare(routes);
    _tagRoutes.declare(routes);
    _pipelineRoutes.declare(routes);
    _importRoutes.declare(routes);
    declareBulk(routes, _bulkService);
    _mergeRoutes.declare(routes);
    _widgetRoutes.declare(routes);
    routes.get("/api/changes", access::bearer("contacts:read"), &Changes::follow, &_changes, {.summary = "Stream changes"});
}

std::vector<HealthCheck> CrmPlugin::health()
{
    // Names of colleagues are missing without it, and nothing else.
    return {{.name = std::string(interfaces::Directory::interfaceName),
             .healthy = static_cast<bool>(_context.services().find<interfaces::Directory>()),
             .neededToServe = false}};
}

void CrmPlugin::removeExpired(const Job& job)
{
    const auto removed = _contactService.removeExpired(job.stop);
    if (removed > 0) _context.logger().information("Removed contacts that were deleted too long ago", {{"count", std::to_string(removed)}});
}

void CrmPlugin::forgetMerges(const Job& job)
{
    const auto forgotten = _mergeService.forgetExpired(job.stop);
    if (forgotten > 0)
        _context.logger().information("Forgot merges that were done too long ago to be undone", {{"count", std::to_string(forgotten)}});
}

} // namespace portico::crm
