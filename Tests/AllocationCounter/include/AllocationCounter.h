// Counts the allocations of a process and its children when loaded before the C library (LD_PRELOAD).
//
// The count, 8 bytes in the machine's byte order, is in the file whose path is in the environment
// variable ALLOCATION_COUNT. It can be read while the process is running.
