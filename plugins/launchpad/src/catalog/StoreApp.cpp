#include "catalog/StoreApp.h"

#include "portico/Json.h"

namespace portico::launchpad
{

StoreAppText textOf(const StoreApp& app)
{
    FieldSelection before, after;
    bool passed = false;
    const auto sort = [&](std::string_view name)
    {
        if (name == "commerce")
            passed = true;
        else
            (passed ? after : before).emplace_back(name);
    };
    fieldsOf<StoreApp>().apply([&](const auto&... fields) { (sort(fields.name), ...); });
    StoreAppText text{{""}, {toJson(app.commerce)}, {""}};
    appendJson(text.begin.text, app, before);
    appendJson(text.end.text, app, after);
    return text;
}

} // namespace portico::launchpad
