#include "pages/BookingPages.h"

#include "bookings/BookingViews.h"
#include "public/GuestAccess.h"
#include "service/Urls.h"

#include "portico/Form.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
/// People take longer to fill in a form.
constexpr std::chrono::seconds quickest{2};

/// Returns true for query fields that the page's links and forms keep beside date and zone. All other fields are dropped.
bool isKept(std::string_view name)
{
    constexpr std::array kept{"duration", "name", "email", "phone", "notes"};
    return std::ranges::find(kept, name) != kept.end() || name.starts_with("a_");
}

Fields keptOf(const Fields& fields, const Embedding& embedding)
{
    Fields kept;
    for (const auto& field : fields)
        if (isKept(field.first) && !field.second.empty()) kept.push_back(field);
    kept.insert(kept.end(), embedding.fields.begin(), embedding.fields.end());
    return kept;
}

struct NearSlot
{
    Instant start{};
    Instant end{};
};

constexpr auto schemaOf(const NearSlot*) { return describe(members<&NearSlot::start, &NearSlot::end>()); }

struct NearSlots
{
    std::vector<NearSlot> nearest;
};

constexpr auto schemaOf(const NearSlots*) { return describe(field<&NearSlots::nearest>()); }

std::string shortened(const std::string& text, std::size_t most)
{
    const auto begin = firstCharacters(text, most);
    return std::string(begin) + (begin.size() < text.size() ? "\u2026" : "");
}

std::string pathOf(const Host& host, std::string_view slug) { return "/" + host.handle + "/" + std::string(slug); }

std::string withQueryOf(std::string path, const Request& request)
{
    if (!request.query.empty()) path.append("?").append(request.query);
    return path;
}

/// @param canonical address of the page at the configured origin, regardless of the request
PublicPageOptions optionsFor(const Host& host, std::string canonical)
{
    PublicPageOptions options;
    options.canonical = std::move(canonical);
    options.indexable = host.indexable;
    options.accentColor = host.branding.accentColor;
    options.locale = host.locale;
    return options;
}
} // namespace

TypeView TypeView::of(const Offer& offer, const Words& words)
{
    using enum MeetingKind;
    const auto& type = offer.type;
    const auto minutes = static_cast<int>(offer.rules.duration.count());
    TypeView view{ShownHost::of(offer.host), type.title, type.description};
    view.duration = words.duration(minutes);
    view.durationMinutes = std::to_string(minutes);
    view.online = type.meetingKind == ChatMeeting || type.meetingKind == ExternalLink;
    view.phone = type.meetingKind == Phone;
    view.inPerson = type.meetingKind == InPerson;
    view.instructions = type.meetingKind == Instructions;
    view.approval = type.requiresApproval;
    view.changeable = type.cancelPolicy.guestMayCancel || type.reschedulePolicy.guestMayReschedule;
    view.seatsPerSlot = type.seatsPerSlot;
    view.many = type.seatsPerSlot > 1;
    view.paused = offer.host.status == HostStatus::Paused;
    view.apiUrl = "/api/public" + pathOf(offer.host, type.slug);
    view.words = words.json();
    view.twelveHours = words.twelveHours();
    view.weekStart = words.weekStart();
    return view;
}

BookingPages::BookingPages(const BookingTools& tools, const AvailabilityService& availability, const HoldService& holds,
                           const BookingService& bookings, const ChatMeetings& meetings, const EmbedOrigins& embedOrigins,
                           const Pages& pages, const ProblemPage& problems)
    : _tools(tools),
      _availability(availability),
      _holds(holds),
      _bookings(bookings),
      _meetings(meetings),
      _embedOrigins(embedOrigins),
      _pages(pages),
      _problems(problems),
      _hostPage(pages.bind<HostView>("host")),
      _typePage(pages.bind<TypeView>("type"))
{
}

void BookingPages::declare(Routes& routes)
{
    routes.get("/{handle}", access::open(), &BookingPages::list, this, {.summary = "A host's page", .undocumented = true})
        .get("/{handle}/{eventType}", access::open(), &BookingPages::show, this, {.summary = "Booking page", .undocumented = true})
        .post("/{handle}/{eventType}", access::open(), &BookingPages::book, this,
              {.summary = "Submit the form of a booking page", .idempotencyKey = false, .undocumented = true});
}

Response BookingPages::list(const Request& request, const Path<std::string>& handle, const RawQuery& query) const
{
    return _problems.orPage(request,
                            [&]
                            {
                                auto session = _tools.database().session();
                                const auto found = publicHost(session, *handle, _tools.now());
                                const auto& host = found.host;
                                if (found.moved) return movedTo(withQueryOf("/" + host.handle, request));
                                auto options = optionsFor(host, _tools.context.host().origin + "/" + host.handle);
                                options.embedding = embeddingOf(request, session, _embedOrigins, host, std::nullopt, query.values);
                                auto kept = keptOf(query.values, options.embedding);
                                if (const auto zone = fieldOf(query.values, "tz"); !zone.empty()) kept.emplace_back("tz", zone);
                                const auto& words = _pages.words(_pages.localeOf(request, host.locale, options.embedding));
                                HostView view{ShownHost::of(host), host.headline, host.bio, host.status == HostStatus::Paused};
                                for (const auto& type : eventTypeTable.select(Tenant::fromStored(found.organizationId))
                                                            .where(&EventType::hostId, host.hostId)
                                                            .where(&EventType::visibility, Visibility::Public)
                                                            .orderBy(&EventType::createdAt)
                                                            .all(session))
                                    view.types.push_back({withQuery(pathOf(host, type.slug), kept), type.title,
                                                          words.duration(type.durationMinutes), shortened(type.description, 160)});
                                options.description = host.headline.empty() ? host.displayName : host.headline;
                                return _hostPage.render(request, view, options);
                            });
}

BookingPages::Drawn BookingPages::draw(const Request& request, const std::string& handle, const std::string& slug,
                                       const SentBooking& sent) const
{
    const auto& input = sent.input.sent();
    Drawn drawn;
    {
        auto session = _tools.database().session();
        drawn.offer = publicOffer(session, _tools, handle, slug);
        const auto& options = drawn.offer.type.durationOptions;
        if (input.duration && std::ranges::find(options, *input.duration) != options.end())
            drawn.offer = publicOffer(session, _tools, handle, slug, input.duration);
        drawn.embedding = embeddingOf(request, session, _embedOrigins, drawn.offer.host, drawn.offer.type.eventTypeId, sent.fields);
    }
    const auto& host = drawn.offer.host;
    const auto& type = drawn.offer.type;
    drawn.locale = _pages.localeOf(request, host.locale, drawn.embedding);
    drawn.zone = _tools.zones.find(input.tz).value_or(drawn.offer.rules.hostZone);
    const auto& words = _pages.words(drawn.locale);
    const PickerRequest asked{pathOf(host, type.slug), keptOf(sent.fields, drawn.embedding), drawn.zone, input.date, input.start};
    auto& view = drawn.view;
    view = TypeView::of(drawn.offer, words);
    // Leaves out the host's page if the frame's grant is for this event type only, because it would be refused there.
    if (drawn.embedding.embedId.empty() || drawn.embedding.ofHost) view.hostUrl = withQuery("/" + host.handle, drawn.embedding.fields);
    view.embed = hiddenFields(drawn.embedding.fields);
    view.picker = makePicker(_tools, _availability, drawn.offer, asked, words);
    view.form = makeForm(type, sent);
    addChecks(view.form, host, type.eventTypeId, words);
    // A frame stays on the booking's page, which leads there: the other page might not let itself be shown in one.
    if (drawn.embedding.embedId.empty() && !type.requiresApproval && _embedOrigins.allowsUrl(type.redirectUrl))
        view.redirectUrl = type.redirectUrl;
    return drawn;
}

void BookingPages::addChecks(GuestForm& form, const Host& host, const EventTypeId& type, const Words& words) const
{
    auto& fields = form.input.fields;
    if (host.humanVerification)
    {
        // Another one each time: the answer to the last is not kept.
        const auto sum = askHuman(_tools, host.hostId);
        form.humanAsked = true;
        form.humanQuestion = words.sum(sum.first, sum.second);
        fields["humanToken"].value = sum.token;
    }
    if (fields["shown"].value.empty())
        fields["shown"].value = _tools.sealer.seal(std::to_string(toMillis(_tools.now())), "form:" + type.text());
}

Response BookingPages::rendered(const Request& request, const Drawn& drawn, int status) const
{
    const auto& host = drawn.offer.host;
    auto options = optionsFor(host, _tools.context.host().origin + pathOf(host, drawn.offer.type.slug));
    options.status = status;
    options.embedding = drawn.embedding;
    options.formOrigin = originOf(drawn.view.redirectUrl);
    if (!drawn.problem.empty()) options.told = toldOfProblem(drawn.problem);
    options.description = drawn.view.text.empty() ? drawn.view.title : shortened(drawn.view.text, 160);
    options.indexable = host.indexable && drawn.offer.type.visibility == Visibility::Public;
    return _typePage.render(request, drawn.view, options);
}

Response BookingPages::show(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug,
                            const RawQuery& query) const
{
    return _problems.orPage(
        request,
        [&]
        {
            Fields fields = query.values;
            // A link may fill in the form, and choose nothing.
            std::erase_if(fields, [](const auto& field) { return field.first == "start" || field.first == "shown"; });
            const auto drawn = draw(request, *handle, *slug, SentBooking(std::move(fields)));
            if (drawn.offer.host.handle != *handle) return movedTo(withQueryOf(pathOf(drawn.offer.host, *slug), request));
            return rendered(request, drawn, 200);
        },
        "/" + *handle);
}

bool BookingPages::isHuman(const Drawn& drawn, const BookingInput& input) const
{
    if (!input.website.empty()) return false;
    const auto shown = _tools.sealer.tryOpen(input.shown, "form:" + drawn.offer.type.eventTypeId.text());
    if (!shown) return false;
    return _tools.now() - fromMillis(std::stoll(*shown)) >= quickest;
}

Response BookingPages::book(const Request& request, const Path<std::string>& handle, const Path<std::string>& slug, const RawQuery&,
                            const RawBody& body) const
{
    return _problems.orPage(
        request,
        [&]
        {
            const SentBooking sent(formValues(body));
            auto drawn = draw(request, *handle, *slug, sent);
            try
            {
                if (!isHuman(drawn, sent.input.sent())) throw Problem::badRequest("too_quick");
                const auto made = confirm(request, drawn, sent);
                if (!drawn.view.redirectUrl.empty()) return redirectTo(drawn.view.redirectUrl);
                return redirectTo(withQuery(manageUrl(made.context.booking.bookingId, made.manageToken, {}), drawn.embedding.fields));
            }
            catch (const Problem& problem)
            {
                if (problem.status() >= 500 && problem.status() != 503) throw;
                return refused(request, std::move(drawn), problem);
            }
        },
        "/" + *handle);
}

Confirmation BookingPages::confirm(const Request& request, const Drawn& drawn, const SentBooking& sent) const
{
    const auto channel = requireChannel(_tools, _embedOrigins, request);
    auto asked = requestOf(drawn.offer.type, sent, drawn.zone.name(), drawn.locale);
    checkRequest(drawn.offer.type, sent, asked);
    HoldRequest wanted;
    wanted.start = sent.input->start.value();
    if (drawn.view.form.seatsAsked) wanted.seats = sent.input->seats.value_or(1);
    const auto held = _holds.take(drawn.offer, wanted, {request.clientAddress, channel.source});
    asked.holdId = held.holdId;
    asked.holdToken = held.holdToken;
    try
    {
        auto made = _bookings.confirm(drawn.offer, asked, channel);
        _meetings.tryNow(made.context);
        return made;
    }
    catch (const Problem&)
    {
        _holds.release(held.holdId, held.holdToken);
        throw;
    }
}

Response BookingPages::refused(const Request& request, Drawn drawn, const Problem& problem) const
{
    const auto& words = _pages.words(drawn.locale);
    drawn.problem = problem.code();
    auto& view = drawn.view;
    view.notice = markFaults(view.form, problem, words) ? words.text("check") : words.textOr(problem.code(), "failed");
    if (problem.status() == 409 && !problem.details().empty())
        for (const auto& slot : fromStoredJson<NearSlots>(problem.details()).nearest)
            view.nearest.push_back(
                {slot.start, words.date(drawn.zone.dateOf(slot.start)) + ", " + startText(words, drawn.zone, slot.start)});
    view.hasNearest = !view.nearest.empty();
    return withRetryAfter(rendered(request, drawn, problem.status()), problem);
}

} // namespace portico::calendar
