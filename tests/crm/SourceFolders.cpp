#include "SourceFolders.h"

namespace portico::tests
{
std::string manifestFile() { return CRM_MANIFEST; }

std::string pluginFolder() { return CRM_PLUGIN; }

std::string corpusFolder() { return CRM_CORPUS; }
} // namespace portico::tests
