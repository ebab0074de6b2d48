#pragma once

#include "host/backup/BackupMaker.h"

#include <boost/json/value.hpp>

namespace portico::host::ctl
{

/// What the daemon answered to `backup.begin`. @throws backup::Failure for what cannot be backed up from here
backup::Plan planOf(const boost::json::value& answer);
/// @throws backup::Failure for a backup that cannot be restored from here
void requireRestorable(const backup::Manifest& manifest);

} // namespace portico::host::ctl
