#pragma once

#include "support/Postgres.h"

#include "CrmPlugin.h"

#include "portico/testing/TestHost.h"

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace portico::tests
{

/// Names as they are spread in life: few are very common, most are rare.
class BenchNames
{
public:
    BenchNames(std::vector<std::string> common, std::size_t count, std::mt19937& random);
    const std::string& pick(std::mt19937& random) const;

private:
    std::vector<std::string> _names;
};

/// Contacts as a company has them, the same ones in each run.
class BenchWorld
{
public:
    BenchWorld();
    crm::Contact contact(int number);
    std::mt19937& random() { return _random; }

private:
    std::mt19937 _random{20261121};
    BenchNames _first;
    BenchNames _last;
    BenchNames _company;
};

/// Milliseconds; of the processor only what this process used, so not PostgreSQL's.
struct BenchTime
{
    double elapsed = 0;
    double processor = 0;
};

/// The service on one engine with many contacts of one organization.
class CrmBench
{
public:
    /// @param url Of an empty PostgreSQL database; empty: SQLite.
    explicit CrmBench(const std::string& url);

    Caller& caller() { return _caller; }
    BenchWorld& world() { return _world; }
    testing::TestHost& host() { return *_host; }
    /// A part of the contacts.
    const std::vector<crm::Contact>& samples() const { return _samples; }

    /// Stores contacts, 500 to a transaction, and what `also` stores with each. Contacts a second.
    double fill(int contacts, const std::function<void(Transaction&, const crm::Contact&)>& also = {});
    /// Updates the planner's statistics, as PostgreSQL does some time after many writes.
    void analyze();
    /// Time of a GET. @throws std::runtime_error when it is not answered by 200.
    BenchTime get(const std::string& target);

private:
    std::string _url;
    Caller _caller;
    BenchWorld _world;
    std::unique_ptr<testing::TestHost> _host;
    std::vector<crm::Contact> _samples;
};

void printTimesHead();
void printTimes(const char* name, const std::vector<BenchTime>& times);

/// Percent-encoded.
std::string encoded(std::string_view text);

} // namespace portico::tests
