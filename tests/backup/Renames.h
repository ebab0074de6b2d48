#pragma once

namespace portico::test
{

/// Kills this process by SIGKILL before the rename of that number (from 1); 0: never. Only renames through the suite's own `rename` are
/// counted.
void dieBeforeRename(int number) noexcept;
int renamesDone() noexcept;

} // namespace portico::test
