#pragma once

#include "media/Boxes.h"

namespace portico::social
{

/// Returns the parts of a WebM file with tags and attachments (RFC 9559), as free space of the same size. The bytes of clusters are not
/// read.
/// @throws MediaFault `truncated`, `malformed`
std::vector<BlankedPart> webmMetadata(const ReadBytes& read, std::uint64_t size);

} // namespace portico::social
