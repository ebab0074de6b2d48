#pragma once

#include "contacts/ContactText.h"

#include "portico/Jobs.h"
#include "portico/Plugin.h"

#include <string_view>

namespace portico::crm
{

// Contacts from before there was a table of words get theirs from a job, while the service is at work.

constexpr std::string_view missingWordsJob = "crm.contacts.add_words";

/// Enqueues the job if some contacts lack their words.
void requestMissingWords(PluginContext& context);

/// Runs it: in short transactions, so that writers get in between.
/// @throws std::runtime_error when it was asked to stop or somebody else held some of them: it goes on at its next run.
void addMissingWords(PluginContext& context, const Job& job);

} // namespace portico::crm
