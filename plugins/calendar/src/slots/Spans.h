#pragma once

#include "portico/Instant.h"

#include <vector>

namespace portico::calendar
{

/// From an instant until before another.
struct Span
{
    Instant start{};
    Instant end{};
    auto operator<=>(const Span&) const = default;
};

/// Sorted spans with gaps between them: overlapping or adjacent ones are merged. A value.
class Spans
{
public:
    Spans() = default;
    /// In any order; empty ones are nothing.
    explicit Spans(std::vector<Span> spans);

    auto begin() const noexcept { return _spans.begin(); }
    auto end() const noexcept { return _spans.end(); }
    /// True if all of it lies in one of them.
    bool contains(const Span& span) const;
    /// Touching is none.
    bool overlaps(const Span& span) const;

private:
    std::vector<Span> _spans;
};

} // namespace portico::calendar
