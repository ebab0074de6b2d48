#pragma once

#include "audit/AuditTrail.h"
#include "content/ContentItem.h"
#include "media/Media.h"
#include "media/MediaLinks.h"
#include "networks/Publication.h"

#include <string>
#include <vector>

namespace portico::social
{

/// Checks that the brand has files with these ids that are ready.
/// @throws Problem 400 `validation_failed` about the first that is not: `unknown_media`, `media_not_ready`
void requireMedia(Session& session, Tenant tenant, const BrandId& brand, const std::vector<MediaId>& ids, const std::string& field);

/// Adds the files of an item to its publication, with the alternative texts of the item or otherwise of the files. Deleted files are
/// omitted.
/// @return whether all files exist
/// @param links for URLs from which a receiver fetches the files; null: not needed
bool addFiles(Session& session, Tenant tenant, const ContentItem& item, const MediaLinks* links, Instant now, Publication& publication);

/// Replaces the files that need a copy for a network by the copies that will be sent, as far as that is known without making them.
/// @return whether there are any
bool expectCopies(Session& session, Tenant tenant, const BrandId& brand, const NetworkLimits& limits, Publication& publication);

/// Counts the items that refer to a file and may still be published; a post without such an item counts as one.
std::int64_t itemsWithMedia(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id);

/// Returns whether an item with an approval is going to be published with the alternative text of the file.
bool isApprovedWithMedia(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id);

/// Edits the items that show the alternative text of the file and wait for their first approval: a user who has read the older text cannot
/// approve them.
void reviseItemsWithMedia(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, const MediaId& id,
                          const Doer& doer);

} // namespace portico::social
