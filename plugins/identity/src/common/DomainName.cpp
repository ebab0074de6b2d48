#include "common/DomainName.h"

#include <algorithm>

namespace portico::identity::domains
{

bool isDomain(std::string_view text) noexcept
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    std::size_t labels = 0;
    while (!text.empty())
    {
        const auto label = text.substr(0, text.find('.'));
        const bool fits = !label.empty() && label.size() <= 63 && plain(label.front()) && plain(label.back()) &&
                          std::ranges::all_of(label, [&](char c) { return plain(c) || c == '-'; });
        if (!fits) return false;
        ++labels;
        if (label.size() == text.size()) return labels > 1;
        text.remove_prefix(label.size() + 1);
    }
    return false;
}

} // namespace portico::identity::domains
