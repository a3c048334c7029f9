// SQLite, with a function for a macro that Swift cannot import.
#include <sqlite3.h>

// Makes SQLite copy the bytes that are passed to it.
static inline sqlite3_destructor_type versiongate_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}
