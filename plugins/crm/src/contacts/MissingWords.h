#pragma once

#include "search/ContactText.h"

#include "portico/Jobs.h"
#include "portico/Plugin.h"

#include <string_view>

namespace portico::crm
{

// A job adds the words of contacts that were stored before there was a table of words, and folds anew those that an older version folded
// in another way. It runs while the service is at work.

constexpr std::string_view missingWordsJob = "crm.contacts.add_words";

/// Enqueues the job if some contacts lack their words or were folded in another way.
void requestMissingWords(PluginContext& context);

/// Runs it: in short transactions, so that writers get in between.
/// @throws std::runtime_error when it was asked to stop or somebody else held some of them: it goes on at its next run.
void addMissingWords(PluginContext& context, const Job& job);

} // namespace portico::crm
