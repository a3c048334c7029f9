// The commit and the build that this executable is of.
#ifndef VERSIONGATE_CRELEASE_H
#define VERSIONGATE_CRELEASE_H

#include <stddef.h>

// The commit as the build was told it by VERSIONGATE_COMMIT; "unknown" if it was not.
const char *gate_commit(void);

// The note that the linker left in the running executable (--build-id), by which its debug symbols
// are found; null and 0 if there is none.
const unsigned char *gate_build_id(size_t *count);

#endif
