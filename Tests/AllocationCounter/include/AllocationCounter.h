// Loaded before the C library (LD_PRELOAD), it counts what a process and its children allocate.
//
// The count, 8 bytes in the byte order of the machine, stands in the file that the environment
// variable ALLOCATION_COUNT names: whoever wants to know reads it while the process goes on.
