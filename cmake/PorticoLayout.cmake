# How what is installed is laid out in its file, so that little of it has to be in memory; decisions/0044 says what it brings. The presets
# for it compile functions and constants into sections of their own: those that nothing refers to are left out, the others can be put in an
# order.
#
# portico_layout(<target> [START_ORDER <name>])
#
# START_ORDER: what runs between exec and idle lies together, as cmake/start-order/<name>.txt lists it; the kernel maps code by the 64 KiB.
function(portico_layout target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "START_ORDER" "")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  # Addresses within the file that are filled in when it is loaded: a list of bits instead of 24 bytes each.
  target_link_options(${target} PRIVATE $<$<CONFIG:Release>:-Wl,--gc-sections,-z,pack-relative-relocs>)
  if(NOT arg_START_ORDER)
    return()
  endif()
  set(list ${CMAKE_SOURCE_DIR}/cmake/start-order/${arg_START_ORDER}.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} patterns)
  # With the parts that the compiler has split off, as .isra.0.
  list(TRANSFORM patterns REPLACE "(.+)" "    *(.text.\\1 .text.\\1.*)\n")
  string(CONCAT text "SECTIONS\n{\n  .text.start :\n  {\n" ${patterns} "  }\n}\nINSERT BEFORE .text;\n")
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${arg_START_ORDER}.start.ld)
  file(CONFIGURE OUTPUT ${script} CONTENT "${text}" @ONLY)
  target_link_options(${target} PRIVATE $<$<CONFIG:Release>:-Wl,-T,${script}>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
