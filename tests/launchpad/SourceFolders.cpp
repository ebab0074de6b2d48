#include "launchpad/SourceFolders.h"

namespace portico::tests
{

std::string launchpadPluginFolder() { return LAUNCHPAD_PLUGIN; }

} // namespace portico::tests
