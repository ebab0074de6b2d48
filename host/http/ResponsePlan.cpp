#include "host/http/ResponsePlan.h"

namespace portico::host::http
{

void ResponsePlan::clear()
{
    body = Body::None;
    length.reset();
    fileOffset = 0;
    headers.clear();
    weakTag = false;
}

void ResponsePlan::makePlain(const Exchange& exchange)
{
    clear();
    length = exchange.response.body.size();
    body = exchange.request.method == Method::Head ? Body::None : Body::Memory;
}

void ResponsePlan::make(Exchange& exchange, const ServerSettings&, Application&)
{
    Response& response = exchange.response;
    makePlain(exchange);
    if (response.source)
    {
        length = response.source->size();
        if (body != Body::None) body = Body::Source;
    }
    if (response.status == 204 || response.status == 304)
    {
        length.reset();
        body = Body::None;
    }
    // On a worker, if there is one: giving back what a source holds may take time.
    if (body == Body::None) response.source.reset();
}

} // namespace portico::host::http
