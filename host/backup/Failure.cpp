#include "host/backup/Failure.h"

#include <cerrno>
#include <system_error>

namespace portico::host::backup
{

void throwErrno(int error, const std::string& what, const std::filesystem::path& path)
{
    const bool full = error == ENOSPC || error == EDQUOT;
    throw Failure(full ? "disk_full" : "io_failed", "Cannot " + what + " " + path.string() + ": " + std::generic_category().message(error) +
                                                        (full ? ". Make room, or choose another place." : "."));
}

} // namespace portico::host::backup
