#pragma once

#include "portico/Routes.h"

#include <string>

namespace portico::identity
{

/// Addresses of earlier versions, each with what has taken its place. Thread-safe.
class RemovedRoutes
{
public:
    void declare(Routes& routes);

    NoContent portal() const;
    NoContent portal1(const Path<std::string>&) const;
    NoContent portal2(const Path<std::string>&, const Path<std::string>&) const;
    NoContent portal3(const Path<std::string>&, const Path<std::string>&, const Path<std::string>&) const;
    NoContent portal4(const Path<std::string>&, const Path<std::string>&, const Path<std::string>&, const Path<std::string>&) const;
    NoContent submissions() const;
    NoContent builds() const;
};

} // namespace portico::identity
