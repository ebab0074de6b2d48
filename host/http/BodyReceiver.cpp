#include "host/http/BodyReceiver.h"

#include "host/http/Characters.h"

#include "portico/Problem.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>

namespace portico::host::http
{

namespace
{

/// Bytes after which the kernel starts to write them. The handler waits for the disk, so the last of them delay the answer.
constexpr std::uint64_t syncBytes = 4 * 1024 * 1024;

[[noreturn]] void failToSpool(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

FileDescriptor makeUnlinkedFile(const std::string& directory)
{
    FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    // Not every file system has O_TMPFILE.
    std::string path = directory + "/upload-XXXXXX";
    file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) failToSpool("cannot make a file in the spool directory " + directory);
    ::unlink(path.c_str());
    return file;
}

} // namespace

ChunkedReader::Result ChunkedReader::read(std::string_view& input, std::string& out)
{
    while (!input.empty())
    {
        Result result = Result::More;
        if (_state == State::Data)
            result = readData(input, out);
        else
        {
            result = readOctet(input.front());
            input.remove_prefix(1);
        }
        if (result != Result::More) return result;
    }
    return Result::More;
}

ChunkedReader::Result ChunkedReader::readData(std::string_view& input, std::string& out)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(_chunk, input.size()));
    out.append(input.substr(0, count));
    input.remove_prefix(count);
    _chunk -= count;
    _total += count;
    if (_chunk == 0) _state = State::DataReturn;
    return Result::More;
}

ChunkedReader::Result ChunkedReader::readOctet(char c)
{
    switch (_state)
    {
    case State::SizeStart:
    case State::Size:
        return readSize(c);
    case State::Extension:
        return readExtension(c);
    case State::SizeEnd:
        return c == '\n' ? endSize() : Result::Malformed;
    case State::DataReturn:
        return expect(c, '\r', State::DataEnd);
    case State::DataEnd:
        return expect(c, '\n', State::SizeStart);
    case State::LastEnd:
        return c == '\n' ? Result::Complete : Result::Malformed;
    default:
        return readTrailer(c);
    }
}

ChunkedReader::Result ChunkedReader::expect(char c, char wanted, State next)
{
    if (c != wanted) return Result::Malformed;
    _state = next;
    return Result::More;
}

ChunkedReader::Result ChunkedReader::readSize(char c)
{
    const int digit = hexDigit(c);
    if (digit >= 0)
    {
        // 15 digits cannot overflow 64 bits, leading zeros included.
        if (++_sizeDigits > 15) return Result::Malformed;
        _chunk = _chunk * 16 + static_cast<std::uint64_t>(digit);
        _state = State::Size;
        return Result::More;
    }
    if (_state == State::SizeStart) return Result::Malformed;
    if (c == ';') return expect(c, ';', State::Extension);
    return expect(c, '\r', State::SizeEnd);
}

ChunkedReader::Result ChunkedReader::readExtension(char c)
{
    if (c == '\r') return expect(c, '\r', State::SizeEnd);
    if (!is(c, octet::fieldValue) || ++_extensionBytes > maxExtensionBytes) return Result::Malformed;
    return Result::More;
}

ChunkedReader::Result ChunkedReader::endSize()
{
    _sizeDigits = 0;
    if (_chunk == 0)
    {
        _state = State::TrailerStart;
        return Result::More;
    }
    if (_chunk > _limit - _total) return Result::TooLarge;
    _state = State::Data;
    return Result::More;
}

ChunkedReader::Result ChunkedReader::readTrailer(char c)
{
    if (++_trailerBytes > maxTrailerBytes) return Result::Malformed;
    switch (_state)
    {
    case State::TrailerStart:
        if (c == '\r') return expect(c, '\r', State::LastEnd);
        return is(c, octet::token) ? expect(c, c, State::TrailerName) : Result::Malformed;
    case State::TrailerName:
        if (c == ':') return expect(c, ':', State::TrailerValue);
        return is(c, octet::token) ? Result::More : Result::Malformed;
    case State::TrailerValue:
        if (c == '\r') return expect(c, '\r', State::TrailerEnd);
        return is(c, octet::fieldValue) ? Result::More : Result::Malformed;
    default:
        return expect(c, '\n', State::TrailerStart);
    }
}

void BodyReceiver::begin(const RequestHead& head, std::uint64_t limit) noexcept
{
    _chunked = head.chunked;
    _chunks = ChunkedReader(limit);
    _remaining = head.contentLength.value_or(0);
    _received = 0;
    _complete = !head.hasBody();
}

std::string_view BodyReceiver::takeWhole(InputBuffer& input) noexcept
{
    const auto body = input.data().substr(0, static_cast<std::size_t>(_remaining));
    input.consume(body.size());
    _received = body.size();
    _remaining = 0;
    _complete = true;
    return body;
}

BodyReceiver::Result BodyReceiver::take(InputBuffer& input, std::string& out)
{
    const auto before = out.size();
    const auto result = _chunked ? takeChunked(input, out) : takeFixed(input, out);
    _received += out.size() - before;
    _complete = result == Result::Complete;
    return result;
}

BodyReceiver::Result BodyReceiver::takeFixed(InputBuffer& input, std::string& out)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(_remaining, input.data().size()));
    out.append(input.data().substr(0, count));
    input.consume(count);
    _remaining -= count;
    return _remaining == 0 ? Result::Complete : Result::More;
}

BodyReceiver::Result BodyReceiver::takeChunked(InputBuffer& input, std::string& out)
{
    auto data = input.data();
    const auto result = _chunks.read(data, out);
    input.consume(input.data().size() - data.size());
    return result;
}

void SpooledBody::spill(const std::string& directory)
{
    if (!_file)
    {
        _file = makeUnlinkedFile(directory);
        if (isStored) _hash.emplace();
    }
    write(directory);
    if (_hash)
    {
        // Here the bytes are still in the processor's cache.
        _hash->update(pending);
        if (_fileBytes - _begunSync >= syncBytes)
        {
            _file.startSync();
            _begunSync = _fileBytes;
        }
    }
    pending.clear();
}

void SpooledBody::write(const std::string& directory)
{
    std::size_t written = 0;
    while (written < pending.size())
    {
        const auto count =
            ::pwrite(_file.get(), pending.data() + written, pending.size() - written, static_cast<off_t>(_fileBytes + written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) failToSpool("cannot write to the spool directory " + directory);
        written += static_cast<std::size_t>(count);
    }
    _fileBytes += written;
}

void SpooledBody::clear() noexcept
{
    _file.close();
    _fileBytes = _begunSync = 0;
    _hash.reset();
    isStored = false;
    pending.clear();
}

std::size_t SpooledBody::read(std::uint64_t offset, std::span<char> buffer) const
{
    if (offset < _fileBytes)
    {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), _fileBytes - offset));
        const auto count = ::pread(_file.get(), buffer.data(), wanted, static_cast<off_t>(offset));
        if (count < 0) throw Problem::internal();
        return static_cast<std::size_t>(count);
    }
    const auto at = offset - _fileBytes;
    if (at >= pending.size()) return 0;
    const auto count = std::min(buffer.size(), pending.size() - static_cast<std::size_t>(at));
    std::memcpy(buffer.data(), pending.data() + at, count);
    return count;
}

} // namespace portico::host::http
