#include "support/Suite.h"
#include "text/Entities.h"
#include "text/RichText.h"

#include <string>

namespace portico::tests
{

using namespace social;

class TextEntitiesTest : public Suite<TextEntitiesTest>
{
    /// `link:https://example.org mention:anna tag:ok`
    static std::string found(std::string_view text, MentionForm form = MentionForm::Domain)
    {
        std::string list;
        for (const auto& entity : findEntities(text, form))
        {
            if (!list.empty()) list += ' ';
            list += entity.kind == EntityKind::Link ? "link:" : entity.kind == EntityKind::Mention ? "mention:" : "tag:";
            list += entity.value;
        }
        return list;
    }
    TEST(findsLinksWithTheirEnds)
    {
        equal("link:https://example.org", found("https://example.org"));
        equal("link:HTTPS://Example.ORG/a", found("(HTTPS://Example.ORG/a)"));
        equal("link:https://example.org/a", found("see https://example.org/a."));
        equal("link:https://en.wikipedia.org/wiki/Foo_(bar)", found("https://en.wikipedia.org/wiki/Foo_(bar)"));
        equal("link:https://en.wikipedia.org/wiki/Foo_(bar)", found("(https://en.wikipedia.org/wiki/Foo_(bar))"));
        equal("link:https://example.org:8443/a?b=c&d=e#f", found("https://example.org:8443/a?b=c&d=e#f, and"));
        equal("link:https://example.org link:http://a.example.net/x", found("https://example.org\nhttp://a.example.net/x"));
        equal("link:https://münchen.example/straße", found("https://münchen.example/straße"));
        equal("link:https://example.org/日本", found("「https://example.org/日本」"));
        equal("link:https://example.org/a", found("https://example.org/a\u3002"));
    }

    TEST(findsNoLinkInsideAWordOrWithoutADomain)
    {
        equal("", found("xhttps://example.org"));
        equal("", found("https://"));
        equal("", found("https://localhost/a"));
        equal("", found("https://1.2"));
        equal("", found("https://.org"));
        equal("", found("example.org"));
        equal("", found("ftp://example.org"));
        equal("", found("javascript:alert(1)"));
    }

    TEST(findsMentionsOfBothForms)
    {
        equal("mention:anna.example.org", found("hi @anna.example.org!"));
        equal("", found("hi @anna"));
        equal("", found("mail me@anna.example.org"));
        equal("mention:a-b.test", found("(@a-b.test)"));
        equal("mention:anna", found("hi @anna.", MentionForm::Fediverse));
        equal("mention:anna@example.org", found("hi @anna@example.org.", MentionForm::Fediverse));
        equal("", found("mail me@example.org", MentionForm::Fediverse));
        equal("", found("@anna", MentionForm::None));
    }

    TEST(findsTagsOfAllScripts)
    {
        equal("tag:one tag:zwei_2", found("#one, #zwei_2!"));
        equal("tag:日本 tag:हिन्दी", found("#日本 #हिन्दी"));
        equal("tag:wide", found("＃wide"));
        equal("", found("#1 #2024 a#b #\uFE0F\u20E3 ##x /#x"));
        equal("", found("#" + std::string(65, 'a')));
        equal("tag:" + std::string(64, 'a'), found("#" + std::string(64, 'a')));
    }

    TEST(countsPositionsInBytes)
    {
        const std::string text = "שלום \U0001F468\u200D\U0001F469 https://example.org/a #ok";
        const auto entities = findEntities(text, MentionForm::Domain);
        equal(2, entities.size());
        equal("https://example.org/a", text.substr(entities[0].begin, entities[0].end - entities[0].begin));
        equal("#ok", text.substr(entities[1].begin, entities[1].end - entities[1].begin));
        equal(std::size_t(8 + 1 + 11 + 1), entities[0].begin);
    }

    TEST(shortensLinksAndKeepsTheirUrls)
    {
        equal("example.org", shortLink("https://example.org/"));
        equal("example.org/short", shortLink("https://example.org/short"));
        equal("example.org/a/very/long/...", shortLink("https://example.org/a/very/long/path/indeed?x=1"));
        const auto rich = withShortLinks("ä https://example.org/a/very/long/path/indeed and #tag", MentionForm::Domain);
        equal("ä example.org/a/very/long/... and #tag", rich.text);
        equal(2, rich.entities.size());
        equal("https://example.org/a/very/long/path/indeed", rich.entities[0].value);
        equal("example.org/a/very/long/...", rich.text.substr(rich.entities[0].begin, rich.entities[0].end - rich.entities[0].begin));
        equal("#tag", rich.text.substr(rich.entities[1].begin, rich.entities[1].end - rich.entities[1].begin));
    }

    TEST(endsOnEveryPrefixOfHostileText)
    {
        const std::string text = "\xff@\xe2\x82#\xf0\x9f\x91 https://\xff.org/\xe2 @a.\xff #\xcc\x81 https://a.b.c/((((()))) @a@b@c.d@ ＃";
        for (std::size_t size = 0; size <= text.size(); ++size)
            for (const auto form : {MentionForm::None, MentionForm::Domain, MentionForm::Fediverse})
            {
                std::size_t last = 0;
                for (const auto& entity : findEntities(std::string_view(text).substr(0, size), form))
                {
                    CHECK(last <= entity.begin && entity.begin < entity.end && entity.end <= size);
                    last = entity.end;
                }
            }
    }
};

} // namespace portico::tests
