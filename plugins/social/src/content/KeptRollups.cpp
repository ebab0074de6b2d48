#include "content/KeptRollups.h"

namespace portico::social
{

std::optional<Reply<Rollups>> KeptRollups::find(const std::string& question, const std::string& chainEnd) const
{
    const std::lock_guard lock(_mutex);
    const auto kept = _kept.find(question);
    if (kept == _kept.end() || kept->second.chainEnd != chainEnd) return std::nullopt;
    return kept->second.reply;
}

void KeptRollups::keep(const std::string& question, const std::string& chainEnd, const Reply<Rollups>& reply)
{
    const std::lock_guard lock(_mutex);
    if (_kept.size() == most && !_kept.contains(question)) _kept.clear();
    _kept.insert_or_assign(question, Kept{chainEnd, reply});
}

} // namespace portico::social
