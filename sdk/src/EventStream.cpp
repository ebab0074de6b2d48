#include "portico/EventStream.h"

#include "portico/Results.h"

namespace portico
{

Channels::~Channels() = default;
detail::Waker::~Waker() = default;
detail::LiveBody::~LiveBody() = default;

namespace detail
{

void writeEvents(Response& response, const Request& request, const EventStream& stream)
{
    response.live = stream.channels.open(stream, request);
    response.contentType = "text/event-stream";
    response.cacheControl = "no-store";
    // Else nginx gathers what should be there at once.
    response.addHeader("X-Accel-Buffering", "no");
}

} // namespace detail

} // namespace portico
