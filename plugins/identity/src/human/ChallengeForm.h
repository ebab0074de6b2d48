#pragma once

#include "human/HumanVerification.h"

#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Solves the challenge of a form in the browser, field `proof`, and opens its button `submit`, as ALTCHA's widget does (version 2: PBKDF2,
/// the nonce and a counter are the password).
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

/// What the form's field `proof` has in `data-challenge`.
std::string challengeFor(HumanVerification& human, HumanPurpose purpose);

/// Whether what was refused is the proof of somebody human.
bool isOfHuman(const Problem& problem);

/// The problem as a page explains it: all faults of such a proof have the code `not_human`.
Problem shownProblem(const Problem& problem);

} // namespace portico::identity
