#pragma once

#include <utility>

#include <unistd.h>

namespace portico::host::http
{

/// Owns one file descriptor.
class Descriptor
{
public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) noexcept : _descriptor(descriptor) {}
    Descriptor(Descriptor&& other) noexcept : _descriptor(std::exchange(other._descriptor, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(_descriptor, other._descriptor);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int get() const noexcept { return _descriptor; }
    int release() noexcept { return std::exchange(_descriptor, -1); }
    explicit operator bool() const noexcept { return _descriptor >= 0; }
    void close() noexcept
    {
        if (_descriptor >= 0) ::close(std::exchange(_descriptor, -1));
    }

private:
    int _descriptor = -1;
};

} // namespace portico::host::http
