#include "slots/Spans.h"

#include <algorithm>
#include <iterator>

namespace portico::calendar
{

Spans::Spans(std::vector<Span> spans)
{
    std::erase_if(spans, [](const Span& span) { return span.start >= span.end; });
    std::sort(spans.begin(), spans.end());
    for (const auto& span : spans)
    {
        if (_spans.empty() || span.start > _spans.back().end)
            _spans.push_back(span);
        else
            _spans.back().end = std::max(_spans.back().end, span.end);
    }
}

bool Spans::contains(const Span& span) const
{
    const auto after = std::upper_bound(begin(), end(), span.start, [](Instant at, const Span& each) { return at < each.start; });
    return after != begin() && span.end <= std::prev(after)->end;
}

bool Spans::overlaps(const Span& span) const
{
    const auto after = std::lower_bound(begin(), end(), span.end, [](const Span& each, Instant at) { return each.start < at; });
    return after != begin() && span.start < std::prev(after)->end;
}

} // namespace portico::calendar
