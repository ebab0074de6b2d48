#include "portico/Widget.h"

#include "portico/Problem.h"
#include "portico/Text.h"

namespace portico
{

namespace
{

// Limits of the contract.
constexpr std::size_t maxMetrics = 6, maxItems = 10, maxSeries = 2, maxPoints = 60, maxActions = 4;
constexpr std::size_t longestTitle = 80, longestSummary = 160, longestText = 200;

void cut(std::string& text, std::size_t most = longestText) { text.resize(firstCharacters(text, most).size()); }
void cut(std::optional<std::string>& text)
{
    if (text) cut(*text);
}
template <class T>
void cut(std::vector<T>& list, std::size_t most)
{
    if (list.size() > most) list.resize(most);
}

void fit(WidgetMetric& metric)
{
    cut(metric.label);
    cut(metric.unit);
}
void fit(WidgetItem& item)
{
    cut(item.title, longestTitle);
    cut(item.subtitle);
    cut(item.badge);
}
void fit(WidgetSeries& series)
{
    cut(series.label);
    cut(series.unit);
    cut(series.points, maxPoints);
}
void fit(WidgetAction& action) { cut(action.label); }
void fit(WidgetEmptyState& state)
{
    cut(state.title, longestTitle);
    cut(state.body);
    if (state.action) fit(*state.action);
}
void fit(WidgetSetup& setup)
{
    cut(setup.title, longestTitle);
    cut(setup.body);
}
void fit(WidgetLink& link) { cut(link.label); }

template <class T>
void fitAll(std::vector<T>& list, std::size_t most)
{
    cut(list, most);
    for (auto& each : list) fit(each);
}

/// Returns the caller's context, if the query means it: an organization has no household, and a person no organization.
WidgetContext contextOf(const WidgetQuery& query, const Caller& caller)
{
    WidgetContext context{caller.organizationId.empty() ? "personal" : "organization", {}, {}};
    if (!caller.organizationId.empty()) context.organizationId = caller.organizationId;
    const bool asHousehold = !query.householdId.empty() && context.kind == "personal";
    if (asHousehold) context.householdId = query.householdId;
    const bool sameKind = query.context.empty() || query.context == context.kind || (asHousehold && query.context == "household");
    const bool same = sameKind && (query.organizationId.empty() || query.organizationId == caller.organizationId) &&
                      (query.householdId.empty() || (asHousehold && query.householdId == caller.householdId));
    if (!same) throw Problem::forbidden("permission_denied", "This is not the caller's context.");
    return context;
}

void checkLocale(std::string_view locale)
{
    constexpr std::size_t longest = 35; // RFC 5646, 4.4.1
    constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    if (locale.size() > longest || locale.find_first_not_of(characters) != std::string_view::npos)
        throw Problem::invalid("locale", "invalid_value", "Not a language tag");
}

} // namespace

Widget Widget::answering(const WidgetQuery& query, const Caller& caller, std::string_view widgetId, std::string_view serviceId, Instant now)
{
    Widget widget;
    widget.context = contextOf(query, caller);
    checkLocale(query.locale);
    if (query.widgetId != widgetId) throw Problem(404, "widget_not_found", "There is no such widget.");
    widget.widgetId = widgetId;
    widget.serviceId = serviceId;
    widget.generatedAt = now;
    return widget;
}

Widget& Widget::fit()
{
    cut(title, longestTitle);
    cut(summary, longestSummary);
    fitAll(metrics, maxMetrics);
    fitAll(items, maxItems);
    fitAll(series, maxSeries);
    fitAll(actions, maxActions);
    if (emptyState) portico::fit(*emptyState);
    if (setup) portico::fit(*setup);
    if (more) portico::fit(*more);
    return *this;
}

} // namespace portico
