#include "attachments/AttachmentSettings.h"

namespace portico::crm
{

namespace
{

constexpr std::uint64_t mebibyte = 1024 * 1024;

}

AttachmentSettings readAttachmentSettings(const Config& config)
{
    AttachmentSettings settings;
    settings.maxBytes = static_cast<std::uint64_t>(config.integer("crm.attachments.maxMebibytes")) * mebibyte;
    settings.perContact = config.integer("crm.attachments.perContact");
    settings.quotaBytes = static_cast<std::uint64_t>(config.integer("crm.attachments.quotaMebibytes")) * mebibyte;
    return settings;
}

} // namespace portico::crm
