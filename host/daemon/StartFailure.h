#pragma once

#include <stdexcept>

namespace portico::host::daemon
{

/// The daemon cannot start, or go on starting. `what()` is a sentence for the operator that ends with the remedy.
class StartFailure : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The configuration is wrong; the mistakes have been written to the log or the terminal. Another exit status, so that systemd does not try
/// again.
class ConfigurationFailure : public StartFailure
{
public:
    using StartFailure::StartFailure;
};

} // namespace portico::host::daemon
