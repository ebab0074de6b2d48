#pragma once

#include "trends/SeedRoutes.h"
#include "trends/SuggestionRoutes.h"
#include "trends/TrendRoutes.h"

namespace portico::social
{

/// Sources, trends, seeds and suggestions: everything of `trends`, as the plugin makes it.
class Trends
{
public:
    /// All of them outlive this.
    explicit Trends(const ContentTools& tools);
    Trends(const Trends&) = delete;
    Trends& operator=(const Trends&) = delete;

    void start();
    void declare(Routes& routes);

private:
    TrendService _service;
    const SeedService _seeds;
    TrendRoutes _trendRoutes;
    SeedRoutes _seedRoutes;
    SuggestionRoutes _suggestionRoutes;
};

} // namespace portico::social
