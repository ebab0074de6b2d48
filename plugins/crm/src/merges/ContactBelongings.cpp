#include "merges/ContactBelongings.h"

namespace portico::crm
{

void ContactBelongings::lock(Transaction&, std::string_view, const std::vector<std::string>&) const {}

} // namespace portico::crm
