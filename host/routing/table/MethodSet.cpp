#include "host/routing/table/MethodSet.h"

namespace portico::host::routing
{

std::string MethodSet::list() const
{
    MethodSet shown = *this;
    if (has(Method::Get)) shown.add(Method::Head);
    std::string text;
    for (std::size_t i = 0; i < methodCount; ++i)
    {
        const auto method = static_cast<Method>(i);
        if (method != Method::Options && shown.has(method)) text.append(name(method)).append(", ");
    }
    return text.append(name(Method::Options));
}

MethodSet MethodSet::all() noexcept
{
    MethodSet set;
    set._bits = (1U << methodCount) - 1;
    return set;
}

} // namespace portico::host::routing
