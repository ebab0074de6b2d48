#pragma once

#include "merges/Merge.h"
#include "records/CustomField.h"

#include <map>
#include <string>
#include <vector>

namespace portico::crm
{

/// Merges `sources` into `target`, before `complete`. Single values are chosen by `prefer`, else the first value is used. Lists are united
/// without duplicates, up to their limits. The oldest creation time is kept.
/// @param leftOut receives values that the result does not contain.
/// @throws Problem 400 `validation_failed` if `prefer` names an unknown member or contact
Contact uniteContacts(const Contact& target, const std::vector<Contact>& sources, const std::map<std::string, ContactId>& prefer,
                      const CustomFields& fields, std::vector<LeftOutValue>& leftOut);

} // namespace portico::crm
