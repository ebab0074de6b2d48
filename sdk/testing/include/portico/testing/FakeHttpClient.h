#pragma once

#include "portico/HttpClient.h"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Answers with the test's responses and records requests, including the bodies of files. Without a response every request fails with 502
/// `upstream_failed`. Thread-safe.
class PORTICO_API FakeHttpClient final : public HttpClient
{
public:
    using Answer = std::function<Response(const Request&)>;

    ~FakeHttpClient() override;
    Response send(const Request& request) override;
    void requireAllowed(std::string_view url) const override;
    bool isAllowedByOperator(std::string_view url) const override;

    /// Sets the answer to every later request; throw a Problem to simulate an unreachable server.
    void answer(Answer answer);
    /// The same answer to every request.
    void respond(int status, std::string_view body = {});
    /// `requireAllowed` refuses addresses that begin so.
    void refuse(std::string_view beginning);
    /// The operator has named addresses that begin so.
    void allow(std::string_view beginning);
    std::vector<Request> requests() const;

private:
    mutable std::mutex _mutex;
    Answer _answer;
    std::vector<Request> _requests;
    std::vector<std::string> _refused;
    std::vector<std::string> _allowed;
};

} // namespace portico::testing
