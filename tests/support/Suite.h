#pragma once

#include "portico/testing/Suite.h"

namespace portico::tests
{
using testing::equal;
using testing::refused;
using testing::Suite;
} // namespace portico::tests
