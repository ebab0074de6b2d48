#include "contacts/ContactSettings.h"

#include <stdexcept>

namespace portico::crm
{

ContactSettings readContactSettings(const Config& config)
{
    ContactSettings settings;
    settings.restorable = std::chrono::hours(24 * config.integer("crm.contacts.restorableDays"));
    settings.callingCode = config.text("crm.phones.countryCode");
    const auto& code = settings.callingCode;
    if (code.size() > 3 || code.find_first_not_of("0123456789") != std::string::npos || code.starts_with('0'))
        throw std::runtime_error("crm.phones.countryCode: expected a calling code of one to three digits, as 49 or 1, found \"" + code +
                                 "\"");
    return settings;
}

} // namespace portico::crm
