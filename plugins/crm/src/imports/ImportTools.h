#pragma once

#include "attachments/AttachmentService.h"
#include "contacts/ContactStore.h"
#include "fields/CustomFieldStore.h"
#include "imports/ImportSettings.h"
#include "imports/ImportStore.h"
#include "pipelines/PipelineService.h"

#include "portico/Plugin.h"

namespace portico::crm
{

/// What runs and undos of imports work with. All of it outlives them and is thread-safe.
struct ImportTools
{
    PluginContext& context;
    const ContactStore& contacts;
    const CustomFieldStore& fields;
    AttachmentService& attachments;
    const AttachmentStore& attachmentStore;
    const UnownedBlobs& blobs;
    PipelineService& pipelines;
    const PipelineStore& pipelineStore;
    const CardStore& cards;
    const ImportStore& imports;
    const ImportSettings& settings;
};

} // namespace portico::crm
