#include "social/SourceFolders.h"

namespace portico::tests
{

std::string socialPluginFolder() { return SOCIAL_PLUGIN; }
std::string socialTestFolder() { return SOCIAL_TESTS; }

} // namespace portico::tests
