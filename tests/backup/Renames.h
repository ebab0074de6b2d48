#pragma once

namespace portico::test
{

/// Ends this process by SIGKILL before the rename of that number (from 1) is done; 0: never. The suite's own `rename` counts.
void dieBeforeRename(int number) noexcept;
int renamesDone() noexcept;

} // namespace portico::test
