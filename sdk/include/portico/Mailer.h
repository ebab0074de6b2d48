#pragma once

#include "portico/Export.h"

#include <string>

namespace portico
{

class Session;

struct Mail
{
    std::string to;
    std::string subject;
    std::string text;
    /// Optional HTML alternative.
    std::string html;
};

/// Sends mail after the transaction that asked for it, at least once. Thread-safe.
class PORTICO_API Mailer
{
public:
    virtual ~Mailer();
    /// Queues the mail in the caller's transaction. @throws Problem 400 for an address that cannot be written to.
    virtual void send(Session& session, const Mail& mail) = 0;
};

} // namespace portico
