#include "pages/GuestPages.h"

#include "bookings/GuestPolicy.h"
#include "public/GuestAccess.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
void setState(GuestView& view, const Booking& booking)
{
    using enum BookingStatus;
    view.confirmed = booking.status == Confirmed;
    view.pending = booking.status == Pending;
    view.cancelled = booking.status == Cancelled;
    view.declined = booking.status == Declined;
    view.expired = booking.status == Expired;
    view.completed = booking.status == Completed;
    view.noShow = booking.status == NoShow;
    view.open = isOpen(booking.status);
    view.closed = !view.open;
    if (view.cancelled && booking.cancellation)
    {
        view.byHost = booking.cancellation->by == Party::Host;
        view.byGuest = booking.cancellation->by == Party::Guest;
        view.reason = booking.cancellation->reason;
    }
    if (view.declined && booking.approval) view.reason = booking.approval->reason;
}

void setPlace(GuestView& view, const Booking& booking)
{
    if (booking.status != BookingStatus::Confirmed) return;
    view.placeFollows = booking.meetingKind == MeetingKind::ChatMeeting && booking.meetingStatus == MeetingStatus::Provisioning;
    if (!booking.meetingProviderRef) return;
    (isWebUrl(*booking.meetingProviderRef) ? view.placeUrl : view.place) = *booking.meetingProviderRef;
}

/// Returns the fields that the picker's links keep.
Fields keptOf(const GuestView& view, const Embedding& embedding)
{
    Fields kept{{"token", view.token}, {"move", "1"}};
    kept.insert(kept.end(), embedding.fields.begin(), embedding.fields.end());
    return kept;
}

/// The page of a booking after a form, in the frame in which that was.
std::string pageUrl(const BookingContext& subject, std::string_view token, const Fields& fields, Fields more = {})
{
    const auto embed = embedFieldsOf(fields);
    if (embed.empty()) more.clear();
    more.insert(more.end(), embed.begin(), embed.end());
    return withQuery(manageUrl(subject.booking.bookingId, token, {}), more);
}

struct ToldBooking
{
    BookingId bookingId;
    BookingStatus status = BookingStatus::Cancelled;
    Instant start{};
    Instant end{};
};

constexpr auto schemaOf(const ToldBooking*)
{
    return describe(members<&ToldBooking::bookingId, &ToldBooking::status, &ToldBooking::start, &ToldBooking::end>());
}

struct ToldCancellation
{
    std::string type = "cancelled";
    ToldBooking payload;
};

constexpr auto schemaOf(const ToldCancellation*) { return describe(members<&ToldCancellation::type, &ToldCancellation::payload>()); }

std::vector<ShownAnswer> answersOf(const BookingContext& subject, const Words& words)
{
    std::vector<ShownAnswer> shown;
    for (const auto& answer : subject.booking.answers)
    {
        ShownAnswer row{answer.questionId, answerText(answer, words)};
        if (subject.type)
            if (const auto question = std::ranges::find(subject.type->questions, answer.questionId, &Question::questionId);
                question != subject.type->questions.end())
                row.label = question->label;
        shown.push_back(std::move(row));
    }
    return shown;
}
} // namespace

GuestView GuestView::of(const BookingContext& subject, std::string_view token, const Words& words, const TimeZone& zone, Instant now)
{
    const auto& booking = subject.booking;
    GuestView view;
    static_cast<ConfirmAnswer&>(view) = confirmAnswer(subject, now, token, "");
    static_cast<ShownHost&>(view) = ShownHost::of(subject.host);
    setState(view, booking);
    setPlace(view, booking);
    view.when = spanText(words, zone, booking.start, booking.end);
    if (!booking.previousStart.empty())
        view.before = spanText(words, zone, booking.previousStart.back().start, booking.previousStart.back().end);
    if (booking.seats > 1) view.seats = std::to_string(booking.seats);
    view.answers = answersOf(subject, words);
    view.bookingPath = "/public/bookings/" + booking.bookingId.text();
    view.token = token;
    return view;
}

GuestPages::GuestPages(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds,
                       const BookingService& bookings, const EmbedOrigins& embedOrigins, const Pages& pages, const ProblemPage& problems)
    : _tools(tools),
      _availability(availability),
      _holds(holds),
      _bookings(bookings),
      _embedOrigins(embedOrigins),
      _pages(pages),
      _problems(problems),
      _page(pages.bind<GuestView>("guest"))
{
}

void GuestPages::declare(Routes& routes)
{
    constexpr std::string_view path = "/public/bookings/{bookingId}";
    routes.get(path, access::open(), &GuestPages::show, this, {.summary = "A guest's booking", .undocumented = true})
        .post(std::string(path) + "/cancel", access::open(), &GuestPages::cancel, this,
              {.summary = "Submit the cancellation form of a booking", .idempotencyKey = false, .undocumented = true})
        .post(std::string(path) + "/reschedule", access::open(), &GuestPages::move, this,
              {.summary = "Submit the reschedule form of a booking", .idempotencyKey = false, .undocumented = true});
}

BookingContext GuestPages::find(const std::string& id, std::string_view token) const
{
    const auto booking = BookingId::parse(id);
    if (!booking) throw Problem::notFound();
    auto session = _tools.database().session();
    return requireGuest(session, _bookings, *booking, token);
}

Response GuestPages::show(const Request& request, const Path<std::string>& id, const RawQuery& query) const
{
    return _problems.orPage(request, [&] { return shown(request, find(*id, fieldOf(query.values, "token")), query.values); });
}

void GuestPages::drawPicker(GuestView& view, const BookingContext& subject, const Fields& fields, const Embedding& embedding,
                            const Words& words) const
{
    PickerRequest asked{view.bookingPath,
                        keptOf(view, embedding),
                        _tools.zones.find(fieldOf(fields, "tz")).value_or(_tools.zones.require(subject.booking.guest.timeZone, "timeZone")),
                        LocalDate::parse(fieldOf(fields, "date")),
                        parseInstant(fieldOf(fields, "start")),
                        &subject.booking};
    view.picker = makePicker(_tools, _availability, _bookings.offerOf(subject), asked, words);
    // It keeps its duration.
    view.picker.durations.clear();
}

void GuestPages::addLinks(GuestView& view, const BookingContext& subject, const Embedding& embedding) const
{
    view.embed = hiddenFields(embedding.fields);
    view.framed = !view.embed.empty();
    view.selfUrl = withQuery(view.manageUrl, embedding.fields);
    view.moveUrl = view.selfUrl + "&move=1#move";
    if (!subject.type) return;
    if (view.open && _embedOrigins.allowsUrl(subject.type->redirectUrl)) view.continueUrl = subject.type->redirectUrl;
    if (subject.type->visibility != Visibility::Disabled)
        view.againUrl = withQuery("/" + subject.host.handle + "/" + subject.type->slug, embedding.fields);
}

Response GuestPages::shown(const Request& request, const BookingContext& subject, const Fields& fields, const Problem* problem) const
{
    const auto& booking = subject.booking;
    PublicPageOptions options{.accentColor = subject.host.branding.accentColor, .secret = true, .locale = booking.guest.locale};
    {
        auto host = subject.host;
        host.organizationId = subject.organizationId;
        auto session = _tools.database().session();
        options.embedding = embeddingOf(request, session, _embedOrigins, host, booking.eventTypeId, fields);
    }
    const auto& words = _pages.words(_pages.localeOf(request, booking.guest.locale, options.embedding));
    const auto zone = _tools.zones.require(booking.guest.timeZone, "timeZone");
    auto view = GuestView::of(subject, fieldOf(fields, "token"), words, zone, _tools.now());
    addLinks(view, subject, options.embedding);
    view.moving = view.booking.mayReschedule && !fieldOf(fields, "move").empty();
    if (view.moving) drawPicker(view, subject, fields, options.embedding, words);
    if (view.cancelled && fieldOf(fields, "done") == "cancelled")
        options.told = toJson(ToldCancellation{.payload = {booking.bookingId, booking.status, booking.start, booking.end}});
    if (problem)
    {
        options.status = problem->status();
        options.told = toldOfProblem(problem->code());
        view.startFault = faultOf(*problem, "start", words);
        view.cancelReason = {std::string(fieldOf(fields, "reason")), false, faultOf(*problem, "reason", words)};
        const bool marked = !view.startFault.empty() || !view.cancelReason.problem.empty();
        view.notice = marked ? words.text("check") : words.textOr(problem->code(), "failed");
    }
    return _page.render(request, view, options);
}

Response GuestPages::cancel(const Request& request, const Path<std::string>& id, const Form<CancelInput>& form) const
{
    return _problems.orPage(request,
                            [&]
                            {
                                requireOwnForm(_tools, _embedOrigins, request);
                                const auto& token = form.sent().token;
                                const auto subject = find(*id, token);
                                try
                                {
                                    _bookings.cancel(subject.tenant(), subject.booking.bookingId, Party::Guest, form->reason);
                                }
                                catch (const Problem& problem)
                                {
                                    if (problem.status() >= 500) throw;
                                    return shown(request, subject, form.values(), &problem);
                                }
                                return redirectTo(pageUrl(subject, token, form.values(), {{"done", "cancelled"}}));
                            });
}

Response GuestPages::move(const Request& request, const Path<std::string>& id, const Form<MoveInput>& form) const
{
    return _problems.orPage(
        request,
        [&]
        {
            requireOwnForm(_tools, _embedOrigins, request);
            const auto& token = form.sent().token;
            const auto subject = find(*id, token);
            try
            {
                requireMovable(subject, _tools.now());
                HoldRequest wanted;
                wanted.start = form->start.value();
                wanted.seats = subject.booking.seats;
                const auto held =
                    _holds.take(_bookings.offerOf(subject), wanted, {request.clientAddress, Source::Page, subject.booking.bookingId});
                _bookings.moveToHold(subject.tenant(), subject.booking.bookingId, {held.holdId, held.holdToken}, {Party::Guest, {}});
            }
            catch (const Problem& problem)
            {
                if (problem.status() >= 500) throw;
                auto fields = form.values();
                fields.emplace_back("move", "1");
                return shown(request, subject, fields, &problem);
            }
            return redirectTo(pageUrl(subject, token, form.values()));
        });
}

} // namespace portico::calendar
