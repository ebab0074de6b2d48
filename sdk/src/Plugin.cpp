#include "portico/Plugin.h"

namespace portico
{

Context::~Context() = default;
Plugin::~Plugin() = default;

} // namespace portico
