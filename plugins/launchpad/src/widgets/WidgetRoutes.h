#pragma once

#include "widgets/OwnFigures.h"
#include "widgets/WidgetBatch.h"
#include "widgets/WidgetNews.h"

#include "portico/Routes.h"
#include "portico/Widget.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// A widget that a dashboard can show.
struct CatalogWidget
{
    std::string serviceId;
    std::string widgetId;
    std::string title;
    std::vector<std::string> sizes;
    /// Sort key of the list, which the response does not contain.
    std::string place;
};

constexpr auto schemaOf(const CatalogWidget*)
{
    return describe(field<&CatalogWidget::serviceId>("service_id"),
                    members<&CatalogWidget::widgetId, &CatalogWidget::title, &CatalogWidget::sizes>());
}

/// `/api/widgets`, its catalog, and the launchpad's own widget. Thread-safe.
class WidgetRoutes
{
public:
    WidgetRoutes(PluginContext& context, WidgetBatch& batch, std::function<OwnFigures(const Caller&)> figures)
        : _context(context), _batch(batch), _figures(std::move(figures))
    {
    }
    void declare(Routes& routes);

    BatchAnswer batch(const Caller& caller, const Request& request, const Body<BatchInput>& input) const;
    Page<CatalogWidget> catalog(const Caller& caller, const Paging& paging) const;
    EventStream follow(const Caller& caller, const Request& request) const;
    Widget own(const Caller& caller, const Query<WidgetQuery>& query) const;

private:
    std::shared_ptr<const Caller> personOf(const Caller& caller, const Request& request) const;

    PluginContext& _context;
    WidgetBatch& _batch;
    const std::function<OwnFigures(const Caller&)> _figures;
};

/// Returns the first language that a browser asks for, `en` without one that can be read.
std::string localeOf(std::string_view acceptLanguage);

} // namespace portico::launchpad
