#include "merges/ContactBelongings.h"

namespace portico::crm
{

void ContactBelongings::lock(Transaction&, std::string_view, const std::vector<std::string>&) const {}
void ContactBelongings::forgetLost(Transaction&, std::string_view, Contact&) const {}

} // namespace portico::crm
