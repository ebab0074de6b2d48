#pragma once

#include "attachments/AttachmentService.h"
#include "contacts/ContactStore.h"
#include "imports/ImportState.h"
#include "pipelines/PipelineService.h"

#include "portico/Plugin.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace portico::crm
{

/// Settings of imports, as they were when the plugin started.
struct ImportSettings
{
    std::uint64_t fileBytes = 50ULL * 1024 * 1024;
    std::int64_t rows = 200'000;
    /// Calling code for national phone numbers where the import names no country.
    std::string callingCode;

    /// Maximum rows that are processed before the answer.
    static constexpr std::int64_t rowsAtOnce = 5'000;
};

ImportSettings readImportSettings(const Config& config);

/// Collaborators of runs and undos of imports. Thread-safe; all references must outlive it.
struct ImportTools
{
    PluginContext& context;
    AttachmentService& attachments;
    PipelineService& pipelines;
    const VersionKeepers& keepers;
    ImportSettings settings;
    ContactStore contacts = {};
};

/// A stage onto which the contacts of an import go, of a pipeline that the transaction has locked.
struct ImportStage
{
    Pipeline pipeline;
    StageId stageId;
};

/// Transaction of an import with the data for its statements. Must not outlive the transaction.
struct ImportScope
{
    const ImportTools& tools;
    Transaction& transaction;
    Tenant tenant;
    const ImportState& state;
    /// When the transaction began.
    Instant now;
    /// Stage on which the import places its contacts.
    std::optional<ImportStage> stage = std::nullopt;
    /// In a snapshot, for a look ahead: nothing can be locked.
    bool readsOnly = false;

    const ImportId& importId() const noexcept { return state.importId; }
    /// Finds the stage that the import names. Finds none if it names none, or if the stage has been removed. Must be called before contacts
    /// are locked.
    void holdStage();
    /// Places a contact on a stage, or removes it from the board.
    void place(const ContactId& contact, const std::optional<StageId>& stageId) const;
};

} // namespace portico::crm
