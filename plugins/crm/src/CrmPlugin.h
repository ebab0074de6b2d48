#pragma once

#include "attachments/AttachmentRoutes.h"
#include "blobs/BlobSweeper.h"
#include "bulk/BulkRoutes.h"
#include "contacts/ContactRoutes.h"
#include "contacts/VersionKeepers.h"
#include "exports/ExportRoutes.h"
#include "fields/CustomFieldRoutes.h"
#include "imports/ImportRoutes.h"
#include "merges/MergeRoutes.h"
#include "notes/NoteRoutes.h"
#include "pipelines/BindablePipelines.h"
#include "pipelines/PipelineRoutes.h"
#include "privacy/PersonRecords.h"
#include "service/ServiceRoutes.h"
#include "tags/TagRoutes.h"
#include "widget/WidgetRoutes.h"

#include "portico/Changes.h"
#include "portico/Plugin.h"

namespace portico::crm
{

/// The CRM service: ties its resources together.
class CrmPlugin final : public Plugin
{
public:
    explicit CrmPlugin(PluginContext& context);

    void start() override;
    void declare(Routes& routes) override;
    std::vector<HealthCheck> health() override;

    /// For tests that lead an import step by step.
    const ImportTools& importTools() const noexcept { return _importTools; }

private:
    void removeExpired(const Job& job);
    void forgetMerges(const Job& job);

    PluginContext& _context;
    const VersionKeepers _versionKeepers;
    PipelineService _pipelineService;
    BindablePipelines _bindablePipelines;
    ContactService _contactService;
    ContactRoutes _contactRoutes;
    ExportRoutes _exportRoutes;
    NoteRoutes _noteRoutes;
    CustomFieldRoutes _customFieldRoutes;
    TagRoutes _tagRoutes;
    PipelineRoutes _pipelineRoutes;
    AttachmentService _attachmentService;
    AttachmentRoutes _attachmentRoutes;
    BlobSweeper _blobSweeper;
    const ImportTools _importTools;
    ImportService _importService;
    ImportRoutes _importRoutes;
    BulkService _bulkService;
    MergeService _mergeService;
    MergeRoutes _mergeRoutes;
    WidgetRoutes _widgetRoutes;
    ServiceRoutes _serviceRoutes;
    PersonRecords _personRecords;
    Changes _changes;
};

} // namespace portico::crm
