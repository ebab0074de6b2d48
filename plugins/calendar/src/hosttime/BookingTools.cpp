#include "hosttime/BookingTools.h"

#include "portico/interfaces/Directory.h"

namespace portico::calendar
{

std::string BookingTools::emailOf(Tenant tenant, const Host& host) const
{
    if (const auto directory = context.services().find<interfaces::Directory>())
        if (const auto member = directory->member(tenant, host.userId)) return member->email;
    return {};
}

} // namespace portico::calendar
