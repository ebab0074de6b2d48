#pragma once

#include "portico/Table.h"

#include <optional>
#include <string>

namespace portico::social
{

/// Which mails a person gets for an organization. A person without a row gets all of them.
struct NoticeChoice
{
    std::string userId;
    bool approvals = true;
    bool accounts = true;
    std::optional<Instant> lastMailAt;
};
constexpr auto schemaOf(const NoticeChoice*)
{
    using C = NoticeChoice;
    return describe(field<&C::userId>().columnOnly(), field<&C::approvals>().description("Mails about posts that wait for approval"),
                    field<&C::accounts>().description("Mails about accounts that must be reconnected"),
                    field<&C::lastMailAt>().columnOnly());
}

inline constexpr Table noticeChoiceTable{"notice_choice", &NoticeChoice::userId};

} // namespace portico::social
