#pragma once

#include "attachments/AttachmentService.h"
#include "contacts/ContactStore.h"
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
    AttachmentService& attachments;
    PipelineService& pipelines;
    const ImportStore& imports;
    const ImportSettings& settings;
};

} // namespace portico::crm
