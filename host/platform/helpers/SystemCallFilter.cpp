#include "host/platform/helpers/SystemCallFilter.h"

#include "host/base/FileDescriptor.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{
using Context = std::unique_ptr<void, decltype(&::seccomp_release)>;

void require(int result, const char* what)
{
    if (result < 0) throw std::runtime_error(std::string("the filter of helpers cannot be made: ") + what + ": " + std::strerror(-result));
}

void allowPlain(const Context& context)
{
    for (const int call : {SCMP_SYS(read),
                           SCMP_SYS(readv),
                           SCMP_SYS(pread64),
                           SCMP_SYS(write),
                           SCMP_SYS(writev),
                           SCMP_SYS(pwrite64),
                           SCMP_SYS(lseek),
                           SCMP_SYS(close),
                           SCMP_SYS(fstat),
                           SCMP_SYS(ftruncate),
                           SCMP_SYS(brk),
                           SCMP_SYS(munmap),
                           SCMP_SYS(mremap),
                           SCMP_SYS(madvise),
                           SCMP_SYS(futex),
                           SCMP_SYS(rt_sigaction),
                           SCMP_SYS(rt_sigprocmask),
                           SCMP_SYS(rt_sigreturn),
                           SCMP_SYS(sigaltstack),
                           SCMP_SYS(clock_gettime),
                           SCMP_SYS(gettimeofday),
                           SCMP_SYS(time),
                           SCMP_SYS(getrandom),
                           SCMP_SYS(getpid),
                           SCMP_SYS(gettid),
                           SCMP_SYS(set_tid_address),
                           SCMP_SYS(set_robust_list),
                           SCMP_SYS(rseq),
                           SCMP_SYS(arch_prctl),
                           SCMP_SYS(sched_getaffinity),
                           SCMP_SYS(sched_yield),
                           SCMP_SYS(sysinfo),
                           SCMP_SYS(restart_syscall),
                           SCMP_SYS(uname),
                           SCMP_SYS(exit),
                           SCMP_SYS(exit_group)})
        require(::seccomp_rule_add(context.get(), SCMP_ACT_ALLOW, call, 0), "a call");
}

void allowWithConditions(const Context& context)
{
    const auto allow = [&context](int call, const scmp_arg_cmp& condition, const char* what)
    { require(::seccomp_rule_add_array(context.get(), SCMP_ACT_ALLOW, call, 1, &condition), what); };
    // No code comes into being after the start.
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) allow(call, {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}, "memory");
    for (const scmp_datum_t command : {F_GETFD, F_GETFL}) allow(SCMP_SYS(fcntl), {1, SCMP_CMP_EQ, command, 0}, "fcntl");
    // Reading limits; setting them is refused.
    allow(SCMP_SYS(prlimit64), {2, SCMP_CMP_EQ, 0, 0}, "prlimit64");
    // The start of the helper itself. A program that a helper started would have the same filter.
    allow(SCMP_SYS(execveat), {4, SCMP_CMP_EQ, AT_EMPTY_PATH, 0}, "execveat");
}

/// Answers with errors to calls that the C library tries when a program starts or aborts, and does not need.
void answerWithErrors(const Context& context)
{
    const auto answer = [&context](int call, std::uint16_t error)
    { require(::seccomp_rule_add(context.get(), SCMP_ACT_ERRNO(error), call, 0), "an error"); };
    answer(SCMP_SYS(ioctl), ENOTTY);
    answer(SCMP_SYS(readlink), ENOENT);
    answer(SCMP_SYS(readlinkat), ENOENT);
    answer(SCMP_SYS(newfstatat), EPERM);
    answer(SCMP_SYS(statx), EPERM);
    answer(SCMP_SYS(tgkill), EPERM);
}

std::vector<sock_filter> exported(const Context& context)
{
    const FileDescriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file) require(-errno, "memfd_create");
    require(::seccomp_export_bpf(context.get(), file.get()), "seccomp_export_bpf");
    struct stat facts = {};
    if (::fstat(file.get(), &facts) != 0) require(-errno, "fstat");
    std::vector<sock_filter> filter(static_cast<std::size_t>(facts.st_size) / sizeof(sock_filter));
    const auto bytes = filter.size() * sizeof(sock_filter);
    if (::pread(file.get(), filter.data(), bytes, 0) != static_cast<ssize_t>(bytes)) require(-EIO, "pread");
    return filter;
}
} // namespace

std::vector<sock_filter> makeHelperFilter()
{
    const Context context(::seccomp_init(SCMP_ACT_KILL_PROCESS), &::seccomp_release);
    if (!context) throw std::runtime_error("the filter of helpers cannot be made: seccomp_init");
    require(::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "architecture");
    allowPlain(context);
    allowWithConditions(context);
    answerWithErrors(context);
    return exported(context);
}

} // namespace portico::host::platform
