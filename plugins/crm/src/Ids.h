#pragma once

#include "portico/Id.h"

namespace portico::crm
{

using ContactId = Id<"con">;
using NoteId = Id<"not">;
using PipelineId = Id<"pip">;
using StageId = Id<"stg">;
using HistoryId = Id<"phi">;
using AttachmentId = Id<"fil">;
using MergeId = Id<"mrg">;
using CustomFieldId = Id<"cfd">;
using ImportId = Id<"imp">;
using BulkId = Id<"blk">;
using UserId = Id<"usr">;

} // namespace portico::crm
