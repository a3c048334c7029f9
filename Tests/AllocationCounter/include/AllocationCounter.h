// Counts the allocations of a process and its children when loaded before the C library (LD_PRELOAD).
//
// The count, 8 bytes in the byte order of the machine, is in the file whose path is in the environment
// variable ALLOCATION_COUNT. It can be read while the process is running.
