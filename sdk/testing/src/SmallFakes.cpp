#include "host/plugins/package/Version.h"

#include "portico/Problem.h"
#include "portico/testing/FakeClock.h"
#include "portico/testing/FakeHttpClient.h"
#include "portico/testing/FakeLogger.h"
#include "portico/testing/FakeMetrics.h"
#include "portico/testing/FakeServices.h"

#include "portico/detail/FormBody.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace portico::testing
{

FakeClock::FakeClock() : FakeClock(parseInstant("2026-01-01T00:00:00Z").value()) {}
FakeClock::FakeClock(Instant start) : _wallMillis(toMillis(start)) {}
FakeClock::~FakeClock() = default;

Instant FakeClock::now() const noexcept { return fromMillis(_wallMillis.load()); }

std::chrono::steady_clock::time_point FakeClock::steady() const noexcept
{
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(_steadyMillis.load()));
}

void FakeClock::advance(std::chrono::milliseconds time) noexcept
{
    _wallMillis += time.count();
    _steadyMillis += time.count();
}

void FakeClock::jumpTo(Instant instant) noexcept { _wallMillis = toMillis(instant); }

FakeLogger::~FakeLogger() = default;

void FakeLogger::write(LogLevel level, std::string_view text, Fields fields)
{
    Record record{level, std::string(text), {}};
    for (const auto& [name, value] : fields) record.fields.insert_or_assign(std::string(name), std::string(value));
    const std::lock_guard lock(_mutex);
    _records.push_back(std::move(record));
}

std::vector<FakeLogger::Record> FakeLogger::records() const
{
    const std::lock_guard lock(_mutex);
    return _records;
}

bool FakeLogger::mentions(std::string_view text) const
{
    const auto has = [text](const std::string& value) { return value.find(text) != std::string::npos; };
    const std::lock_guard lock(_mutex);
    return std::any_of(_records.begin(), _records.end(),
                       [&](const Record& record)
                       {
                           return has(record.text) || std::any_of(record.fields.begin(), record.fields.end(),
                                                                  [&](const auto& field) { return has(field.first) || has(field.second); });
                       });
}

FakeMetrics::~FakeMetrics() = default;

FakeMetrics::Key FakeMetrics::keyOf(std::string_view name, Labels labels)
{
    Key key{std::string(name), {}};
    for (const auto& [label, value] : labels) key.second.insert_or_assign(std::string(label), std::string(value));
    return key;
}

void FakeMetrics::count(std::string_view name, double amount, Labels labels)
{
    const std::lock_guard lock(_mutex);
    _counters[keyOf(name, labels)] += amount;
}

void FakeMetrics::gauge(std::string_view name, double value, Labels labels)
{
    const std::lock_guard lock(_mutex);
    _gauges[keyOf(name, labels)] = value;
}

void FakeMetrics::observe(std::string_view name, double seconds, Labels labels)
{
    const std::lock_guard lock(_mutex);
    _observations[keyOf(name, labels)].push_back(seconds);
}

double FakeMetrics::counted(std::string_view name, Labels labels) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _counters.find(keyOf(name, labels));
    return found == _counters.end() ? 0 : found->second;
}

double FakeMetrics::gauged(std::string_view name, Labels labels) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _gauges.find(keyOf(name, labels));
    return found == _gauges.end() ? 0 : found->second;
}

std::vector<double> FakeMetrics::observed(std::string_view name, Labels labels) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _observations.find(keyOf(name, labels));
    return found == _observations.end() ? std::vector<double>{} : found->second;
}

namespace
{

std::string textOf(const FileBody& file)
{
    std::string text(static_cast<std::size_t>(file.size), '\0');
    if (::pread(file.descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("the file of a request's body cannot be read");
    return text;
}

} // namespace

FakeHttpClient::~FakeHttpClient() = default;

HttpClient::Response FakeHttpClient::send(const Request& request)
{
    Answer answer;
    auto kept = request;
    if (request.bodyFile != nullptr) kept.body = textOf(*request.bodyFile);
    if (!request.form.empty())
    {
        const auto form = detail::formBody(request.form);
        kept.headers.emplace_back("Content-Type", form.contentType);
        for (const auto& piece : form.pieces) kept.body += piece.text + (piece.file == nullptr ? std::string() : textOf(*piece.file));
    }
    kept.form.clear();
    kept.bodyFile = nullptr;
    kept.bodyInto = nullptr;
    {
        const std::lock_guard lock(_mutex);
        _requests.push_back(std::move(kept));
        answer = _answer;
    }
    if (!answer) throw HttpFailure(502, "upstream_failed", "The test has not said what this server answers.", HttpFailure::Sent::NotSent);
    auto response = answer(request);
    if (response.url.empty()) response.url = request.url;
    response.bodyBytes = response.body.size();
    if (request.bodyInto == nullptr || response.status < 200 || response.status > 299) return response;
    request.bodyInto->write(std::exchange(response.body, {}));
    return response;
}

void FakeHttpClient::requireAllowed(std::string_view url) const
{
    const std::lock_guard lock(_mutex);
    for (const auto& beginning : _refused)
        if (url.starts_with(beginning))
            throw HttpFailure(400, "address_not_allowed", "The test does not allow this address.", HttpFailure::Sent::NotSent);
}

void FakeHttpClient::refuse(std::string_view beginning)
{
    const std::lock_guard lock(_mutex);
    _refused.emplace_back(beginning);
}

bool FakeHttpClient::isAllowedByOperator(std::string_view url) const
{
    const std::lock_guard lock(_mutex);
    return std::any_of(_allowed.begin(), _allowed.end(), [&](const std::string& beginning) { return url.starts_with(beginning); });
}

void FakeHttpClient::allow(std::string_view beginning)
{
    const std::lock_guard lock(_mutex);
    _allowed.emplace_back(beginning);
}

void FakeHttpClient::answer(Answer answer)
{
    const std::lock_guard lock(_mutex);
    _answer = std::move(answer);
}

void FakeHttpClient::respond(int status, std::string_view body)
{
    answer(
        [status, text = std::string(body)](const Request&)
        {
            Response response;
            response.status = status;
            response.body = text;
            return response;
        });
}

std::vector<HttpClient::Request> FakeHttpClient::requests() const
{
    const std::lock_guard lock(_mutex);
    return _requests;
}

namespace
{

/// Needs no lease: the test's objects outlive it.
class NoLease final : public LeaseHandle
{
};

} // namespace

FakeServices::FakeServices(std::shared_ptr<const host::plugins::Manifest> manifest) : _manifest(std::move(manifest)) {}
FakeServices::~FakeServices() = default;

void FakeServices::withdraw(std::string_view interfaceName)
{
    if (const auto found = _offered.find(interfaceName); found != _offered.end()) _offered.erase(found);
}

void FakeServices::provideInterface(std::string_view name, std::string_view version, ServiceInterface& implementation)
{
    host::plugins::requireProvided(*_manifest, name, version);
    _provided.insert_or_assign(std::string(name), &implementation);
}

std::unique_ptr<LeaseHandle> FakeServices::findInterface(std::string_view name, std::string_view version, ServiceInterface*& found)
{
    host::plugins::requireNeeded(*_manifest, name);
    const auto offered = _offered.find(name);
    return offered == _offered.end() ? nullptr : findInterfaceOf(offered->second.begin()->first, name, version, found);
}

std::vector<std::string> FakeServices::interfaceProviders(std::string_view name, std::string_view version)
{
    const auto& need = host::plugins::requireNeeded(*_manifest, name);
    std::vector<std::string> services;
    if (const auto offered = _offered.find(name); offered != _offered.end())
        for (const auto& [serviceId, one] : offered->second)
            if (host::plugins::mayUse(need, version, one.version)) services.push_back(serviceId);
    return services;
}

std::unique_ptr<LeaseHandle> FakeServices::findInterfaceOf(std::string_view serviceId, std::string_view name, std::string_view version,
                                                           ServiceInterface*& found)
{
    const auto& need = host::plugins::requireNeeded(*_manifest, name);
    const auto offered = _offered.find(name);
    if (offered == _offered.end()) return nullptr;
    const auto one = offered->second.find(serviceId);
    if (one == offered->second.end() || !host::plugins::mayUse(need, version, one->second.version)) return nullptr;
    found = one->second.fake;
    return std::make_unique<NoLease>();
}

} // namespace portico::testing
