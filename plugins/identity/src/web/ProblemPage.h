#pragma once

#include "web/Pages.h"

namespace portico::identity
{

/// Data of the page for errors without a redirect address: one of these is set.
struct ProblemText
{
    bool unknownService = false;
    bool wrongReturn = false;
    bool wrongRedirect = false;
    bool unknownClient = false;
    bool expired = false;
    bool malformed = false;
};

constexpr auto schemaOf(const ProblemText*)
{
    return describe(members<&ProblemText::unknownService, &ProblemText::wrongReturn, &ProblemText::wrongRedirect,
                            &ProblemText::unknownClient, &ProblemText::expired, &ProblemText::malformed>());
}

using ProblemPage = WebPage<ProblemText>;

/// Answers 400 with a page, for errors that cannot be answered by a redirect (RFC 6749, 4.1.2.1).
inline Response problemPage(const ProblemPage& page, const Request& request, const ProblemText& text)
{
    return page.render(request, text, {.status = 400});
}

} // namespace portico::identity
