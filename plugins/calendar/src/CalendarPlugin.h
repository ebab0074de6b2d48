#pragma once

#include "portico/Plugin.h"

namespace portico::calendar
{

/// The calendar service: ties its resources together.
class CalendarPlugin final : public Plugin
{
public:
    explicit CalendarPlugin(PluginContext& context) : _context(context) {}

    void declare(Routes& routes) override;

private:
    PluginContext& _context;
};

} // namespace portico::calendar
