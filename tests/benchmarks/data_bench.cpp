// Point reads and small writes through host/data beside the raw libraries: `data_bench [seconds per measurement]`. Prints ratios.

#include "support/Postgres.h"
#include "support/TestDatabase.h"

#include <libpq-fe.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace portico::tests
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr int records = 10'000;
constexpr const char* pointRead = "SELECT id, name, email, version FROM contact WHERE id = $1";

struct Contender
{
    std::string name;
    std::function<std::size_t(int)> run;
    std::vector<double> rates = {};
};

/// Runs a unit of work for a while; how many there were a second.
double rateOf(const std::function<std::size_t(int)>& run, double seconds)
{
    constexpr int batch = 64;
    const auto start = Clock::now();
    int done = 0;
    std::size_t bytes = 0;
    double elapsed = 0;
    do {
        for (int i = 0; i < batch; ++i) bytes += run((done + i) % records * 7919 % records);
        done += batch;
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    if (bytes == 0) std::abort(); // nothing was read: the measurement is void
    return done / elapsed;
}

/// Contenders take turns, so that what else the machine does falls on all; medians are compared with the first.
void compare(const char* title, std::vector<Contender> contenders, double seconds)
{
    for (int round = 0; round < 5; ++round)
        for (auto& contender : contenders) contender.rates.push_back(rateOf(contender.run, seconds / 5));
    std::printf("%s\n", title);
    double first = 0;
    for (auto& contender : contenders)
    {
        std::sort(contender.rates.begin(), contender.rates.end());
        const double median = contender.rates[contender.rates.size() / 2];
        if (first == 0) first = median;
        std::printf("  %-44s %9.0f /s  %5.2f us  ratio %.2f\n", contender.name.c_str(), median, 1e6 / median, median / first);
    }
}

std::string idOf(int number) { return "con_" + std::to_string(1'000'000 + number); }

void fill(Database& database)
{
    auto transaction = database.begin();
    transaction.execute("CREATE TABLE contact (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, version BIGINT NOT NULL)");
    for (int i = 0; i < records; ++i)
        transaction.execute("INSERT INTO contact (id, name, email, version) VALUES ($1, $2, $3, $4)", idOf(i), "Name " + std::to_string(i),
                            "someone@example.org", i);
    transaction.commit();
}

std::size_t readByPortico(Database& database, int number)
{
    auto session = database.session();
    auto rows = session.query(pointRead, idOf(number));
    const auto row = rows.next();
    return row->text(0).size() + row->text(1).size() + row->text(2).size() + static_cast<std::size_t>(row->get<std::int64_t>(3));
}

std::size_t writeByPortico(Database& database, int number)
{
    auto transaction = database.begin();
    transaction.execute("UPDATE contact SET version = version + 1 WHERE id = $1", idOf(number));
    transaction.commit();
    return 1;
}

std::size_t readBySqlite(sqlite3_stmt* statement, int number)
{
    const auto id = idOf(number);
    sqlite3_bind_text(statement, 1, id.data(), static_cast<int>(id.size()), SQLITE_STATIC);
    std::size_t size = 0;
    if (sqlite3_step(statement) == SQLITE_ROW)
    {
        for (int column = 0; column < 3; ++column)
        {
            const std::string_view text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            size += text.size();
        }
        size += static_cast<std::size_t>(sqlite3_column_int64(statement, 3));
    }
    sqlite3_reset(statement);
    return size;
}

std::size_t readByLibpq(PGconn* connection, int number)
{
    const auto id = idOf(number);
    const std::array<const char*, 1> values{id.c_str()};
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexecPrepared(connection, "point", 1, values.data(), nullptr, nullptr, 0),
                                                                &PQclear);
    std::size_t size = 0;
    for (int column = 0; column < 4; ++column) size += static_cast<std::size_t>(PQgetlength(result.get(), 0, column));
    return size;
}

void measureSqlite(double seconds)
{
    TestDatabase place(Dialect::SQLite);
    const auto database = place.open();
    fill(*database);
    sqlite3* opened = nullptr;
    sqlite3_open((place.settings.directory / "crm.db").c_str(), &opened);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle(opened, &sqlite3_close);
    sqlite3_stmt* prepared = nullptr;
    sqlite3_prepare_v2(handle.get(), pointRead, -1, &prepared, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, &sqlite3_finalize);
    compare("SQLite, one thread",
            {{"sqlite3, one kept statement", [&](int n) { return readBySqlite(statement.get(), n); }},
             {"Database::session, query, row", [&](int n) { return readByPortico(*database, n); }},
             {"Database::begin, update, commit (fsync)", [&](int n) { return writeByPortico(*database, n); }}},
            seconds);
}

void measurePostgres(double seconds)
{
    TestDatabase place(Dialect::PostgreSQL);
    const auto database = place.open();
    fill(*database);
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(place.settings.url.c_str()), &PQfinish);
    PQclear(PQexec(connection.get(), "SET search_path TO crm"));
    PQclear(PQprepare(connection.get(), "point", pointRead, 0, nullptr));
    compare("PostgreSQL on a Unix socket, one thread",
            {{"PQexecPrepared", [&](int n) { return readByLibpq(connection.get(), n); }},
             {"Database::session, query, row", [&](int n) { return readByPortico(*database, n); }},
             {"Database::begin, update, commit", [&](int n) { return writeByPortico(*database, n); }}},
            seconds);
}

} // namespace

} // namespace portico::tests

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? std::atof(argv[1]) : 2.0;
    portico::tests::measureSqlite(seconds);
    portico::tests::measurePostgres(seconds);
    return 0;
}
