#include "merges/ContactBelongings.h"

namespace portico::crm
{

void ContactBelongings::lock(Transaction&, Tenant, const std::vector<std::string>&) const {}
void ContactBelongings::forgetLost(Transaction&, Tenant, Contact&) const {}

} // namespace portico::crm
