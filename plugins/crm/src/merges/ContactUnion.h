#pragma once

#include "merges/Merge.h"
#include "records/CustomField.h"

#include <map>
#include <string>
#include <vector>

namespace portico::crm
{

/// What comes of merging `sources` into `target`, before `complete`: single values by `prefer`, else the first there is; lists united, each
/// element once, up to their limits; the oldest creation. `leftOut` gets what the result does not have.
/// @throws Problem 400 `validation_failed` when `prefer` names no member of contacts, or no contact of these.
Contact uniteContacts(const Contact& target, const std::vector<Contact>& sources, const std::map<std::string, ContactId>& prefer,
                      const CustomFields& fields, std::vector<LeftOutValue>& leftOut);

} // namespace portico::crm
