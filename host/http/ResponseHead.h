#pragma once

#include "host/http/Application.h"
#include "host/http/ResponsePlan.h"

#include <string>
#include <string_view>

namespace portico::host::http
{

/// What the server knows of the message that carries a response.
struct MessageContext
{
    /// Value of Date.
    std::string_view date;
    bool keepAlive = true;
    bool http10 = false;
    /// The body is chunked.
    bool chunked = false;
    /// Seconds of Strict-Transport-Security; 0: none.
    long long strictTransportSecurity = 0;
};

/// Appends status line and headers. Those that every answer has are added unless the application has set them itself.
void appendResponseHead(std::string& out, const Exchange& exchange, const ResponsePlan& plan, const MessageContext& context);

} // namespace portico::host::http
