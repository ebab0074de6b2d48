#pragma once

#include "imports/ImportTools.h"

#include "portico/Tenant.h"

#include <optional>
#include <string_view>

namespace portico::crm
{

/// A stage onto which the contacts of an import go, of a pipeline that the transaction has locked.
struct ImportStage
{
    const PipelineService& service;
    Pipeline pipeline;
    StageId stageId;
};

/// The stage that an import names; empty if it names none, or if somebody has removed it since the import began. To be called before
/// contacts are locked.
std::optional<ImportStage> holdStage(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportOptions& options);

} // namespace portico::crm
