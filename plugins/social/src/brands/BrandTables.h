#pragma once

#include <array>
#include <string_view>

namespace portico::social
{

/// A table whose rows belong to a brand: columns `organization_id` and `brand_id`.
struct BrandTable
{
    std::string_view table;
    /// Name of its rows in the answer of a transfer; empty: they are not counted there.
    std::string_view counted = {};
};

/// All of them but `queue_count`, which triggers of `content_item` write. A transfer changes `organization_id` in each; a test compares the
/// list with the database.
inline constexpr std::array brandTables = {BrandTable{"audit_event", "events"},
                                           BrandTable{"brand_chain"},
                                           BrandTable{"integration", "integrations"},
                                           BrandTable{"post", "posts"},
                                           BrandTable{"media", "media"},
                                           BrandTable{"media_copy"},
                                           BrandTable{"content_item", "items"},
                                           BrandTable{"taken_slot"},
                                           BrandTable{"publish_attempt", "attempts"},
                                           BrandTable{"trend_source", "trendSources"},
                                           BrandTable{"source_item", "sourceItems"},
                                           BrandTable{"seed", "seeds"},
                                           BrandTable{"post_numbers"}};

} // namespace portico::social
