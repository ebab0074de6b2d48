#pragma once

#include "portico/Problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// Faults found in one input, each with its path. Custom rules (`checkedBy`) add to it.
class PORTICO_API Faults
{
public:
    void add(std::string field, std::string_view code, std::string_view message);
    void addUnknown(std::string field);
    /// Adds the faults of fields that have none here, neither on the field itself nor on a record or list that contains it.
    void addRest(const Faults& others);
    bool empty() const noexcept { return _errors.empty(); }
    /// @throws Problem 400 `unknown_field` if members were unknown, else `validation_failed`; returns if there are none.
    void raise();

private:
    std::vector<FieldError> _errors;
    bool _unknown = false;
};

} // namespace portico
