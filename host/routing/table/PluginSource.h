#pragma once

#include "host/plugins/runtime/PluginScope.h"

#include "portico/Response.h"

#include <memory>
#include <utility>

namespace portico::host::routing
{

/// A plugin's body source, whose pieces are made, and which is destroyed, inside the plugin: see PluginScope.
class PluginSource final : public BodySource
{
public:
    PluginSource(std::unique_ptr<BodySource> source, const plugins::PluginTag& tag) noexcept : _source(std::move(source)), _tag(tag) {}
    PluginSource(const PluginSource&) = delete;
    PluginSource& operator=(const PluginSource&) = delete;
    ~PluginSource() override
    {
        const plugins::PluginScope scope(_tag);
        _source.reset();
    }
    std::optional<std::uint64_t> size() const override
    {
        const plugins::PluginScope scope(_tag);
        return _source->size();
    }
    bool read(std::string& out, std::size_t wanted) override
    {
        const plugins::PluginScope scope(_tag);
        return _source->read(out, wanted);
    }

private:
    std::unique_ptr<BodySource> _source;
    const plugins::PluginTag _tag;
};

} // namespace portico::host::routing
