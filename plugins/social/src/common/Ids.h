#pragma once

#include "portico/Id.h"
#include "portico/Tenant.h"

namespace portico::social
{

using BrandId = Id<"brd">;
using PostId = Id<"pst">;
using ContentId = Id<"cnt">;
using TargetId = Id<"tgt">;
using AttemptId = Id<"att">;
using MediaId = Id<"med">;
using UploadId = Id<"upl">;
using IntegrationId = Id<"itg">;
using SourceItemId = Id<"src">;
using TrendSourceId = Id<"tsr">;
using SeedId = Id<"sed">;
using EventId = Id<"cev">;

} // namespace portico::social
