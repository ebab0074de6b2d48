#pragma once

#include "portico/Arguments.h"
#include "portico/Cookie.h"
#include "portico/EventStream.h"
#include "portico/Handler.h"
#include "portico/Json.h"
#include "portico/Schema.h"
#include "portico/detail/Operation.h"
#include "portico/detail/Pack.h"

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// 201 with the created record, or 200 with an existing record that the caller requested.
template <class T>
struct Created
{
    T record;
    /// Value of Location, or empty.
    std::string location = {};
    bool existed = false;
};
template <class T>
Created(T) -> Created<T>;
template <class T>
Created(T, std::string) -> Created<T>;

namespace detail
{
/// Schema name of a deletion result in the API document: `DeletedPipelineId` for the member `pipelineId`.
template <Literal Member>
struct DeletedName
{
    static constexpr auto made = []
    {
        std::array<char, 7 + Member.view().size()> name{'D', 'e', 'l', 'e', 't', 'e', 'd'};
        std::copy_n(Member.text, Member.view().size(), name.begin() + 7);
        name[7] = static_cast<char>(name[7] - 'a' + 'A');
        return name;
    }();
    static constexpr std::string_view view = Member.view() == "id" ? "Deleted" : std::string_view(made.data(), made.size());
};
} // namespace detail

/// Result of a deletion: `{"id":"…","deleted":true}`, or with another name for the id: `Deleted<PipelineId, "pipelineId">`.
template <class I, Literal Member = "id">
struct Deleted
{
    I id;
    bool deleted = true;

    friend constexpr auto schemaOf(const Deleted*)
    {
        return describe(field(Member.view(), &Deleted::id), field<&Deleted::deleted>()).named(detail::DeletedName<Member>::view);
    }
};
template <class I>
Deleted(I) -> Deleted<I>;

/// 204.
struct NoContent
{
};

/// One page of a list: `{"items":[…],"nextCursor":…}`, plus the members of `Extra`, a described record.
template <class T, class Extra = void>
struct Page;

template <class T>
struct Page<T, void>
{
    std::vector<T> items = {};
    /// State that the next page needs, in any form; the SDK signs it. Empty: this is the last page.
    std::optional<std::string> nextCursor = {};
    std::optional<std::int64_t> total = {};
    /// Members to write of each item; empty: all.
    FieldSelection fields = {};
};

template <class T, class Extra>
struct Page : Page<T>
{
    Extra extra = {};
};

/// A record with another status, headers or a selection of members: for answers whose status depends on what happened.
template <class T>
struct Reply
{
    T record;
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<SetCookie> cookies = {};
    FieldSelection fields = {};
    /// Entity tag with its quotes, if it is not the record's version.
    std::string etag = {};
};

/// A body that is produced while it is sent.
struct Stream
{
    std::string contentType;
    std::unique_ptr<BodySource> source;
    /// Value of Content-Disposition, or empty.
    std::string disposition = {};
};

/// A file; the host answers Range and conditional requests.
struct File
{
    FileBody file;
    std::string contentType;
    std::string etag = {};
    std::string disposition = {};
};

/// 303 See Other, or another redirect.
struct Redirect
{
    std::string location;
    int status = 303;
    std::vector<SetCookie> cookies = {};
};

/// A page.
struct Html
{
    std::string text;
    int status = 200;
    /// Content-Security-Policy; the default allows only files of the same origin and no inline scripts.
    std::string contentSecurityPolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
    std::vector<SetCookie> cookies = {};
};

/// `attachment; filename=…; filename*=…` (RFC 6266, RFC 8187).
PORTICO_API std::string attachmentDisposition(std::string_view fileName);

} // namespace portico

#include "portico/detail/ResultTypes.h"
