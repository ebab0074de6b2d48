#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace portico::host::data
{

/// Spares the readers of a SQLite database the system calls of their locks. In WAL mode each read transaction locks and unlocks a mark of
/// the shared index. SQLite omits both calls while another connection of the same process holds that mark.
/// While no writer is active, a separate connection therefore keeps a read transaction open on the newest state. It releases the mark
/// before a writer begins, since the log cannot restart while it is locked. Thread-safe.
class ReadAnchor
{
public:
    /// Nothing is opened before it is worth it. @param file An absolute path.
    explicit ReadAnchor(std::string file) : _file(std::move(file)) {}

    /// A read has ended. Acquires the mark if enough reads have ended since the last writer.
    void readEnded() noexcept
    {
        if (_settled.load(std::memory_order_relaxed)) return;
        if (_reads.fetch_add(1, std::memory_order_relaxed) + 1 >= readsBefore) hold();
    }
    /// A writer may write until `writeEnded`: releases the mark.
    void writeBegins() noexcept;
    void writeEnded() noexcept;
    bool isHeld() const noexcept { return _held.load(); }

private:
    /// Taking hold costs about as much as a read.
    static constexpr std::uint32_t readsBefore = 64;
    struct Close
    {
        void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
    };

    void hold() noexcept;
    bool open() noexcept;

    const std::string _file;
    std::atomic<std::uint32_t> _reads{0};
    /// True while the mark is held or a writer is active: a read then has nothing to do here.
    std::atomic<bool> _settled{false};
    std::atomic<bool> _held{false};
    std::mutex _mutex;
    int _writers = 0;
    std::unique_ptr<sqlite3, Close> _database;
};

} // namespace portico::host::data
