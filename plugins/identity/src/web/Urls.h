#pragma once

#include "portico/Text.h"
#include "portico/Url.h"
