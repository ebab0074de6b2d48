# Epoch and minor of the SDK stand in one place, the header that compiles them into every plugin; this reads them from there into
# PORTICO_SDK_EPOCH and PORTICO_SDK_MINOR.
function(portico_read_sdk_version header)
  file(STRINGS ${header} lines REGEX "^#define PORTICO_SDK_(EPOCH|MINOR) [0-9]+$")
  foreach(part EPOCH MINOR)
    if(NOT lines MATCHES "PORTICO_SDK_${part} ([0-9]+)")
      message(FATAL_ERROR "${header}: expected a line '#define PORTICO_SDK_${part} <number>', found none")
    endif()
    set(PORTICO_SDK_${part} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endforeach()
endfunction()
