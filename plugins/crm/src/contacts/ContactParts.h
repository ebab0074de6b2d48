#pragma once

#include "records/ContactRequests.h"
#include "records/ContactView.h"

#include "portico/Caller.h"
#include "portico/Database.h"

#include <vector>

namespace portico::crm
{

/// A contact with the first page of each part, in one flight. The caller has checked the rights to the parts. @throws Problem 404
ContactView contactWithParts(Session& session, const Caller& caller, const ContactId& id, const std::vector<ContactInclude>& parts);

} // namespace portico::crm
