#include "CrmBench.h"

#include <boost/json.hpp>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include <ctime>

namespace portico::tests
{

namespace
{

using Clock = std::chrono::steady_clock;

std::string lower(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

double at(const std::vector<double>& sorted, double share)
{
    return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

/// Processor time of this thread.
double processorMilliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

} // namespace

BenchNames::BenchNames(std::vector<std::string> common, std::size_t count, std::mt19937& random) : _names(std::move(common))
{
    constexpr std::array syllables{"an",  "ber", "ca", "do",  "el", "fer", "gra", "hol", "in", "jo", "ka", "lin", "mar",  "no",  "os",
                                   "per", "qui", "ra", "sen", "ta", "ul",  "ver", "win", "xi", "ya", "zu", "sch", "mann", "ton", "ley"};
    while (_names.size() < count)
    {
        std::string name;
        for (std::size_t i = 2 + random() % 2; i > 0; --i) name += syllables[random() % syllables.size()];
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        _names.push_back(std::move(name));
    }
}

const std::string& BenchNames::pick(std::mt19937& random) const
{
    const double spread = std::pow(std::uniform_real_distribution<>(0, 1)(random), 2.5);
    return _names[static_cast<std::size_t>(spread * static_cast<double>(_names.size()))];
}

BenchWorld::BenchWorld()
    : _first({"Anna", "Maria", "Michael", "Thomas",   "Andreas", "Peter",     "Stefan", "Christian", "Johanna", "Daniel",
              "Zoë",  "José",  "Jürgen",  "François", "Li",      "Alexander", "Andrea", "Martin",    "Susanne", "Julia"},
             1500, _random),
      _last({"Müller", "Schmidt", "Schneider", "Fischer", "Weber",    "Meyer",     "Wagner", "Becker",  "Schulz",      "Hoffmann",
             "Smith",  "Johnson", "Garcia",    "Nguyen",  "Kowalski", "Andersson", "Wang",   "O'Neill", "Goldschmidt", "Lehmann"},
            12000, _random),
      _company({"Acme", "Globex", "Initech", "Umbrella", "Stark", "Wayne", "Hansa", "Nordwind", "Andromeda", "Analytik"}, 8000, _random)
{
}

crm::Contact BenchWorld::contact(int number)
{
    crm::Contact made;
    made.firstName = _first.pick(_random);
    made.lastName = _last.pick(_random);
    made.displayName = made.firstName + ' ' + made.lastName;
    if (_random() % 3 != 0) made.companyName = _company.pick(_random) + (_random() % 2 == 0 ? " GmbH" : " Inc.");
    const auto domain =
        made.companyName.empty() ? std::string("mail.example") : lower(made.companyName.substr(0, made.companyName.find(' '))) + ".example";
    made.emails.push_back(
        {lower(made.firstName) + '.' + lower(made.lastName) + std::to_string(number % 1000) + '@' + domain, "work", true});
    made.phones.push_back(
        {"+49 " + std::to_string(150 + _random() % 30) + ' ' + std::to_string(1000000 + _random() % 9000000), {}, "work", true});
    made.phones.front().e164 = "+49" + made.phones.front().number.substr(4, 3) + made.phones.front().number.substr(8);
    made.tags = {"t" + std::to_string(_random() % 40)};
    made.source = crm::ContactSource::Import;
    made.createdAt = made.updatedAt = fromMillis(1'780'000'000'000 + number);
    made.id = crm::ContactId::make(made.createdAt);
    return made;
}

CrmBench::CrmBench(const std::string& url)
    : _url(url),
      _caller(testing::userOf("org_" + makeUlid(Instant{}),
                              {"crm.contacts:read", "crm.contacts:write", "crm.pipeline:move", "crm.pipeline:read"}))
{
    const testing::TestSettings settings{.pluginDirectory = CRM_PLUGIN, .databaseUrl = url};
    _host = std::make_unique<testing::TestHost>(settings, [](PluginContext& context) { return std::make_unique<crm::CrmPlugin>(context); });
}

double CrmBench::fill(int contacts, const std::function<void(Transaction&, const crm::Contact&)>& also)
{
    const crm::ContactStore store;
    const auto start = Clock::now();
    for (int done = 0; done < contacts;)
        _host->context().database().transact(
            [&](Transaction& transaction)
            {
                for (int i = 0; i < 500 && done < contacts; ++i, ++done)
                {
                    auto contact = _world.contact(done);
                    store.insert(transaction, _caller.tenant(), contact);
                    if (also) also(transaction, contact);
                    if (done % 97 == 0) _samples.push_back(std::move(contact));
                }
            });
    return contacts / std::chrono::duration<double>(Clock::now() - start).count();
}

void CrmBench::analyze()
{
    if (_url.empty()) return;
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(_url.c_str()), &PQfinish);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), "VACUUM ANALYZE"), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
}

BenchTime CrmBench::get(const std::string& target)
{
    const auto start = Clock::now();
    const auto begun = processorMilliseconds();
    const auto response = _host->call(Method::Get, target, {}, _caller);
    const BenchTime time{std::chrono::duration<double, std::milli>(Clock::now() - start).count(), processorMilliseconds() - begun};
    if (response.status != 200) throw std::runtime_error(target + ": " + response.body);
    return time;
}

void printTimesHead() { std::printf("%-28s%10s%10s%10s%10s%10s%10s\n", "", "median", "p95", "p99", "most", "CPU", "CPU p95"); }

void printTimes(const char* name, const std::vector<BenchTime>& times)
{
    std::vector<double> elapsed, processor;
    for (const auto& time : times)
    {
        elapsed.push_back(time.elapsed);
        processor.push_back(time.processor);
    }
    std::sort(elapsed.begin(), elapsed.end());
    std::sort(processor.begin(), processor.end());
    std::printf("%-28s%10.2f%10.2f%10.2f%10.2f%10.2f%10.2f\n", name, at(elapsed, 0.5), at(elapsed, 0.95), at(elapsed, 0.99), elapsed.back(),
                at(processor, 0.5), at(processor, 0.95));
    std::fflush(stdout);
}

std::string encoded(std::string_view text)
{
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            out += c;
        else
            (out += '%') += {hex[byte >> 4], hex[byte & 15]};
    }
    return out;
}

} // namespace portico::tests
