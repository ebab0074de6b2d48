#pragma once

#include "portico/Database.h"

#include <Poco/Data/Session.h>

namespace portico
{

/// The POCO session under a Portico session, for what the SDK does not offer. Including this header ties the plugin to the POCO version of
/// its host. It shares the connection: use it only while `session` lives, on its thread, and leave neither statements nor transactions
/// behind. It has the defects that Portico's own statements do not have (docs/decisions/0022), and on SQLite its statements have no end by
/// `database.statementSeconds`.
inline Poco::Data::Session& pocoSession(Session& session) { return *static_cast<Poco::Data::Session*>(session.connection().pocoSession()); }

} // namespace portico
