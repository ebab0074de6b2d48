#pragma once

#include "portico/Plugin.h"
#include "portico/interfaces/BindableResources.h"

namespace portico::social
{

/// Lists the brands of an organization for users who create API keys that are restricted to brands. Thread-safe.
class BindableBrands final : public interfaces::BindableResources
{
public:
    explicit BindableBrands(PluginContext& context) : _context(context) {}

    std::vector<interfaces::BindableResource> list(const Caller& caller, std::string_view type, std::string_view words,
                                                   std::string_view after, std::size_t limit) override;
    std::optional<interfaces::BindableResource> find(const Caller& caller, std::string_view type, std::string_view id) override;

private:
    PluginContext& _context;
};

} // namespace portico::social
