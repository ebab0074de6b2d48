#pragma once

#include "host/http/Application.h"
#include "host/http/Server.h"

#include <functional>
#include <string>

namespace portico::host::admin
{

/// Serves `/metrics` on a listener of its own, apart from the services: what it tells is for the operator only.
class MetricsEndpoint final : private http::Application
{
public:
    /// @param address such as `127.0.0.1:9464`. @throws std::runtime_error that names the address and what is wrong
    MetricsEndpoint(const std::string& address, std::function<std::string()> text);
    ~MetricsEndpoint() override;

    const std::string& address() const noexcept { return _address; }

private:
    http::Admission admit(http::Exchange& exchange) noexcept override;
    bool prepare(http::Exchange&) noexcept override { return true; }
    void handle(http::Exchange& exchange) noexcept override;
    void refuse(http::Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept override;
    void finished(http::Exchange&) noexcept override {}

    const std::function<std::string()> _text;
    http::Server _server;
    std::string _address;
};

} // namespace portico::host::admin
