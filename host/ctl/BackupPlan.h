#pragma once

#include "host/backup/BackupMaker.h"

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>

namespace portico::host::ctl
{

/// What the daemon, which runs as `daemon`, answered to `backup.begin`. `tick` is called while another program works. @throws
/// backup::BackupError for what cannot be backed up from here
backup::Plan planOf(const boost::json::value& answer, const backup::User& daemon, const std::function<void()>& tick);
/// The first line, which root reads with no more rights than those of `reader`; empty for an empty name. @throws backup::BackupError
std::string secretIn(const std::string& file, const std::optional<backup::User>& reader = {});

} // namespace portico::host::ctl
