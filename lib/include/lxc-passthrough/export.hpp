#pragma once

/// Marks what the shared library exports; everything else has hidden visibility.
#if defined(__GNUC__)
#define LXC_PASSTHROUGH_API __attribute__((visibility("default")))
#else
#define LXC_PASSTHROUGH_API
#endif
