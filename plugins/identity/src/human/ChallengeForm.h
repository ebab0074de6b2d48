#pragma once

#include "human/HumanVerification.h"

#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Script that solves the challenge of a form (field `proof`) and then enables its button `submit`. Like ALTCHA's widget, version 2: PBKDF2
/// with the nonce and a counter as the password.
inline constexpr std::string_view challengeSolver = R"((async () => {
  const field = document.getElementById("proof"), button = document.getElementById("submit");
  const challenge = JSON.parse(field.dataset.challenge), work = challenge.parameters;
  const bytes = hex => Uint8Array.from(hex.match(/../g) ?? [], two => parseInt(two, 16));
  const nonce = bytes(work.nonce), salt = bytes(work.salt);
  for (let counter = 0; ; ++counter) {
    const password = new Uint8Array(nonce.length + 4);
    password.set(nonce);
    new DataView(password.buffer).setUint32(nonce.length, counter);
    const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
    const bits = await crypto.subtle.deriveBits({name: "PBKDF2", hash: "SHA-256", salt, iterations: work.cost}, key, work.keyLength * 8);
    const hex = Array.from(new Uint8Array(bits), byte => byte.toString(16).padStart(2, "0")).join("");
    if (!hex.startsWith(work.keyPrefix)) continue;
    field.value = btoa(JSON.stringify({challenge, solution: {counter, derivedKey: hex}}));
    button.disabled = false;
    return;
  }
})();)";

/// Returns the value of `data-challenge` for the form's field `proof`.
std::string challengeFor(HumanVerification& human, HumanPurpose purpose);

/// Returns true if a problem is about the human verification.
bool isOfHuman(const Problem& problem);

/// Returns the problem for a page: all faults of the proof have the code `not_human`.
Problem shownProblem(const Problem& problem);

} // namespace portico::identity
