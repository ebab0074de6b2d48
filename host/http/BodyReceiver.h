#pragma once

#include "host/base/FileDescriptor.h"
#include "host/base/HashedPrefix.h"
#include "host/http/InputBuffer.h"
#include "host/http/RequestHead.h"

#include "portico/Request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// How far a body has come.
enum class BodyProgress
{
    More,
    Complete,
    TooLarge, ///< The limit is passed, or a chunk says that it will pass it.
    Malformed
};

/// Undoes the transfer coding `chunked` (RFC 9112, 7.1) of bytes that arrive in any pieces. Trailers are checked and dropped.
class ChunkedReader
{
public:
    /// Bytes of all chunk extensions together, and of the trailer section: neither has a use here, so little is enough.
    static constexpr std::size_t maxExtensionBytes = 1024;
    static constexpr std::size_t maxTrailerBytes = 4096;

    using Result = BodyProgress;

    explicit ChunkedReader(std::uint64_t limit = 0) noexcept : _limit(limit) {}

    /// Reads from the front of `input`, which is cut by what was read; data is appended to `out`.
    /// After `Complete` the rest of `input` belongs to the next request.
    Result read(std::string_view& input, std::string& out);

private:
    enum class State : std::uint8_t
    {
        SizeStart,
        Size,
        Extension,
        SizeEnd,
        Data,
        DataReturn,
        DataEnd,
        TrailerStart,
        TrailerName,
        TrailerValue,
        TrailerEnd,
        LastEnd
    };

    Result readData(std::string_view& input, std::string& out);
    Result readOctet(char c);
    Result readSize(char c);
    Result endSize();
    Result readExtension(char c);
    Result readTrailer(char c);
    Result expect(char c, char wanted, State next);

    State _state = State::SizeStart;
    std::uint64_t _limit;
    std::uint64_t _total = 0;
    std::uint64_t _chunk = 0;
    int _sizeDigits = 0;
    std::size_t _extensionBytes = 0;
    std::size_t _trailerBytes = 0;
};

/// Takes one request's body off a connection's input, by length or by chunks, up to a limit.
class BodyReceiver
{
public:
    using Result = BodyProgress;

    /// @param limit Largest body; of a fixed length it is checked by the caller, before the body is read.
    void begin(const RequestHead& head, std::uint64_t limit) noexcept;
    /// Appends what `input` holds of the body to `out` and consumes it.
    Result take(InputBuffer& input, std::string& out);
    /// A fixed-length body that `input` holds whole, consumed without copying; only before `take`.
    std::string_view takeWhole(InputBuffer& input) noexcept;
    bool isWhole(const InputBuffer& input) const noexcept { return !_chunked && input.data().size() >= _remaining; }

    bool complete() const noexcept { return _complete; }
    bool chunked() const noexcept { return _chunked; }
    /// Bytes still to come of a fixed-length body.
    std::uint64_t remaining() const noexcept { return _remaining; }
    /// Bytes of the body received so far.
    std::uint64_t received() const noexcept { return _received; }

private:
    Result takeFixed(InputBuffer& input, std::string& out);
    Result takeChunked(InputBuffer& input, std::string& out);

    ChunkedReader _chunks;
    std::uint64_t _remaining = 0;
    std::uint64_t _received = 0;
    bool _chunked = false;
    bool _complete = true;
};

/// An upload: in memory while it is small, then in an unlinked file of the spool directory, which no crash leaves behind.
class SpooledBody final : public ReceivedFile, public HashedPrefix
{
public:
    /// Bytes that are not in the file (yet): all of a small body.
    std::string pending;
    /// True if the handler probably stores the body unchanged. `spill` then hashes the bytes and has the kernel start to write them to
    /// disk.
    bool isStored = false;

    /// Moves `pending` to the file, which is made if there is none. Blocks: for workers. @throws std::system_error.
    void spill(const std::string& directory);
    bool inFile() const noexcept { return static_cast<bool>(_file); }
    void clear() noexcept;

    std::uint64_t size() const noexcept override { return _fileBytes + pending.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override;
    int descriptor() const noexcept override { return _file.get(); }
    std::uint64_t hashedBytes() const noexcept override { return _hash ? _fileBytes : 0; }
    const Sha256& prefixHash() const override { return *_hash; }

private:
    void write(const std::string& directory);

    FileDescriptor _file;
    std::uint64_t _fileBytes = 0;
    /// Size of the part of the file that the kernel has started to write.
    std::uint64_t _begunSync = 0;
    std::optional<Sha256> _hash;
};

} // namespace portico::host::http
