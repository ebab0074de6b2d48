#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class DataExportStatus : std::uint8_t
{
    Running,
    Ready,
    Failed,
    Expired
};

constexpr auto schemaOf(const DataExportStatus*)
{
    using enum DataExportStatus;
    return portico::choices<DataExportStatus>({{"running", Running}, {"ready", Ready}, {"failed", Failed}, {"expired", Expired}});
}

/// Export of a user's data from all services: a row of `data_exports`.
struct DataExport
{
    ExportId id;
    DataExportStatus status = DataExportStatus::Running;
    std::int64_t sizeBytes = 0;
    /// Services that have not delivered their data because they are unavailable. The export waits for them.
    std::vector<std::string> waitingFor;
    std::optional<Instant> readyAt;
    std::optional<Instant> expiresAt;
    Instant createdAt{};

    std::optional<std::string> blobKey;
};

constexpr auto schemaOf(const DataExport*)
{
    return describe(members<&DataExport::id, &DataExport::status, &DataExport::sizeBytes, &DataExport::waitingFor, &DataExport::readyAt,
                            &DataExport::expiresAt, &DataExport::createdAt>(),
                    field<&DataExport::blobKey>().columnOnly());
}

inline constexpr Table dataExportTable{"data_exports", {.tenant = "user_id"}, &DataExport::id};

} // namespace portico::identity
