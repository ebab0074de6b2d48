#pragma once

#include "portico/Config.h"

#include <cstdint>

namespace portico::crm
{

/// Limits of attachments, as they were when the plugin started.
struct AttachmentSettings
{
    std::uint64_t maxBytes = 25 * 1024 * 1024;
    std::int64_t perContact = 200;
    /// Room of one organization; 0: as much as the host gives.
    std::uint64_t quotaBytes = 0;
};

AttachmentSettings readAttachmentSettings(const Config& config);

} // namespace portico::crm
