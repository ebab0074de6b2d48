#pragma once

#include "host/backup/BackupMaker.h"

#include <boost/json/value.hpp>

#include <functional>
#include <string>

namespace portico::host::ctl
{

/// What the daemon answered to `backup.begin`. `tick` is called while another program works. @throws backup::Failure for what cannot be
/// backed up from here
backup::Plan planOf(const boost::json::value& answer, const std::function<void()>& tick);
/// The first line; empty for an empty name. @throws backup::Failure
std::string secretIn(const std::string& file);

} // namespace portico::host::ctl
