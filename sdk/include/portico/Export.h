#pragma once

/// Marks what libportico.so shows. Everything else in the SDK and in every plugin is compiled with hidden visibility, so that two
/// generations of one plugin never share a symbol.
#define PORTICO_API __attribute__((visibility("default")))
